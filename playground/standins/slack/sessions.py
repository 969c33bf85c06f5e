"""Agent sessions: what a thread's agent is said to do, with Slack's own Stop button."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playground.standins.journal import wall

Json = dict[str, Any]
STATUSES = ("active", "processing", "suspended", "closed")


@dataclass(slots=True)
class Session:
    """One thread's session; every value it had, with its time. `stops`: who pressed Stop, and when."""

    channel: str
    thread_ts: str
    title: str = ""
    values: list[Json] = field(default_factory=list)
    stops: list[Json] = field(default_factory=list)

    @property
    def status(self) -> str:
        return str(self.values[-1]["status"]) if self.values else ""

    def dump(self) -> Json:
        return {
            "channel": self.channel,
            "thread_ts": self.thread_ts,
            "title": self.title,
            "status": self.status,
            "statuses": list(self.values),
            "stops": list(self.stops),
        }


class Sessions:
    """Sessions by channel and thread, with the prompts and titles that were set."""

    def __init__(self) -> None:
        self.by_thread: dict[tuple[str, str], Session] = {}
        self.prompts: list[Json] = []
        self.titles: dict[tuple[str, str], str] = {}

    def set(self, channel: str, thread_ts: str, status: str, title: str = "") -> Session:
        """A title counts only when the session is created."""
        session = self.by_thread.get((channel, thread_ts))
        if session is None:
            session = self.by_thread[channel, thread_ts] = Session(channel, thread_ts, title)
        session.values.append({"at": wall(), "status": status})
        return session
