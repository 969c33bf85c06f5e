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
    """So many plays in which a run under way is hit; the same seed draws the same points of the same survey.

    Points at which every run has settled are not drawn. A play whose point was not reached, or came too late this
    time, is judged all the same, and another point is drawn in its place.
    """
    draw = random.Random(f"{seed} {scenario.name}")
    points = [placed for placed in survey(stage, scenario) if not placed.late]
    for n in range(times):
        for again in range(MISSES):
            death = die_at(stage, scenario, draw.choice(points), draw.choice(REACHES), f"-chaos-{n}-{again}")
            yield death
            if death.unsettled:
                break
