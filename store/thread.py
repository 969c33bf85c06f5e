"""A thread's name: one conversation, the unit of order and of the lease."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ThreadId:
    """Workspace, channel and root message; written `T1/C1/1700000000.000100`."""

    team: str
    channel: str
    root: str

    def __str__(self) -> str:
        return f"{self.team}/{self.channel}/{self.root}"

    @classmethod
    def parse(cls, text: str) -> ThreadId:
        parts = text.split("/")
        if len(parts) != 3 or not all(parts):
            raise ValueError(f"{text!r} is not a thread: it is written team/channel/root")
        return cls(*parts)


def ts_order(ts: str) -> int:
    """Slack's `seconds.micros` as whole microseconds: the order of messages in a channel."""
    seconds, _, micros = ts.partition(".")
    return int(seconds) * 1_000_000 + int((micros + "000000")[:6])
