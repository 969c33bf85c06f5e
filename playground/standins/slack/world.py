"""The workspace: people, channels, messages. It knows no HTTP and refuses as Slack does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from playground.standins.journal import wall
from playground.standins.slack.errors import SlackError
from playground.standins.slack.files import Files
from playground.standins.slack.message import Json, Message, Version
from playground.standins.slack.people import BOT_USER, PEOPLE, Channel, Person, new_channels, new_groups
from playground.standins.slack.sessions import Sessions
from playground.standins.slack.views import Views

ChangeKind = Literal["posted", "edited", "deleted"]


@dataclass(frozen=True, slots=True)
class Change:
    """A message was posted, edited or deleted; `before` is its state until then (None when posted)."""

    kind: ChangeKind
    message: Message
    before: Message | None
    ts: str


@dataclass(slots=True)
class Status:
    """A thread's status line; every value it had, with its time."""

    channel: str
    thread_ts: str
    values: list[Json] = field(default_factory=list)


Draft = dict[str, Any]
"""Fields of a `Version`: text, blocks, attachments, metadata, call."""


class World:
    """Everything people can see. Each change is told to the observers, in order."""

    def __init__(self, observers: Iterable[Callable[[Change], None]] = ()) -> None:
        self.people = {person.id: person for person in PEOPLE}
        self.channels = {channel.id: channel for channel in new_channels()}
        self.groups = {group.id: group for group in new_groups()}
        self.files, self.views, self.sessions = Files(), Views(), Sessions()
        self.messages: dict[tuple[str, str], Message] = {}
        self.ephemerals: list[Json] = []
        self.statuses: dict[tuple[str, str], Status] = {}
        self.observers = list(observers)
        self._last_ts = 0

    def stamp(self) -> str:
        """A fresh ts: microseconds, never twice, never going back."""
        self._last_ts = max(int(wall() * 1_000_000), self._last_ts + 1)
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def person(self, name: str) -> Person | None:
        """By key (`ann`) or user id."""
        return self.people.get(name) or next((p for p in self.people.values() if p.key == name), None)

    def channel(self, name: str) -> Channel | None:
        """By id, by name with or without `#`, or by a person's user id (their DM)."""
        found = self.channels.get(name)
        wanted = name.removeprefix("#")
        return found or next((c for c in self.channels.values() if wanted == c.name or name == c.partner), None)

    def direct(self, users: list[str]) -> Channel | None:
        """The DM or group DM of the bot with exactly these people."""
        if len(users) == 1:
            return next((c for c in self.channels.values() if c.partner == users[0]), None)
        wanted = {*users, BOT_USER}
        return next((c for c in self.channels.values() if c.kind == "mpim" and set(c.members) == wanted), None)

    def add_group_dm(self, users: list[str]) -> Channel:
        names = "--".join(self.people[user].key for user in users)
        number = len(self.channels) + 1
        place = Channel(f"C0GROUPD{number:02d}", f"mpdm-{names}-1", "mpim", [*users, BOT_USER], int(wall()))
        self.channels[place.id] = place
        return place

    def standing(self, channel: str, ts: str) -> Message | None:
        message = self.messages.get((channel, ts))
        return None if message is None or message.deleted else message

    def thread(self, channel: str, root: str, *, deleted: bool = False) -> list[Message]:
        """The replies under `root`, oldest first."""
        found = [m for m in self.messages.values() if m.channel == channel and m.thread_ts == root and m.is_reply]
        return sorted((m for m in found if deleted or not m.deleted), key=lambda m: m.ts)

    def top_level(self, channel: str) -> list[Message]:
        """What stands in the channel itself, oldest first; a deleted root with replies is still there."""
        found = [m for m in self.messages.values() if m.channel == channel and (not m.is_reply or m.broadcast)]
        return sorted((m for m in found if not m.deleted or self.thread(channel, m.ts)), key=lambda m: m.ts)

    def post(self, channel: Channel, user: str, draft: Draft, **fields: Any) -> Message:
        """Put a message at the end; `fields` are further fields of `Message`."""
        if channel.archived:
            raise SlackError("is_archived")
        ts = self.stamp()
        message = Message(channel.id, ts, user, [Version(wall(), user, **draft)], **fields)
        root = self.messages.get((channel.id, message.thread_ts or ""))
        if root is not None and root.thread_ts is None:
            root.thread_ts = root.ts
        self.messages[channel.id, ts] = message
        self._tell(Change("posted", message, None, ts))
        return message

    def edit(self, message: Message, user: str, draft: Draft, *, mark: bool) -> None:
        """A new version; `mark` shows it as edited."""
        before = replace(message, versions=list(message.versions))
        ts = self.stamp()
        message.versions.append(Version(wall(), user, **draft))
        if mark:
            message.edited = {"user": user, "ts": ts}
        self._tell(Change("edited", message, before, ts))

    def delete(self, message: Message, user: str) -> None:
        before = replace(message, versions=list(message.versions))
        message.deleted_at, message.deleted_by = wall(), user
        self._tell(Change("deleted", message, before, self.stamp()))

    def set_status(self, channel: str, thread_ts: str, value: str, loading: list[str]) -> None:
        status = self.statuses.setdefault((channel, thread_ts), Status(channel, thread_ts))
        status.values.append({"at": wall(), "status": value, "loading_messages": loading})

    def status_now(self, status: Status, life: float) -> str:
        """What the thread shows: gone after `life` seconds, and after any reply of the app."""
        last = status.values[-1]
        replies = self.thread(status.channel, status.thread_ts)
        if wall() - last["at"] > life or any(m.from_app and float(m.ts) > last["at"] for m in replies):
            return ""
        return str(last["status"])

    def is_shared(self, channel: Channel) -> bool:
        """Whether people of another workspace are in it."""
        return len({self.people[member].team for member in channel.members}) > 1

    def bot_sees(self, channel: Channel) -> bool:
        return BOT_USER in channel.members

    def _tell(self, change: Change) -> None:
        for observer in self.observers:
            observer(change)
