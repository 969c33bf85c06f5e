"""Whose message an event carries: Slack's payload in, what was said to us out. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.identity import Identity
from store.submission import Submission
from store.thread import ThreadId

_SUBTYPES = (None, "file_share", "thread_broadcast")
_SYSTEM_USERS = ("USLACK", "USLACKBOT")
_SOMEBODY = re.compile(r"<(?:@[A-Z0-9]+|!subteam\^[A-Z0-9]+)(?:\|[^>]*)?>")


@dataclass(frozen=True, slots=True)
class Heard:
    """One message of a person that is, or may be, for us.

    root: ts of the thread's first message. in_thread: whether it is a reply. addressed: a mention or a DM; any
    other is for us only if its author asked something in that thread. foreign: the payload itself names
    another workspace.
    """

    thread: str
    channel: str
    root: str
    ts: str
    author: str
    text: str
    files: tuple[str, ...]
    in_thread: bool
    addressed: bool
    foreign: bool

    def submission(self, run: str, at: float) -> Submission:
        return Submission(
            thread=self.thread,
            channel=self.channel,
            ts=self.ts,
            author=self.author,
            text=self.text,
            run=run,
            at=at,
            files=self.files,
        )


def hear(body: Mapping[str, Any], me: Identity) -> Heard | None:
    """The message in an Events API payload, or None where it is nobody's request to us.

    A mention's two events (`app_mention` and `message`) give the same text and files.
    """
    event = body.get("event")
    if body.get("type") != "event_callback" or not isinstance(event, Mapping) or not _from_a_person(event, me):
        return None
    text, channel, ts = str(event.get("text") or ""), event["channel"], event["ts"]
    root = event.get("thread_ts") or ts
    addressed = _addressed(event, text, me)
    if not addressed and (root == ts or _SOMEBODY.search(text)):
        return None
    return Heard(
        thread=str(ThreadId(me.team, channel, root)),
        channel=channel,
        root=root,
        ts=ts,
        author=event["user"],
        text=said(text, me),
        files=tuple(file["id"] for file in event.get("files") or () if file.get("id")),
        in_thread=root != ts,
        addressed=addressed,
        foreign=is_foreign(event.get("user_team") or event.get("team"), me),
    )


def is_foreign(team: object, me: Identity) -> bool:
    """Whether a payload's team is another workspace; an organisation's id (`E…`) is not one."""
    return isinstance(team, str) and team.startswith("T") and team != me.team


def said(text: str, me: Identity) -> str:
    """What the person typed: without our mention, entities undone.

    A bare mention keeps its text, because an input is never empty while a person said something.
    """
    ours = rf"<@{re.escape(me.user)}(?:\|[^>]*)?>"
    rest = re.sub(rf"^\s*{ours}(?:[:,](?=\s|$))?", "", text)
    rest = re.sub(rf"[ \t]*{ours}", "", rest).strip()
    return typed(rest or text.strip())


def typed(text: str) -> str:
    """A text of Slack's with its three entities undone."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _from_a_person(event: Mapping[str, Any], me: Identity) -> bool:
    user = event.get("user")
    return (
        event.get("type") in ("message", "app_mention")
        and event.get("subtype") in _SUBTYPES
        and not event.get("bot_id")
        and not event.get("hidden")
        and isinstance(user, str)
        and user not in (me.user, *_SYSTEM_USERS)
        and bool(event.get("channel"))
        and bool(event.get("ts"))
    )


def _addressed(event: Mapping[str, Any], text: str, me: Identity) -> bool:
    return (
        event["type"] == "app_mention"
        or event.get("channel_type") == "im"
        or is_direct(event["channel"])
        or re.search(rf"<@{re.escape(me.user)}[|>]", text) is not None
    )


def is_direct(channel: str) -> bool:
    """Whether a channel id is a DM's."""
    return channel.startswith("D")
