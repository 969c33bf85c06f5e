"""A turn's calls at once: each settles on its own, and nobody waits for ever for one that does not end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from store.errors import ControlFlow, RunWaiting
from store.ports import Threads

T = TypeVar("T")
R = TypeVar("R")
POLL = 0.25
"""Seconds between looks at whether the batch should be left alone."""


class Batch:
    """Runs batch after batch on at most `limit` threads, which are kept until `close`."""

    def __init__(self, threads: Threads, limit: int) -> None:
        self._threads, self._limit = threads, limit
        self._crew: list[_Hand] = []

    def map(self, work: Callable[[T], R], items: Sequence[T], abandon: Callable[[], None]) -> list[R]:
        """`[work(item) …]` in order; the first control flow of any of them is raised once all have ended.

        One that waits for a person holds up no other: the wait is raised when all the others are over.

        `abandon()` is asked now and then while calls run; when it raises, stragglers are left behind.
        """
        if not items:
            return []
        results: dict[int, R] = {}
        raised: list[BaseException] = []
        over = self._threads.event()
        queue = iter(list(enumerate(items)))
        hands = min(self._limit, len(items))
        left = [None] * hands

        def pull() -> None:
            try:
                # `next` on a list's iterator is atomic under the interpreter's lock, so each item is taken once.
                while all(map(_waits, raised)) and (entry := next(queue, None)) is not None:
                    try:
                        results[entry[0]] = work(entry[1])
                    except RunWaiting as waiting:
                        raised.append(waiting)
            except BaseException as error:
                raised.append(error)
            finally:
                left.pop()
                if not left:
                    over.set()

        while len(self._crew) < hands:
            self._crew.append(_Hand(self._threads, len(self._crew)))
        for hand in self._crew[:hands]:
            hand.give(pull)
        while not over.wait(POLL):
            abandon()
        if raised:
            control = [error for error in raised if isinstance(error, ControlFlow)]
            raise next((error for error in control if not _waits(error)), next(iter(control), raised[0]))
        return [results[place] for place in range(len(items))]

    def close(self) -> None:
        """Let the threads go; one that is still in a call ends with it."""
        for hand in self._crew:
            hand.give(None)
        self._crew.clear()


def _waits(error: BaseException) -> bool:
    return isinstance(error, RunWaiting)


class _Hand:
    """One thread of the crew; waits for work between batches, because starting one a call costs twice as much."""

    def __init__(self, threads: Threads, number: int) -> None:
        self._wanted = threads.event()
        self._work: Callable[[], Any] | None = None
        threads.start(f"call-{number}", self._serve)

    def give(self, work: Callable[[], Any] | None) -> None:
        self._work = work
        self._wanted.set()

    def _serve(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if (work := self._work) is None:
                return
            work()
