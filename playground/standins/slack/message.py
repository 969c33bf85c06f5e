"""One message and every state it was ever in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playground.standins.slack.blocks import shown_text
from playground.standins.slack.streams import Stream
from playground.standins.slack.text import notified

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """What a message said from `at` (seconds since 1970) on; `call` is the number of the call that said it."""

    at: float
    by: str
    text: str
    blocks: tuple[Json, ...] = ()
    attachments: tuple[Json, ...] = ()
    metadata: Json = field(default_factory=dict)
    call: int | None = None

    def dump(self) -> Json:
        return {
            "at": self.at,
            "by": self.by,
            "call": self.call,
            "text": self.text,
            "blocks": list(self.blocks),
            "metadata": self.metadata,
        }


@dataclass(slots=True)
class Message:
    """A message at `channel` + `ts`; nothing of it is ever dropped, not even when it is deleted."""

    channel: str
    ts: str
    user: str
    versions: list[Version]
    thread_ts: str | None = None
    client_msg_id: str | None = None
    subtype: str | None = None
    from_app: bool = False
    broadcast: bool = False
    files: tuple[Json, ...] = ()
    edited: Json | None = None
    deleted_at: float | None = None
    deleted_by: str | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    stream: Stream | None = None

    @property
    def now(self) -> Version:
        return self.versions[-1]

    @property
    def is_reply(self) -> bool:
        return self.thread_ts is not None and self.thread_ts != self.ts

    @property
    def deleted(self) -> bool:
        return self.deleted_at is not None

    def notifies(self) -> list[str]:
        """Whom any of its versions rings, each once."""
        rung = [ring for v in self.versions for ring in notified(f"{v.text}\n{shown_text(list(v.blocks))}")]
        return list(dict.fromkeys(rung))

    def dump(self) -> Json:
        """Everything, for the page and the runner."""
        return {
            "channel": self.channel,
            "ts": self.ts,
            "thread_ts": self.thread_ts,
            "user": self.user,
            "from_app": self.from_app,
            "subtype": self.subtype,
            "text": self.now.text,
            "blocks": list(self.now.blocks),
            "metadata": self.now.metadata,
            "files": list(self.files),
            "versions": [version.dump() for version in self.versions],
            "edited": self.edited,
            "deleted": self.deleted,
            "deleted_at": self.deleted_at,
            "deleted_by": self.deleted_by,
            "stream": self.stream.state if self.stream else None,
            "reactions": {name: list(users) for name, users in self.reactions.items()},
            "notifies": self.notifies(),
        }
