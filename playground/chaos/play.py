"""One storm: a seed decides every interleaving, every fault and everything that people do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from playground.chaos.oracle import Oracle, Shop
from playground.chaos.people import People
from playground.chaos.tally import Tally
from playground.chaos.weather import Odds, Weather
from playground.simulation.baton import Baton
from playground.simulation.doubles import SimulatedSlack
from playground.simulation.fleet import Fleet
from playground.simulation.pool import Pool
from store.thread import ThreadId
from worker.agent import Agent
from worker.rules import Rule, Rules
from worker.services import Limits

LEASE, RENEWAL, GRACE, SWEEP = 10.0, 2.0, 10.0, 2.0
STORM = 100.0
"""Virtual seconds of bad weather; after that everything has to come to its end."""
CALM = 4_000.0
LOOK = 5.0


class ChaosPool(Pool):
    """Workers whose wakes get lost and come twice."""

    def __init__(self, fleet: Fleet, weather: Weather, draw: random.Random, tally: Tally, *, workers: int) -> None:
        super().__init__(fleet, weather.gate, workers=workers, sweep=SWEEP)
        self._weather, self._draw, self._tally = weather, draw, tally

    def ring(self, thread: str) -> bool:
        chance = self._draw.random()
        if not self._weather.calm and chance < 0.1:
            self._tally["wakes lost"] += 1
            return True
        if not self._weather.calm and chance < 0.2:
            self._tally["wakes doubled"] += 1
            super().ring(thread)
        return super().ring(thread)


class Storm:
    """A whole play of one seed. claims: each tenure, as (thread, epoch). clashes: commits that two owners made."""

    def __init__(self, seed: int, odds: Odds | None = None) -> None:
        self.seed, self.tally = seed, Tally()
        self.draw = random.Random(seed)
        self.weather = Weather(self.draw, odds or Odds(), self.tally, LEASE)
        self.model, self.shop, self.slack = Oracle(), Shop(self.weather), SimulatedSlack()
        self.fleet = Fleet(
            Agent(self.shop.tools(), "m", max_concurrent_tools=self.draw.choice((1, 2, 10))),
            self.model,
            limits=Limits(renewal=RENEWAL),
            rules=Rules((Rule("ask", "pay"),)),
            slack=self.slack,
            lease=LEASE,
            grace=GRACE,
            heard=self._heard,
            baton=Baton(random.Random(seed + 1)),
        )
        self.weather.fleet = self.model.fleet = self.shop.fleet = self.fleet
        self._owners: dict[str, str] = {}
        self.clashes: list[str] = []
        self.left: list[str] = []
        self.ended: set[str] = set()
        """Processes that a deploy asked to end."""

    def run(self) -> None:
        """Play it to its end. What did not come to an end stands in `left`."""
        self.fleet.run(self._play)

    def _play(self) -> None:
        self.pool = ChaosPool(self.fleet, self.weather, self.draw, self.tally, workers=2)
        self.people = People(self.fleet, self.draw, self.weather, self.tally, self.pool.ring)
        self.pool.start(1)
        self.people.begin(self.draw.randrange(6, 14))
        if self.draw.random() < 0.3:
            self.fleet.baton.start(self.fleet.host.process, "deploy", self._deploy)
        host = self.fleet.host
        host.threads.sleep(STORM)
        self.weather.calm = True
        host.threads.sleep(4 * LEASE)
        self.fleet.baton.wait_until(lambda: not self.people.busy, 200.0)
        self._finish()
        for member in self.fleet.members:
            if member is not host:
                member.process.dead = True

    def _deploy(self) -> None:
        """Every worker is asked to end, and others take their place."""
        self.fleet.host.threads.sleep(self.draw.uniform(5, 60))
        self.tally["deploys"] += 1
        for group in self.pool.groups:
            self.ended |= {member.process.name for member in group.workers}
            self.pool.leave_alone(group)
        self.pool.start(1)

    def _finish(self) -> None:
        """Answer what is open and resume what is parked, until nothing is left; people are patient, not for ever."""
        host = self.fleet.host
        until = self.fleet.baton.time + CALM
        while self.fleet.baton.time < until:
            host.threads.sleep(LOOK)
            due = [thread for thread in self.people.threads if self.fleet.owed_in(thread) is not None]
            if due:
                continue
            waits, parked = self.people.open_waits(), self._parked()
            if not waits and not parked:
                return
            for wait in waits:
                self.people.answer(wait, "U7", host)
            for thread, run in parked:
                host.store.admissions.order(thread, run, "resume", "U9")
                self.pool.ring(thread)
        self.left = [thread for thread in self.people.threads if self.fleet.owed_in(thread) is not None]

    def _parked(self) -> list[tuple[str, str]]:
        found = []
        for thread in self.people.threads:
            head = self.fleet.host.store.inventory.head(thread)
            for item in head.rest if head is not None else ():
                kind, _, run = item.partition(":")
                if kind == "parked":
                    found.append((thread, run))
        return found

    def _heard(self, process: Any, script: str, words: Sequence[Any], answer: Any) -> None:
        """Note who owns a thread, and whether anybody else's commit is taken."""
        if isinstance(answer, Exception):
            if str(answer).startswith("STALE") and script == "commit":
                self.tally["stale commits refused"] += 1
        elif script == "claim" and answer[0] == "CLAIMED":
            thread = _thread_of(str(words[3]))
            self._owners[thread] = str(answer[1])
            if answer[3] == "lapsed":
                self.tally["lapses"] += 1
        elif script == "commit":
            thread, epoch = _thread_of(str(words[3])), str(words[3 + int(words[2])])
            if epoch != self._owners.get(thread):
                self.clashes.append(f"{process.name} committed to {thread} under {epoch}")


def _thread_of(key: str) -> str:
    """The thread of one of its keys."""
    parts = key.split(":")
    return str(ThreadId(parts[1].strip("{}"), parts[3], parts[4]))


def play(seed: int, odds: Odds | None = None) -> Storm:
    """The storm of this seed, played to its end."""
    storm = Storm(seed, odds)
    storm.run()
    return storm
