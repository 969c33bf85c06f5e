"""Whose message an event carries: Slack's payload in, what was said to us out. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bot.identity import Identity
from store.submission import Submission
from store.thread import ThreadId

_SUBTYPES = (None, "file_share", "thread_broadcast")
_SYSTEM_USERS = ("USLACK", "USLACKBOT")
_MUTES = {"mute": True, "unmute": False}
_SOMEBODY = re.compile(r"<(?:@[A-Z0-9]+|!subteam\^[A-Z0-9]+)(?:\|[^>]*)?>")


@dataclass(frozen=True, slots=True)
class Heard:
    """One message of a person that is, or may be, for us.

    root: ts of the thread's first message. in_thread: whether it is a reply. addressed: a mention or a DM; any
    other may be for us only in a thread of ours. mentioned: it names us. foreign: the payload itself names another
    workspace. edited: the ts of the edit it is heard at, where it was edited before we heard of it.
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
    mentioned: bool
    foreign: bool
    edited: str = ""

    @property
    def mutes(self) -> bool | None:
        """Whether it only asks us to keep out of its thread (True) or to listen again (False); None: neither."""
        if not self.in_thread or not self.addressed or is_direct(self.channel):
            return None
        return _MUTES.get(self.text.casefold())

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
            edited=self.edited,
        )


def hear(body: Mapping[str, Any], me: Identity, bots: Collection[str] = ()) -> Heard | None:
    """The message in an Events API payload, or None where it is nobody's request to us.

    A mention's two events (`app_mention` and `message`) give the same text and files. bots: ids of those that are
    heard like people when they mention us.
    """
    event = body.get("event")
    return hear_event(event, me, bots) if body.get("type") == "event_callback" and isinstance(event, Mapping) else None


def hear_event(event: Mapping[str, Any], me: Identity, bots: Collection[str] = ()) -> Heard | None:
    """The same for the event itself; a message out of Slack's history is one when its channel is added."""
    author = speaker(event, me, bots)
    if event.get("type") not in ("message", "app_mention") or author is None or event.get("hidden"):
        return None
    text, channel, ts = str(event.get("text") or ""), event["channel"], event["ts"]
    root = event.get("thread_ts") or ts
    addressed = _addressed(event, text, me)
    if not addressed and (root == ts or _SOMEBODY.search(text) or _bot_of(event)):
        return None
    return Heard(
        thread=str(ThreadId(me.team, channel, root)),
        channel=channel,
        root=root,
        ts=ts,
        author=author,
        text=said(text, me),
        files=files_of(event),
        in_thread=root != ts,
        addressed=addressed,
        mentioned=_mentioned(event, text, me),
        foreign=is_foreign(event.get("user_team") or event.get("team"), me),
        edited=edited_at(event),
    )


def speaker(message: Mapping[str, Any], me: Identity, bots: Collection[str] = ()) -> str | None:
    """Who said it: a person, or one of `bots` as named there; None where nobody asks us anything, such as ourselves."""
    if not message.get("channel") or not message.get("ts"):
        return None
    user, bot = message.get("user"), _bot_of(message)
    if user == me.user or bot == me.bot or user in _SYSTEM_USERS:
        return None
    if bot:
        known = next((str(name) for name in (user, bot, message.get("app_id")) if str(name) in bots), None)
        return known if message.get("subtype") in (*_SUBTYPES, "bot_message") else None
    return user if isinstance(user, str) and message.get("subtype") in _SUBTYPES else None


def edited_at(message: Mapping[str, Any]) -> str:
    """Slack's ts of its last edit, or ""."""
    edited = message.get("edited")
    return str(edited.get("ts") or "") if isinstance(edited, Mapping) else ""


def files_of(message: Mapping[str, Any]) -> tuple[str, ...]:
    found = message.get("files")
    return tuple(file["id"] for file in found if file.get("id")) if isinstance(found, (list, tuple)) else ()


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


def _bot_of(message: Mapping[str, Any]) -> str:
    return str(message.get("bot_id") or "")


def _addressed(event: Mapping[str, Any], text: str, me: Identity) -> bool:
    return event.get("channel_type") == "im" or is_direct(event["channel"]) or _mentioned(event, text, me)


def _mentioned(event: Mapping[str, Any], text: str, me: Identity) -> bool:
    return event.get("type") == "app_mention" or re.search(rf"<@{re.escape(me.user)}[|>]", text) is not None


def is_direct(channel: str) -> bool:
    """Whether a channel id is a DM's."""
    return channel.startswith("D")
