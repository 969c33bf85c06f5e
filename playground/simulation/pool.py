"""Worker groups and bots of a fleet at work on virtual time: rings, sweeps, burials, replacements."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from playground.simulation.doubles import Gate
from playground.simulation.fleet import Fleet, Member
from store.errors import StoreUnavailableError
from worker.process.sweep import Sweep

BURIAL, START = 0.02, 0.05
"""Seconds until a parent has told of a child's death, and until its replacement works."""
MOST_MEMBERS = 200
MakeGate = Callable[[], Gate]


@dataclass(slots=True)
class Group:
    """A supervisor's workers and its sweep. alone: the supervisor is gone, so nobody is buried or replaced."""

    workers: list[Member] = field(default_factory=list)
    sweep: Member | None = None
    alone: bool = False

    @property
    def members(self) -> list[Member]:
        return [*self.workers, *([self.sweep] if self.sweep else [])]


class Pool:
    """Every group of a fleet, over one queue of wakes."""

    def __init__(self, fleet: Fleet, gate: MakeGate, *, workers: int, sweep: float) -> None:
        self._fleet, self._gate, self._workers, self._sweep_every = fleet, gate, workers, sweep
        self.groups: list[Group] = []
        self._wakes: deque[str] = deque()
        self._free = 0

    def ring(self, thread: str) -> bool:
        self._wakes.append(thread)
        return True

    def start(self, count: int) -> None:
        """Start so many groups."""
        for _ in range(count):
            group = Group()
            self.groups.append(group)
            for _ in range(self._workers):
                self._start_worker(group)
            self._start_sweep(group)

    def group_of(self, member: Member) -> Group:
        return next(group for group in self.groups if member in group.workers)

    def leave_alone(self, group: Group) -> None:
        """Its supervisor died: the workers are asked to end, and nobody takes their place."""
        group.alone = True
        for member in group.workers:
            if not member.process.dead:
                member.drain.begin()
        if group.sweep is not None:
            group.sweep.process.dead = True

    def _start_worker(self, group: Group) -> None:
        if len(self._fleet.members) > MOST_MEMBERS:
            raise RuntimeError("the simulated workers die faster than anything can be done")
        member = self._fleet.member(f"worker{len(self._fleet.members)}", self._gate())
        group.workers.append(member)
        self._fleet.baton.start(member.process, "work", partial(self._serve, member))
        self._fleet.baton.start(
            self._fleet.host.process, f"parent of {member.process.name}", partial(self._watch, group, member)
        )

    def _start_sweep(self, group: Group) -> None:
        member = self._fleet.member(f"sweep{len(self._fleet.members)}", self._gate())
        group.sweep = member
        sweep = Sweep(member.store, self.ring, lambda: self._free, alive=lambda: True, name=member.process.name)
        self._fleet.baton.start(member.process, "sweep", lambda: sweep.run(member.threads.event(), self._sweep_every))

    def _serve(self, member: Member) -> None:
        """Take wakes one after the other, until asked to end."""
        member.threads.sleep(START)
        while True:
            self._free += 1
            try:
                self._fleet.baton.wait_until(lambda: bool(self._wakes) or member.drain.begun, None)
            finally:
                self._free -= 1
            if member.drain.begun:
                return
            if self._wakes:
                with suppress(StoreUnavailableError):  # the job is noted as failed; the thread stays owed
                    member.work(self._wakes.popleft())

    def _watch(self, group: Group, member: Member) -> None:
        """The parent's part: bury a child that died, ring for what it held, start another one."""
        self._fleet.baton.wait_until(lambda: member.process.dead or member.drain.begun, None)
        if member.drain.begun and not member.process.dead:
            return
        self._fleet.host.threads.sleep(BURIAL)
        if group.alone or group.sweep is None or group.sweep.process.dead:
            return
        for thread in self._fleet.host.store.leases.bury(member.owner):
            self.ring(thread)
        group.workers.remove(member)
        self._start_worker(group)
