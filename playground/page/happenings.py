"""What was done to the playground by hand, in order, for the page to show beside the steps."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Literal

from store.ports import Clock

KEPT = 200

Kind = Literal["killed", "trouble", "effect", "noted"]


@dataclass(frozen=True, slots=True)
class Happening:
    """at: seconds since 1970. thread: "" where it concerns all of them. pid: whom it hit, or 0."""

    at: float
    kind: Kind
    text: str
    thread: str = ""
    pid: int = 0

    def dump(self) -> dict[str, Any]:
        return {"at": self.at, "kind": self.kind, "text": self.text, "pid": self.pid}


class Happenings:
    """The latest of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: deque[Happening] = deque(maxlen=KEPT)

    def add(self, kind: Kind, text: str, thread: str = "", pid: int = 0) -> None:
        self._kept.append(Happening(self._clock.now(), kind, text, thread, pid))

    def of(self, thread: str) -> list[dict[str, Any]]:
        """Those that concern this thread."""
        return [happening.dump() for happening in list(self._kept) if happening.thread in ("", thread)]
