"""Threads that run one at a time, in an order that is chosen, on time that only passes when everybody waits.

Each task is a real thread, but only the one that holds the baton runs; it hands the baton on wherever it waits.
So a whole fleet is deterministic: the same seed gives the same interleaving.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

START = 1_800_000_000.0
STUCK_AFTER = 30.0
"""Real seconds after which a task that never gives the baton back is a fault of the simulation."""


class Died(BaseException):
    """Raised in every task of a simulated process from the moment of its death."""


class Process:
    """One simulated operating-system process: it is alive, frozen or dead, and may be all three in turn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dead = self.frozen = False

    def check(self) -> None:
        if self.dead:
            raise Died(self.name)


class Task:
    """One thread of a process."""

    def __init__(self, baton: Baton, process: Process, name: str, work: Callable[[], None]) -> None:
        self.process, self.name, self._baton = process, name, baton
        self.turn = threading.Semaphore(0)
        self.wake_at: float | None = None
        self.ready: Callable[[], bool] = lambda: True
        self.over = False
        self.raised: BaseException | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run, daemon=True)  # noqa: TID251 - this is the seam itself
        self._thread.start()

    def join(self, timeout: float | None = None) -> None:
        self._baton.wait_until(lambda: self.over, timeout)

    def is_alive(self) -> bool:
        return not self.over

    def _run(self) -> None:
        self.turn.acquire()
        try:
            self.process.check()
            self._work()
        except Died:
            pass
        except BaseException as error:
            self.raised = error
        finally:
            self.over = True
            self._baton.pass_on(self)


class Baton:
    """The scheduler and clock of a simulation. Without a generator, tasks run in the order in which they began."""

    def __init__(self, choose: random.Random | None = None) -> None:
        self.time = START
        self._choose = choose
        self._tasks: list[Task] = []
        self._current: Task | None = None
        self._done = threading.Semaphore(0)

    @property
    def current_process(self) -> Process:
        """Whose task runs now."""
        return self._mine().process

    def run(self, process: Process, work: Callable[[], None]) -> None:
        """Run `work` as a process' first task, until every task has ended; what `work` raised is raised here."""
        first = self.start(process, "main", work)
        self._current = first
        first.turn.release()
        if not self._done.acquire(timeout=STUCK_AFTER):
            raise RuntimeError(
                f"the simulation is stuck in {first.name if self._current is None else self._current.name}"
            )
        for task in self._tasks:
            if task.raised is not None:
                raise task.raised
        self._tasks.clear()

    def start(self, process: Process, name: str, work: Callable[[], None]) -> Task:
        task = Task(self, process, f"{process.name}/{name}", work)
        self._tasks.append(task)
        return task

    def wait_until(self, ready: Callable[[], bool], timeout: float | None) -> bool:
        """Give the baton away until `ready()` or until `timeout` virtual seconds have passed."""
        me = self._mine()
        me.process.check()
        me.ready = ready
        me.wake_at = None if timeout is None else self.time + timeout
        self.pass_on(me)
        me.turn.acquire()
        me.wake_at = None
        me.process.check()
        return ready()

    def pause(self) -> None:
        """A point at which another task may be chosen to go on."""
        if self._choose is not None:
            self.wait_until(lambda: True, None)

    def pass_on(self, me: Task) -> None:
        """Hand the baton to a task that can run; when none can, let time pass until one can."""
        while True:
            waiting = [task for task in self._tasks if not task.over]
            if not waiting:
                self._done.release()
                return
            awake = [task for task in waiting if task.process.dead or not task.process.frozen]
            able = [task for task in awake if task.process.dead or task.ready() or self._due(task)]
            if able:
                chosen = able[0] if self._choose is None else self._choose.choice(able)
                chosen.ready = lambda: True
                self._current = chosen
                chosen.turn.release()
                return
            times = [task.wake_at for task in awake if task.wake_at is not None]
            if not times:
                names = ", ".join(task.name for task in waiting)
                me.raised = RuntimeError(f"every task waits for ever: {names}")
                self._done.release()
                return
            self.time = max(self.time, min(times))

    def _due(self, task: Task) -> bool:
        return task.wake_at is not None and task.wake_at <= self.time

    def _mine(self) -> Task:
        if self._current is None:
            raise RuntimeError("a simulated wait outside of any task")
        return self._current


class BatonEvent:
    """`store.ports.Event` under the baton."""

    def __init__(self, baton: Baton) -> None:
        self._baton, self._set = baton, False

    def set(self) -> None:
        self._set = True

    def clear(self) -> None:
        self._set = False

    def is_set(self) -> bool:
        return self._set

    def wait(self, timeout: float | None = None) -> bool:
        return self._set or self._baton.wait_until(lambda: self._set, timeout)


class BatonThreads:
    """`store.ports.Threads` for one simulated process."""

    def __init__(self, baton: Baton, process: Process) -> None:
        self._baton, self._process = baton, process

    def start(self, name: str, work: Callable[[], None]) -> Task:
        self._process.check()
        return self._baton.start(self._process, name, work)

    def event(self) -> BatonEvent:
        return BatonEvent(self._baton)

    def sleep(self, seconds: float) -> None:
        self._process.check()
        if seconds > 0:
            self._baton.wait_until(lambda: False, seconds)


class BatonClock:
    """`store.ports.Clock` on the baton's time; refuses the dead."""

    def __init__(self, baton: Baton, process: Process) -> None:
        self._baton, self._process = baton, process

    def now(self) -> float:
        self._process.check()
        return self._baton.time

    def boottime(self) -> float:
        self._process.check()
        return self._baton.time - START
