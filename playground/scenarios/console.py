"""`everthread scenario FILE…`: play scenario files, and say what was seen and what does not hold."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from playground.scenarios import crowd, recovery, simulated
from playground.scenarios.chaos import storm
from playground.scenarios.deaths import Death, die_at, survey
from playground.scenarios.player import Played, Player
from playground.scenarios.programme import Programme, as_they_stand, for_deaths, for_simulation
from playground.scenarios.reading import ScenarioError, read
from playground.scenarios.scenario import Scenario
from playground.scenarios.stage import Stage
from playground.scenarios.suite import Job, Suite
from playground.scenarios.teller import Teller
from playground.standins.slack.settings import Transport

STAGES = 4
"""Stages side by side, where there is work for them."""
TRANSPORTS: dict[str, tuple[Transport, ...]] = {"socket": ("socket",), "http": ("http",), "both": ("socket", "http")}
USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """0 when everything holds, 1 when something does not, 2 when it cannot be played."""
    given = _parser().parse_args(arguments)
    try:
        scenarios = [read(path) for path in given.files]
    except ScenarioError as error:
        print(f"everthread scenario: {error}", file=sys.stderr)
        return USAGE
    if given.recovery:
        return recovery.measure(given.recovery)
    if given.crowd:
        return crowd.measure(given.crowd)
    if not scenarios:
        print("everthread scenario: name at least one file", file=sys.stderr)
        return USAGE
    try:
        return _run(scenarios, given)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="everthread scenario", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="one JSON object a play, on standard output")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the processes' logs and the store's files here")
    parser.add_argument("--workers", type=int, metavar="N", help="worker processes of each group; 1 unless given")
    parser.add_argument("--speed", choices=("fast", "realtime"), default="fast", help="realtime: by their commands")
    parser.add_argument("--transport", choices=tuple(TRANSPORTS), default="socket", help="between Slack and the bots")
    parser.add_argument("--simulate", action="store_true", help="every death point, in one process on virtual time")
    parser.add_argument("--deaths", action="store_true", help="every death point, by a real SIGKILL")
    parser.add_argument("--chaos", nargs=2, metavar=("SEED", "N"), help="N plays with a kill at a random point")
    parser.add_argument("--recovery", type=int, metavar="N", help="measure N recoveries and first replies")
    parser.add_argument("--crowd", type=int, metavar="N", help="measure N runs at once under Slack's rate tiers")
    return parser


def _run(scenarios: Sequence[Scenario], given: argparse.Namespace) -> int:
    say = Teller(as_json=given.json, drawn=bool(given.chaos))
    if given.simulate:
        programme = _announced(for_simulation(scenarios), say)
        for found in simulated.everywhere(programme.plays):
            say.simulated(found)
        if not (given.deaths or given.chaos):
            return say.end()
    jobs = _jobs(scenarios, given, say)
    suite: Suite[Played | Death] = Suite(partial(_stage, given), min(STAGES, len(jobs)))
    for said in suite.run(jobs):
        say.played(said) if isinstance(said, Played) else say.died(said)
    return say.end()


def _jobs(scenarios: Sequence[Scenario], given: argparse.Namespace, say: Teller) -> list[Job[Played | Death]]:
    """What is to be done on a stage, one job a scenario and transport."""
    transports = TRANSPORTS[given.transport]
    if given.deaths:
        return [partial(_deaths, scenario) for scenario in _announced(for_deaths(scenarios, transports), say).plays]
    if given.chaos:
        seed, times = given.chaos[0], int(given.chaos[1])
        programme = _announced(for_deaths(scenarios, transports), say)
        return [partial(_storm, scenario, seed, times) for scenario in programme.plays]
    programme = _announced(as_they_stand(scenarios, transports), say)
    return [partial(_play, scenario) for scenario in sorted(programme.plays, key=_length)]


def _announced(programme: Programme, say: Teller) -> Programme:
    for left in programme.left:
        say.left_out(left)
    return programme


def _stage(given: argparse.Namespace, number: int) -> Stage:
    keep = given.keep / f"stage-{number}" if given.keep else None
    return Stage(fresh=given.speed == "realtime", keep=keep, workers=given.workers)


def _play(scenario: Scenario, stage: Stage) -> Iterator[Played]:
    yield Player(stage, scenario).play()


def _storm(scenario: Scenario, seed: str, times: int, stage: Stage) -> Iterator[Death]:
    return storm(stage, scenario, seed, times)


def _deaths(scenario: Scenario, stage: Stage) -> Iterator[Death]:
    for n, placed in enumerate(survey(stage, scenario)):
        yield die_at(stage, scenario, placed, name=f"-death-{n}")


def _length(scenario: Scenario) -> float:
    """The longest first, so that no stage is left with one at the end."""
    busy = sum(float(step.acts.get("fault", {}).get("slack", {}).get("seconds", 0)) for step in scenario.play)
    return -float(scenario.settings.get("EVERTHREAD_LEASE", 0)) - busy - len(scenario.play) / 10
