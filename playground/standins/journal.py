"""Everything that happens, in order, and waiting for what happens next."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

KEPT = 50_000  # happenings; a scenario makes a few hundred


def wall() -> float:
    """Seconds since 1970."""
    return time.time()  # noqa: TID251 - a simulation replaces it


@dataclass(frozen=True, slots=True)
class Happening:
    """The `seq`-th thing that happened; `kind` is `noun.participle`, `data` depends on it."""

    seq: int
    at: float
    kind: str
    data: Json

    def dump(self) -> Json:
        return {"seq": self.seq, "at": self.at, "kind": self.kind, **self.data}


class Journal:
    """Numbers go on across a reset, so that whoever waits `since` a number never waits for the past.

    told: hears of each as it happens, in the same process.
    """

    def __init__(self) -> None:
        self._kept: deque[Happening] = deque(maxlen=KEPT)
        self._seq = 0
        self._waiters: set[asyncio.Future[None]] = set()
        self.told: Callable[[Happening], None] = lambda _happening: None

    @property
    def last(self) -> int:
        return self._seq

    def add(self, kind: str, **data: Any) -> Happening:
        self._seq += 1
        happening = Happening(self._seq, wall(), kind, data)
        self._kept.append(happening)
        self.told(happening)
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        return happening

    def since(self, seq: int, kinds: frozenset[str] | None = None) -> list[Happening]:
        first = self._kept[0].seq if self._kept else 0
        start = max(0, seq + 1 - first)
        return [self._kept[i] for i in range(start, len(self._kept)) if _wanted(self._kept[i], kinds)]

    async def wait(self, seq: int, timeout: float, kinds: frozenset[str] | None = None) -> list[Happening]:
        """What happened after `seq`, as soon as there is anything; empty after `timeout` seconds."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while not (found := self.since(seq, kinds)):
            left = deadline - loop.time()
            if left <= 0:
                return []
            waiter: asyncio.Future[None] = loop.create_future()
            self._waiters.add(waiter)
            await asyncio.wait({waiter}, timeout=left)
            self._waiters.discard(waiter)
        return found

    def clear(self) -> None:
        self._kept.clear()


def _wanted(happening: Happening, kinds: frozenset[str] | None) -> bool:
    return kinds is None or happening.kind in kinds


Tell = Callable[..., Any]
