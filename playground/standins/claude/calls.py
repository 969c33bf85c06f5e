"""Every call that came in, counted by what it asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Literal

from playground.standins.claude.transcript import Json
from playground.standins.journal import Journal, wall

Ended = Literal["", "complete", "cut", "error", "refused"]


@dataclass(slots=True, eq=False)
class Call:
    """One request. `at`, `ended_at`: seconds since 1970; ended "" while it runs, "cut" when either side hung up.

    billed: its usage as far as it went, None where the service bills nothing. tokens: streamed so far.
    """

    n: int
    at: float
    digest: str = ""
    prompt: str = ""
    turn: int | None = None
    pid: int | None = None
    status: int = 200
    tokens: int = 0
    billed: Json | None = None
    ended: Ended = ""
    ended_at: float | None = None
    error: str = ""
    request: Json = field(default_factory=dict)

    def dump(self, *, request: bool = False) -> Json:
        return {name: getattr(self, name) for name in _FIELDS if request or name != "request"}


_FIELDS = [known.name for known in fields(Call)]


class Calls:
    """The log of calls, and what in them no real service would have taken."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.log: list[Call] = []
        self.violations: list[Json] = []

    def begin(self) -> Call:
        call = Call(len(self.log) + 1, wall())
        self.log.append(call)
        return call

    def started(self, call: Call) -> None:
        self._tell(call, "call.started", digest=call.digest, pid=call.pid)

    def placed(self, call: Call, pid: int | None) -> None:
        """Now it is known which process asks."""
        call.pid = pid
        self._tell(call, "call.placed", pid=pid)

    def streamed(self, call: Call, tokens: int) -> None:
        call.tokens += tokens
        if call.billed is not None:
            call.billed["output_tokens"] = max(1, call.tokens)
        self._tell(call, "call.streamed", tokens=call.tokens)

    def held(self, call: Call, how: str) -> None:
        self._tell(call, "call.held", how=how, tokens=call.tokens, pid=call.pid)

    def end(self, call: Call, ended: Ended, error: str = "") -> None:
        """The first end counts."""
        if not call.ended:
            call.ended, call.ended_at, call.error = ended, wall(), error
            self._tell(call, "call.ended", ended=ended, tokens=call.tokens, error=error, pid=call.pid)

    def violated(self, call: Call, message: str) -> None:
        if self._tell(call, "violation.found", message=message):
            self.violations.append({"n": call.n, "message": message})

    def _tell(self, call: Call, kind: str, **data: object) -> bool:
        known = call.n <= len(self.log) and self.log[call.n - 1] is call
        if known:  # else it is of the time before a reset
            self._journal.add(kind, n=call.n, turn=call.turn, **data)
        return known

    def asked_twice(self) -> list[str]:
        """The digests that were billed more than once."""
        billed = Counter(call.digest for call in self.log if call.billed is not None)
        return [digest for digest, times in billed.items() if times > 1]

    def clear(self) -> None:
        self.log.clear()
        self.violations.clear()
