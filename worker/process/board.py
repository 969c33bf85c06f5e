"""What a pool's processes tell each other without a server: who is free, on one shared page of memory."""

from __future__ import annotations

import mmap
from typing import Literal

State = Literal["gone", "free", "busy"]
_BYTES: dict[State, int] = {"gone": 0, "free": 1, "busy": 2}


class Board:
    """One place per worker of the pool. Made before the fork; a byte is written whole, so no lock is needed."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._page = mmap.mmap(-1, max(1, places))

    def note(self, place: int, state: State) -> None:
        self._page[place] = _BYTES[state]

    def count(self, *states: State) -> int:
        """How many workers are in one of these states."""
        return sum(self._page[: self._places].count(_BYTES[state]) for state in states)
