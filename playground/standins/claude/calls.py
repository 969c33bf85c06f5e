"""Every call that came in, counted by what it asked."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Literal

from playground.standins.claude.transcript import Json
from playground.standins.journal import Journal, wall

Ended = Literal["", "complete", "cut", "error", "refused"]


@dataclass(slots=True)
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
        dumped = asdict(self)
        if not request:
            del dumped["request"]
        return dumped


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
        self._journal.add("call.started", n=call.n, digest=call.digest, turn=call.turn, pid=call.pid)

    def streamed(self, call: Call, tokens: int) -> None:
        call.tokens += tokens
        if call.billed is not None:
            call.billed["output_tokens"] = max(1, call.tokens)
        self._journal.add("call.streamed", n=call.n, tokens=call.tokens, turn=call.turn)

    def held(self, call: Call, how: str) -> None:
        self._journal.add("call.held", n=call.n, how=how, tokens=call.tokens, turn=call.turn, pid=call.pid)

    def end(self, call: Call, ended: Ended, error: str = "") -> None:
        """The first end counts."""
        if call.ended:
            return
        call.ended, call.ended_at, call.error = ended, wall(), error
        self._journal.add("call.ended", n=call.n, ended=ended, tokens=call.tokens, turn=call.turn, error=error)

    def violated(self, call: Call, message: str) -> None:
        violation = {"n": call.n, "message": message}
        self.violations.append(violation)
        self._journal.add("violation.found", **violation)

    def asked_twice(self) -> list[str]:
        """The digests that were billed more than once."""
        billed = Counter(call.digest for call in self.log if call.billed is not None)
        return [digest for digest, times in billed.items() if times > 1]

    def clear(self) -> None:
        self.log.clear()
        self.violations.clear()
