"""The pool that `everthread worker` is: workers, one sweep, and who buries the dead."""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from store.ports import Clock, Ids, Threads
from store.protocol import Store
from worker.drain import Drain
from worker.process import job
from worker.process.board import Board
from worker.process.pool_worker import MOST_MEGABYTES, PoolWorker
from worker.process.signals import ENDING, watch
from worker.process.supervisor import Post, Supervisor
from worker.process.sweep import Sweep
from worker.process.undertaker import bury
from worker.process.wake import Wake, free_workers

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Makers:
    """What each process makes for itself after its fork: clients of its own, never shared.

    wakes: RQ's client, in bytes. store: for the sweep and the undertaker. work: what a worker does with a thread.
    """

    wakes: Callable[[], Any]
    store: Callable[[], Store]
    work: Callable[[Drain], job.Work]


@dataclass(frozen=True, slots=True)
class Pool:
    """teams: workspaces in which this pool is to be seen from the start. Times in seconds."""

    makers: Makers
    clock: Clock
    ids: Ids
    threads: Threads
    workers: int
    grace: float = 20.0
    sweep_interval: float = 2.0
    most_megabytes: int = MOST_MEGABYTES
    teams: Sequence[str] = ()

    def run(self) -> int:
        """Be the supervisor of a fresh pool; the exit code. Everything should be imported before."""
        board = Board(self.workers)
        posts = (
            Post("worker", self.workers, partial(self._work, board), lambda place: board.note(place, "gone")),
            Post("sweep", 1, lambda _: self._sweep(board)),
        )
        log.info("pool starts workers=%d pid=%d", self.workers, os.getpid())
        return Supervisor(posts, self._bury, self.clock, self.grace).run()

    def sweep_alone(self) -> int:
        """Be a sweep without a pool, in this process."""
        return self._sweep(None)

    def _work(self, board: Board, place: int) -> int:
        drain = Drain(self.threads, self.clock, self.grace)
        redis = self.makers.wakes()
        name = f"{socket.gethostname()}-{os.getpid()}-{self.ids.new('worker')}"
        worker = PoolWorker(
            redis, name, lambda busy: board.note(place, "busy" if busy else "free"), self.most_megabytes
        )
        job.equip(lambda: self.makers.work(drain))
        watch(self.threads, drain.begin, worker.request_stop)
        board.note(place, "free")
        worker.work()
        return 0

    def _sweep(self, board: Board | None) -> int:
        stop = self.threads.event()
        watch(self.threads, stop.set)
        redis = self.makers.wakes()
        name = f"{socket.gethostname()}:{os.getppid()}"
        sweep = Sweep(
            self.makers.store(),
            Wake(redis).ring,
            (lambda: board.count("free")) if board else (lambda: free_workers(redis)),
            alive=lambda: board is not None and board.count("free", "busy") > 0,
            name=name,
            teams=self.teams,
        )
        sweep.run(stop, self.sweep_interval)
        return 0

    def _bury(self, owners: list[str]) -> int:
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)  # done in milliseconds; the supervisor waits for it
        bury(self.makers.store().leases, Wake(self.makers.wakes()).ring, owners)
        return 0
