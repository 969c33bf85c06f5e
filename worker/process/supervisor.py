"""The parent of a pool: forks its processes, replaces the dead, frees their leases, and ends with all of them.

It has one thread and no connection, ever: a fork beside a thread that holds a lock hangs the child for good.
"""

from __future__ import annotations

import gc
import logging
import os
import selectors
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from store.ports import Clock
from worker.process import owner
from worker.process.child import Child, fork
from worker.process.kinship import adopt_orphans
from worker.process.signals import ENDING

MARGIN = 4.0
"""Seconds beyond the grace time after which a child that still lives is killed; Heroku kills everything at 30 s."""
YOUNG = 1.0
"""A child that dies younger than this counts towards a crash loop."""
FREE_RESTARTS = 3
FIRST_PAUSE, MOST_PAUSE = 0.05, 10.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Post:
    """A kind of process, and how many of it.

    main: runs in the child, with its place; its answer is the exit code. vacated: a place lost its process.
    """

    name: str
    places: int
    main: Callable[[int], int]
    vacated: Callable[[int], None] = lambda _: None


@dataclass(slots=True)
class _Place:
    """One process that should be there. due: when to start it, by `Clock.boottime`."""

    post: Post
    number: int
    due: float = 0.0
    deaths: int = 0
    child: Child | None = None


@dataclass(slots=True)
class Supervisor:
    """A pool. bury: runs in a short-lived child of its own, with the owner names of the dead.

    grace: seconds that children get when the end is asked for.
    """

    posts: Sequence[Post]
    bury: Callable[[list[str]], int]
    clock: Clock
    grace: float
    _places: list[_Place] = field(default_factory=list)
    _helpers: set[int] = field(default_factory=set)
    _ends: float | None = None
    _asked: bool = False
    _clean: bool = True

    def run(self) -> int:
        """Keep the pool until SIGTERM or SIGINT, then end it. 0 when every child ended by itself in time."""
        if threading.active_count() > 1:
            names = ", ".join(thread.name for thread in threading.enumerate())
            raise RuntimeError(f"the supervisor forks and must have one thread; it has {names}")
        adopt_orphans()
        gc.collect()
        gc.freeze()
        self._places = [_Place(post, number) for post in self.posts for number in range(post.places)]
        with _Bell(self._note) as bell:
            while True:
                self._reap(bell)
                if self._asked and self._ends is None:
                    self._begin_end()
                if self._ends is None:
                    self._start_due(bell)
                elif not self._living and not self._helpers:
                    return 0 if self._clean else 1
                elif self.clock.boottime() >= self._ends:
                    self._end_by_force()
                bell.wait(self._pause())

    @property
    def _living(self) -> list[_Place]:
        return [place for place in self._places if place.child is not None]

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True

    def _start_due(self, bell: _Bell) -> None:
        now = self.clock.boottime()
        for place in self._places:
            if place.child is None and place.due <= now:
                place.child = fork(partial(place.post.main, place.number), now, bell.close)
                place.child.owner = owner.process(place.child.pid)

    def _reap(self, bell: _Bell) -> None:
        """Take note of every child that ended, orphans included."""
        dead: list[str] = []
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            self._helpers.discard(pid)
            for place in self._living:
                if place.child is not None and place.child.pid == pid:
                    dead += self._lost(place, place.child, os.waitstatus_to_exitcode(status))
        if dead:
            self._helpers.add(fork(partial(self.bury, dead), self.clock.boottime(), bell.close).pid)

    def _lost(self, place: _Place, child: Child, code: int) -> list[str]:
        """Plan the replacement; the owner names to bury."""
        place.child = None
        place.post.vacated(place.number)
        if self._ends is not None:
            self._clean = self._clean and code == 0
            return [child.owner] if code else []
        now = self.clock.boottime()
        place.deaths = place.deaths + 1 if now - child.born < YOUNG else 0
        streak = place.deaths - FREE_RESTARTS
        pause = 0.0 if streak <= 0 else min(MOST_PAUSE, FIRST_PAUSE * 2.0**streak)
        place.due = now + pause
        said = log.info if code == 0 else log.warning
        said("%s ended pid=%d code=%d again_in=%.1fs", place.post.name, child.pid, code, pause)
        return [child.owner]

    def _begin_end(self) -> None:
        self._ends = self.clock.boottime() + self.grace + MARGIN
        log.info("pool ends children=%d grace=%.0fs", len(self._living), self.grace)
        _send({place.child.pid for place in self._places if place.child is not None}, signal.SIGTERM)

    def _pause(self) -> float | None:
        """Seconds until something is to be done without a signal; None: nothing is."""
        now = self.clock.boottime()
        if self._ends is None:
            return min((max(0.0, place.due - now) for place in self._places if place.child is None), default=None)
        return max(0.0, self._ends - now)

    def _end_by_force(self) -> None:
        """Kill the children, and a second later whoever still buries them."""
        living = {place.child.pid for place in self._places if place.child is not None}
        log.warning("processes did not end in time and are killed children=%d", len(living))
        _send(living or self._helpers, signal.SIGKILL)
        self._ends = self.clock.boottime() + 1.0


def _send(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


class _Bell:
    """Waits for SIGCHLD, SIGTERM and SIGINT without a thread and without a race."""

    def __init__(self, note: Callable[[int, FrameType | None], None]) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._reader, selectors.EVENT_READ)
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in ENDING:
            signal.signal(number, note)

    def __enter__(self) -> _Bell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait(self, seconds: float | None) -> None:
        if self._selector.select(seconds):
            with suppress(BlockingIOError):
                while self._reader.recv(4096):
                    pass

    def close(self) -> None:
        """In a child, or at the end: hear nothing any more."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        self._reader.close()
        self._writer.close()
