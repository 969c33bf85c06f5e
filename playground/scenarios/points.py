"""Death points: before and after every commit and every call that leaves a process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Side = Literal["before", "after"]
Where = Literal["store", "slack", "model", "effect"]

SCRIPTS = ("admit", "answer", "claim", "commit", "release")
"""The scripts that change what a run is; the others renew, look and bury."""
METHODS = (
    *("chat.postMessage", "chat.update", "conversations.replies", "chat.delete"),
    *("files.getUploadURLExternal", "files.completeUploadExternal"),
)
"""Slack calls that a run makes."""


@dataclass(frozen=True, slots=True)
class DeathPoint:
    """The `nth` call of this name, before it leaves or after it took effect and before its answer is heard."""

    where: Where
    name: str
    nth: int
    side: Side

    def __str__(self) -> str:
        return f"{self.side} {self.where} {self.name} {self.nth}"


AtPoint = Callable[[DeathPoint, int | None], bool]
"""`at(point, pid)`: what happens at a point of the process `pid`; True when that process is dead now."""


class Counter:
    """Numbers the calls of each name."""

    def __init__(self) -> None:
        self._counts: dict[tuple[Where, str], int] = {}

    def next(self, where: Where, name: str) -> int:
        count = self._counts.get((where, name), 0) + 1
        self._counts[where, name] = count
        return count

    def clear(self) -> None:
        self._counts.clear()
