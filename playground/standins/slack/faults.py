"""Misbehaviour on demand: refusals, 429s, lost answers, slow answers, and calls held still."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

from playground.standins.journal import Journal, wall
from playground.standins.slack.errors import ControlError

Json = dict[str, Any]
When = Literal["before", "after"]
FaultKind = Literal["error", "ratelimit", "drop", "slow"]

_KINDS = ("error", "ratelimit", "drop", "slow")
_WHENS = ("before", "after")
_FIELDS = frozenset({"kind", "method", "times", "skip", "when", "error", "status", "seconds", "containing"})


@dataclass(slots=True)
class Fault:
    """What goes wrong with the next `times` calls of `method` (`*`: any; None: until removed), of those that have
    `containing` in their arguments.

    error: answered `ok: false` with `error` and HTTP `status`, not applied. ratelimit: HTTP 429 until `until`.
    drop: the connection is closed without an answer, `when` before or after the call was applied.
    slow: `seconds` pass before or after it is applied.
    """

    id: int
    kind: FaultKind
    method: str
    times: int | None = 1
    skip: int = 0
    when: When = "after"
    error: str = "internal_error"
    status: int = 200
    seconds: float = 0.0
    until: float = 0.0
    containing: str = ""

    def dump(self) -> Json:
        return {
            "id": self.id,
            "fault": self.kind,
            "method": self.method,
            "times": self.times,
            "when": self.when,
            "error": self.error,
            "seconds": self.seconds,
        }

    @property
    def retry_after(self) -> int:
        return max(1, math.ceil(self.until - wall()))


@dataclass(slots=True, eq=False)
class Hold:
    """The `nth` call of `method` from now on stands still, before or after it is applied, until released."""

    id: int
    method: str
    nth: int
    when: When
    containing: str = ""
    seen: int = 0
    call: int | None = None
    pid: int | None = None
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def dump(self) -> Json:
        return {
            "hold": self.id,
            "method": self.method,
            "nth": self.nth,
            "when": self.when,
            "call": self.call,
            "pid": self.pid,
            "reached": self.call is not None,
            "released": self.released.is_set(),
        }


class Faults:
    """All faults and holds that are set, matched against each call as it arrives."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._numbers = count(1)
        self.faults: list[Fault] = []
        self.holds: dict[int, Hold] = {}

    def add(self, wish: Json) -> Fault:
        """Set a fault from its JSON; raises `ControlError` where the wish makes no sense."""
        kind = wish.get("kind")
        if kind not in _KINDS:
            raise ControlError(f"no fault {kind!r}; there are {', '.join(_KINDS)}")
        unknown = set(wish) - _FIELDS
        if unknown:
            raise ControlError(f"a fault has no {', '.join(sorted(unknown))}")
        seconds = float(wish.get("seconds", 0.0))
        if kind == "ratelimit":
            fields: Json = {"times": None, "until": wall() + seconds}
        else:
            fields = {"times": wish.get("times", 1)}
        fault = Fault(
            next(self._numbers),
            kind,
            str(wish.get("method", "*")),
            skip=int(wish.get("skip", 0)),
            when=_when(wish.get("when", "after")),
            error=str(wish.get("error", "internal_error")),
            status=int(wish.get("status", 200)),
            seconds=seconds,
            containing=str(wish.get("containing", "")),
            **fields,
        )
        self.faults.append(fault)
        return fault

    def hold(self, wish: Json) -> Hold:
        when = _when(wish.get("when", "before"))
        nth = int(wish.get("nth", 1))
        if nth < 1:
            raise ControlError(f"nth counts from 1, not {nth}")
        containing = str(wish.get("containing", ""))
        hold = Hold(next(self._numbers), str(wish.get("method", "*")), nth, when, containing)
        self.holds[hold.id] = hold
        return hold

    def release(self, number: int) -> Hold:
        hold = self.holds.get(number)
        if hold is None:
            raise ControlError(f"there is no hold {number}")
        hold.released.set()
        self._journal.add("hold.released", **hold.dump())
        return hold

    def remove(self, number: int | None = None) -> None:
        """One fault, or all."""
        self.faults = [] if number is None else [f for f in self.faults if f.id != number]

    def clear(self) -> None:
        """No faults any more, and whatever was held goes on."""
        self.remove()
        for hold in self.holds.values():
            hold.released.set()
        self.holds.clear()

    def match(self, method: str, text: str = "") -> list[Fault]:
        """The faults this call meets; each is used up by one. text: its arguments, for `containing`."""
        met = []
        for fault in list(self.faults):
            if fault.method not in (method, "*") or fault.containing not in text:
                continue
            if fault.kind == "ratelimit" and fault.until <= wall():
                self.faults.remove(fault)
                continue
            if fault.skip:
                fault.skip -= 1
                continue
            met.append(fault)
            if fault.times is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self.faults.remove(fault)
        return met

    def awaits(self, method: str) -> bool:
        """Whether a hold waits for such a call, so that whoever makes it may have to be known."""
        return any(hold.call is None and hold.method in (method, "*") for hold in self.holds.values())

    def held(self, method: str, text: str, call: int, pid: int | None) -> list[Hold]:
        """The holds this call meets; `text` is its arguments, for `containing`."""
        met = []
        for hold in self.holds.values():
            if hold.call is not None or hold.released.is_set() or hold.method not in (method, "*"):
                continue
            if hold.containing not in text:
                continue
            hold.seen += 1
            if hold.seen == hold.nth:
                hold.call, hold.pid = call, pid
                met.append(hold)
        return met

    async def stand_still(self, holds: list[Hold], when: When) -> bool:
        """Wait for the release of those placed `when`; True if there was any."""
        placed = [hold for hold in holds if hold.when == when]
        for hold in placed:
            self._journal.add("hold.reached", **hold.dump())
            await hold.released.wait()
        return bool(placed)


def _when(value: Any) -> When:
    if value == "before":
        return "before"
    if value == "after":
        return "after"
    raise ControlError(f"when must be one of {', '.join(_WHENS)}, not {value!r}")
