"""Every shipped scenario with a death at every call that leaves a process, before and after it takes effect."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.scenarios.bare import same_story
from playground.scenarios.judge import failures
from playground.scenarios.reading import read
from playground.scenarios.scenario import Scenario
from playground.scenarios.simulated import deaths
from playground.scenarios.simulated_play import SimulatedPlay

FILES = sorted((Path(__file__).parents[2] / "playground" / "scenarios").glob("*.yaml"))
SHIPPED = [scenario for scenario in map(read, FILES) if not scenario.as_is]
STORIES = list({same_story(scenario): scenario for scenario in SHIPPED}.values())
EVERYWHERE = ("answer", "kill-in-unsafe-tool", "lost-post", "stop-during")
"""In these a process dies at each of its points here; in the others at some, and at each in `make deaths`."""
SOME = 3


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """A death is told in the log by design; here there are hundreds."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.clause("RUN-1", "RUN-2", "STEP-4", "TOOL-2", "TOOL-5", "WORK-2", "ADMIT-3", "STOP-1", "RUN-8")
@pytest.mark.parametrize("scenario", SHIPPED, ids=lambda scenario: scenario.name)
def test_a_scenario_holds_in_a_simulated_fleet(scenario: Scenario) -> None:
    assert failures(scenario, SimulatedPlay(scenario).run()) == []


@pytest.mark.clause("RUN-1", "RUN-2", "RUN-11", "STEP-2", "STEP-4", "STEP-6", "TOOL-4", "TOOL-5")
@pytest.mark.clause("REPLY-2", "WORK-2", "ADMIT-1", "WAIT-1", "WAIT-2")
@pytest.mark.timeout(240)
@pytest.mark.parametrize("scenario", STORIES, ids=lambda scenario: scenario.name)
def test_a_death_at_any_point_repeats_nothing_and_loses_nothing(scenario: Scenario) -> None:
    found = list(deaths(scenario) if scenario.name in EVERYWHERE else deaths(scenario, SOME))
    assert len(found) >= SOME
    assert [(where, wrong) for where, wrong in found if wrong] == []
