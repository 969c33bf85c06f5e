"""What people did to a message after they sent it: Slack's payload in, an edit or a deletion out. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bot.heard import Heard, edited_at, files_of, hear_event, said, speaker
from bot.identity import Identity
from store.news import News
from store.thread import ThreadId

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Edit:
    """A message says something else now. heard: the message as it stands, where the edit first made it ours."""

    thread: str
    news: News
    files: tuple[str, ...]
    heard: Heard | None


@dataclass(frozen=True, slots=True)
class Deletion:
    """A message is gone. whole: it was its thread's first, so the thread is gone with it. ours: it spoke to us."""

    thread: str
    ts: str
    author: str
    whole: bool
    ours: bool


def change_of(body: Json, me: Identity, bots: Collection[str] = ()) -> Edit | Deletion | None:
    """The change in an Events API payload; None where it is none, or none that concerns a run.

    Unfurled links, our own edits and whatever leaves a message's words and files alone change nothing.
    """
    event = body.get("event")
    if body.get("type") != "event_callback" or not isinstance(event, Mapping) or event.get("type") != "message":
        return None
    channel, before = event.get("channel"), _in_channel(event.get("previous_message"), event)
    now = _in_channel(event.get("message"), event)
    match event.get("subtype"):
        case "message_changed" if now.get("subtype") == "tombstone":
            return _deletion(str(channel), str(now.get("ts")), before, me, bots)
        case "message_changed":
            return edit_of(now, before, me, bots)
        case "message_deleted":
            return _deletion(str(channel), str(event.get("deleted_ts")), before, me, bots)
    return None


def edit_of(now: Json, before: Json, me: Identity, bots: Collection[str] = ()) -> Edit | None:
    """The edit that made `now` out of `before`, both with their channel; an empty `before` is not known."""
    author, at = speaker(now, me, bots), edited_at(now)
    if author is None or not at:
        return None
    text, files = said(str(now.get("text") or ""), me), files_of(now)
    if before.get("ts") and (text, files) == (said(str(before.get("text") or ""), me), files_of(before)):
        return None
    heard = hear_event({**now, "type": "message"}, me, bots)
    return Edit(
        thread=_thread(str(now["channel"]), now, me),
        news=News(str(now["ts"]), at, author, text),
        files=files,
        heard=heard if heard is not None and heard.addressed else None,
    )


def _deletion(channel: str, ts: str, before: Json, me: Identity, bots: Collection[str]) -> Deletion | None:
    root = before.get("thread_ts") or ts
    author = speaker(before, me, bots)
    if author is None and root != ts:
        return None
    heard = hear_event({**before, "type": "message"}, me, bots) if before.get("ts") else None
    thread = str(ThreadId(me.team, channel, str(root)))
    return Deletion(thread, ts, author or "", whole=root == ts, ours=heard is not None and heard.addressed)


def _in_channel(message: object, event: Json) -> Json:
    """A message inside an event, with what only the event says of it."""
    return {**message, "channel": event.get("channel")} if isinstance(message, Mapping) else {}


def _thread(channel: str, message: Json, me: Identity) -> str:
    return str(ThreadId(me.team, channel, str(message.get("thread_ts") or message["ts"])))
