"""Several stages side by side: most of a play is waiting, so two cores carry more than one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, TypeAlias, TypeVar

from playground.scenarios.stage import Stage

T = TypeVar("T")
Job: TypeAlias = Callable[[Stage], Iterator[T]]
_OVER = object()


class Suite(Generic[T]):
    """Does jobs on so many stages; each stage takes the next job when it is free."""

    def __init__(self, make: Callable[[int], Stage], stages: int) -> None:
        self._make, self._stages = make, stages
        self._said: SimpleQueue[object] = SimpleQueue()
        self._open: list[Stage] = []
        self._stopping = False

    def run(self, jobs: Sequence[Job[T]]) -> Iterator[T]:
        """Everything the jobs yield, as it comes. What a job raises is raised here, once all stages are closed."""
        queue: SimpleQueue[Job[T]] = SimpleQueue()
        for job in jobs:
            queue.put(job)
        crew = [
            threading.Thread(target=self._work, args=(n, queue), daemon=True)  # noqa: TID251 - the runner's own
            for n in range(min(self._stages, len(jobs)))
        ]
        for one in crew:
            one.start()
        working, raised = len(crew), None
        try:
            while working:
                said = self._said.get()
                if said is _OVER:
                    working -= 1
                elif isinstance(said, BaseException):
                    raised = raised or said
                    self._stopping = True
                else:
                    yield said  # type: ignore[misc]
        finally:
            self._stopping = True
            for stage in self._open:
                stage.close()
        if raised is not None:
            raise raised

    def _work(self, number: int, queue: SimpleQueue[Job[T]]) -> None:
        try:
            stage = self._make(number)
            self._open.append(stage)
            while not self._stopping:
                try:
                    job = queue.get_nowait()
                except Empty:
                    break
                for said in job(stage):
                    self._said.put(said)
            stage.close()
        except BaseException as error:
            self._said.put(error)
        finally:
            self._said.put(_OVER)
