"""A scenario played again and again with a kill at a random point, of one process, of its group, or of everything."""

from __future__ import annotations

import random
from collections.abc import Iterator

from playground.scenarios.deaths import Death, die_at, survey
from playground.scenarios.scenario import Scenario
from playground.scenarios.stage import Stage
from playground.scenarios.striker import Reach

REACHES: tuple[Reach, ...] = ("caller",) * 8 + ("group", "all")
UNSETTLED_SHARE = 0.8
"""Of all hits, how many must find a run under way."""
MISSES = 5
"""How often another point is drawn when one was not reached."""


def storm(stage: Stage, scenario: Scenario, seed: str, times: int) -> Iterator[Death]:
    """So many plays, each with a death; the same seed draws the same points of the same survey.

    A hit on a run that had settled is played and judged, but another is drawn in its place, as long as four of five
    hit a run under way.
    """
    draw = random.Random(f"{seed} {scenario.name}")
    points = survey(stage, scenario)
    settled = 0
    for n in range(times):
        for again in range(MISSES):
            death = die_at(stage, scenario, draw.choice(points), draw.choice(REACHES), f"-chaos-{n}-{again}")
            yield death
            if death.unsettled:
                break
            settled += bool(death.where)
            if settled > times * (1 - UNSETTLED_SHARE):
                points = [placed for placed in points if placed != death.placed] or points
