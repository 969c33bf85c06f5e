"""What changed in a thread after it was taken: told to the model with the next input, owed to nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from store.thread import ts_order
from store.values import decode, encode


@dataclass(frozen=True, slots=True)
class News:
    """A person changed a message that a run had already taken.

    ts: the message's. at: Slack's ts of the change. text: what the message says now.
    """

    ts: str
    at: str
    author: str
    text: str

    @property
    def key(self) -> str:
        """Under which it lies in the thread's mailbox; a later change of the same message takes its place."""
        return f"{self.ts}:{ts_order(self.at)}"

    def as_body(self) -> dict[str, Any]:
        """Itself as plain JSON values."""
        return asdict(self)

    def to_json(self) -> str:
        return encode(self.as_body())

    @classmethod
    def from_json(cls, raw: str) -> News:
        return cls.from_mapping(decode(raw))

    @classmethod
    def from_mapping(cls, found: Mapping[str, Any]) -> News:
        return cls(**{name: found[name] for name in ("ts", "at", "author", "text")})
