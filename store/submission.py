"""Input as people gave it, and the receipt for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from store.thread import ts_order
from store.values import decode, digest_of, encode


@dataclass(frozen=True, slots=True)
class Submission:
    """One message, admitted once under its channel and ts however often it arrives.

    ts: Slack's, which also decides the order. at: wall-clock seconds of arrival. run: the id its run gets.
    edited: Slack's ts of the edit that text and files are from; empty: they are the original.
    """

    thread: str
    channel: str
    ts: str
    author: str
    text: str
    run: str
    at: float
    files: tuple[str, ...] = ()
    edited: str = ""

    @property
    def key(self) -> str:
        return f"{self.channel}:{self.ts}"

    @property
    def fingerprint(self) -> str:
        return digest_of([self.author, self.text, list(self.files)])

    @property
    def standing(self) -> str:
        """How the thread notes it: its run and the edit it is taken at, in whole microseconds."""
        return f"{self.run} {ts_order(self.edited) if self.edited else 0}"

    @property
    def admitted(self) -> str:
        """What it leaves under its admission key: fingerprint, run and thread."""
        return f"{self.fingerprint} {self.run} {self.thread}"

    def as_body(self) -> dict[str, Any]:
        """Itself as plain JSON values."""
        return {**asdict(self), "files": list(self.files)}

    def to_json(self) -> str:
        return encode(self.as_body())

    @classmethod
    def from_json(cls, raw: str) -> Submission:
        return cls.from_mapping(decode(raw))

    @classmethod
    def from_mapping(cls, found: Mapping[str, Any]) -> Submission:
        names = ("thread", "channel", "ts", "author", "text", "run", "at")
        files, edited = tuple(found.get("files", ())), found.get("edited", "")
        return cls(**{name: found[name] for name in names}, files=files, edited=edited)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an admission answered: the run that the input leads to, and whether this call admitted it.

    waits: whether it stands behind others, or behind a run that is open.
    """

    thread: str
    run: str
    new: bool
    waits: bool = False
