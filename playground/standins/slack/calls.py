"""Every Web API call received, in order, with what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playground.standins.journal import Journal, wall

Json = dict[str, Any]

_SECRET = ("token",)


@dataclass(slots=True)
class Call:
    """outcome: `ok`, Slack's error code, `dropped` (no answer), or None while it is under way.

    applied: whether the workspace changed or was read as asked. message: its state right after, where it
    concerns one.
    """

    n: int
    method: str
    args: Json
    at: float
    pid: int | None
    outcome: str | None = None
    applied: bool = False
    answered_at: float | None = None
    message: Json | None = None

    def dump(self) -> Json:
        return {
            "n": self.n,
            "method": self.method,
            "args": self.args,
            "at": self.at,
            "pid": self.pid,
            "outcome": self.outcome,
            "applied": self.applied,
            "answered_at": self.answered_at,
            "message": self.message,
        }


class Calls:
    """The log of calls; tokens are left out of it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.log: list[Call] = []

    def begin(self, method: str, args: Json, pid: int | None) -> Call:
        shown = {name: value for name, value in args.items() if name not in _SECRET}
        call = Call(len(self.log) + 1, method, shown, wall(), pid)
        self.log.append(call)
        self._journal.add("call.received", n=call.n, method=method, args=shown, pid=pid)
        return call

    def end(self, call: Call, outcome: str) -> None:
        call.outcome, call.answered_at = outcome, wall()
        self._journal.add(
            "call.answered",
            n=call.n,
            method=call.method,
            outcome=outcome,
            applied=call.applied,
            pid=call.pid,
            ts=(call.message or {}).get("ts"),
        )

    def clear(self) -> None:
        self.log.clear()
