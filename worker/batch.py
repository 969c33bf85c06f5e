"""A turn's calls at once: each settles on its own, and nobody waits for ever for one that does not end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from store.errors import ControlFlow
from store.ports import Threads

T = TypeVar("T")
R = TypeVar("R")
POLL = 0.25
"""Seconds between looks at whether the batch should be left alone."""


class Batch:
    """Runs `work` over items on at most `limit` threads. The first control flow of any call wins at the end."""

    def __init__(self, threads: Threads, limit: int) -> None:
        self._threads, self._limit = threads, limit

    def map(self, work: Callable[[T], R], items: Sequence[T], abandon: Callable[[], None]) -> list[R]:
        """`[work(item) …]` in order.

        `abandon()` is asked now and then while calls run; when it raises, stragglers are left behind.
        """
        results: dict[int, R] = {}
        raised: list[BaseException] = []
        over = self._threads.event()
        queue = iter(list(enumerate(items)))

        def pull() -> None:
            try:
                # `next` on a list iterator is atomic under the interpreter's lock, so each item is taken once.
                while not raised and (entry := next(queue, None)) is not None:
                    results[entry[0]] = work(entry[1])
            except BaseException as error:
                raised.append(error)
            finally:
                left.pop()
                if not left:
                    over.set()

        crew = min(self._limit, len(items))
        left = [None] * crew
        for n in range(crew):
            self._threads.start(f"call-{n}", pull)
        while crew and not over.wait(POLL):
            abandon()
        if raised:
            raise next((error for error in raised if isinstance(error, ControlFlow)), raised[0])
        return [results[place] for place in range(len(items))]
