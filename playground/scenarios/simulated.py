"""Every death point of a scenario, one after the other, in one process on virtual time."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from time import perf_counter
from typing import Any

from playground.scenarios.judge import failures, regardless
from playground.scenarios.scenario import Scenario
from playground.scenarios.simulated_play import SimulatedPlay

MOST = 5_000


@dataclass(frozen=True, slots=True)
class Found:
    """What came of all points of one scenario."""

    name: str
    points: int
    failures: list[str]
    seconds: float

    def as_json(self) -> dict[str, Any]:
        return {
            "scenario": self.name,
            "points": self.points,
            "ok": not self.failures,
            "failures": self.failures,
            "seconds": round(self.seconds, 3),
        }


def every_death(scenario: Scenario) -> Found:
    """First without a death beside its own, then with one at every call, before and after it takes effect."""
    began = perf_counter()
    wrong = failures(scenario, SimulatedPlay(scenario).run())
    points = 0
    for hit, found in deaths(scenario):
        points += 1
        wrong += [f"death {points}, {hit}: {what}" for what in found]
    return Found(scenario.name, points, wrong, perf_counter() - began)


def everywhere(scenarios: Sequence[Scenario], processes: int = 2) -> Iterator[Found]:
    """All of them, on so many cores; as they are done."""
    with ProcessPoolExecutor(processes, get_context("spawn"), logging.disable, (logging.CRITICAL,)) as pool:
        for done in as_completed([pool.submit(every_death, scenario) for scenario in scenarios]):
            yield done.result()


def deaths(scenario: Scenario, most: int = MOST) -> Iterator[tuple[str, list[str]]]:
    """Each point in words, and what does not hold after a death there; at most so many, spread evenly."""
    for number in _numbers(scenario, most):
        play = SimulatedPlay(scenario, number)
        seen = play.run()
        if not play.hit:
            return
        yield play.hit, regardless(scenario, seen)


def _numbers(scenario: Scenario, most: int) -> Sequence[int]:
    if most == MOST:
        return range(1, MOST)
    play = SimulatedPlay(scenario)
    play.run()
    few = min(most, play.points)
    return [1 + at * (play.points - 1) // max(1, few - 1) for at in range(few)]
