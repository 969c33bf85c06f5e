"""The real `Clock`, `Ids` and `Threads`: the operating system behind three of the five seams.

Nothing here keeps state, so all of it may be built before a fork and used after it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from store.errors import ControlFlow
from store.ports import Event, Task

T = TypeVar("T")
R = TypeVar("R")

ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
"""32 characters nobody mistakes for one another: no l, o, 0 or 1."""
ID_LENGTH = 12
"""Characters after the first letter: 60 random bits."""

_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", None)


class SystemClock:
    """The machine's clocks."""

    def now(self) -> float:
        return time.time()  # noqa: TID251 - this is the port

    def boottime(self) -> float:
        """Seconds that also pass while the machine sleeps, where it has such a clock; else it stands still then."""
        if _BOOTTIME is not None:
            return time.clock_gettime(_BOOTTIME)
        return time.monotonic()  # noqa: TID251 - the nearest thing outside Linux


class SystemIds:
    """Names from the system's own randomness, which a fork does not copy."""

    def new(self, kind: str) -> str:
        return kind[0] + "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


class SystemThreads:
    """Threads of the interpreter. What `start` starts does not keep the process alive."""

    def start(self, name: str, work: Callable[[], None]) -> Task:
        thread = threading.Thread(target=work, name=name, daemon=True)  # noqa: TID251 - this is the port
        thread.start()
        return thread

    def event(self) -> Event:
        return threading.Event()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: TID251 - this is the port

    def map(self, work: Callable[[T], R], items: Sequence[T], limit: int) -> list[R]:
        """Every item is worked on, whatever becomes of the others, and all have ended when this returns or raises.

        The first control flow is raised before anything else, then the first error in the items' order.
        """
        batch = _Batch(work, items)
        helpers = [self.start(f"map-{n}", batch.work_off) for n in range(1, min(limit, len(items)))]
        batch.work_off()
        for helper in helpers:
            helper.join()
        return batch.results()


class _Batch(Generic[T, R]):
    """One `map`: its items, handed out one at a time, and what became of each."""

    def __init__(self, work: Callable[[T], R], items: Sequence[T]) -> None:
        self._work = work
        self._waiting = iter(list(enumerate(items)))
        self._turn = threading.Lock()
        self._done: dict[int, R] = {}
        self._failed: dict[int, BaseException] = {}
        self._flow: ControlFlow | None = None

    def work_off(self) -> None:
        """Take items until none is left."""
        while (taken := self._take()) is not None:
            at, item = taken
            try:
                self._done[at] = self._work(item)
            except ControlFlow as flow:
                self._flow = self._flow or flow
            except BaseException as error:  # a thread must not take an item's failure with it
                self._failed[at] = error

    def results(self) -> list[R]:
        if self._flow is not None:
            raise self._flow
        if self._failed:
            raise self._failed[min(self._failed)]
        return [self._done[at] for at in sorted(self._done)]

    def _take(self) -> tuple[int, T] | None:
        with self._turn:
            return next(self._waiting, None)
