"""`everthread scenario FILE…`: play scenario files, and say what was seen and what does not hold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from playground.scenarios import crowd, recovery, simulated
from playground.scenarios.bare import same_story
from playground.scenarios.chaos import UNSETTLED_SHARE, storm
from playground.scenarios.deaths import Death, die_at, survey
from playground.scenarios.player import Played, Player
from playground.scenarios.reading import ScenarioError, read
from playground.scenarios.report import as_json, lines
from playground.scenarios.scenario import Scenario
from playground.scenarios.stage import Stage
from playground.scenarios.suite import Job, Suite

STAGES = 3
"""Stages side by side, where there is work for them."""
USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """0 when everything holds, 1 when something does not, 2 when it cannot be played."""
    given = _parser().parse_args(arguments)
    if given.transport == "http":
        print("everthread scenario: --transport http comes with signed HTTP; there is only socket now", file=sys.stderr)
        return USAGE
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
    parser.add_argument("--transport", choices=("socket", "http"), default="socket")
    parser.add_argument("--simulate", action="store_true", help="every death point, in one process on virtual time")
    parser.add_argument("--deaths", action="store_true", help="every death point, by a real SIGKILL")
    parser.add_argument("--chaos", nargs=2, metavar=("SEED", "N"), help="N plays with a kill at a random point")
    parser.add_argument("--recovery", type=int, metavar="N", help="measure N recoveries and first replies")
    parser.add_argument("--crowd", type=int, metavar="N", help="measure N runs at once under Slack's rate tiers")
    return parser


def _run(scenarios: Sequence[Scenario], given: argparse.Namespace) -> int:
    say = _Teller(as_json=given.json, drawn=bool(given.chaos))
    if given.simulate:
        for found in simulated.everywhere(scenarios):
            say.simulated(found)
        if not (given.deaths or given.chaos):
            return say.end()
    suite: Suite[Played | Death] = Suite(partial(_stage, given), min(STAGES, len(scenarios)))
    for said in suite.run(_jobs(scenarios, given)):
        say.played(said) if isinstance(said, Played) else say.died(said)
    return say.end()


def _jobs(scenarios: Sequence[Scenario], given: argparse.Namespace) -> list[Job[Played | Death]]:
    """What is to be done on a stage, one job a scenario."""
    if given.deaths:
        return [partial(_deaths, scenario) for scenario in _once_each(scenarios)]
    if given.chaos:
        seed, times = given.chaos[0], int(given.chaos[1])
        return [partial(_storm, scenario, seed, times) for scenario in _once_each(scenarios)]
    return [partial(_play, scenario) for scenario in sorted(scenarios, key=_length)]


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


def _once_each(scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Without those that differ from an earlier one only in their own faults, or are played as they stand only."""
    taken = [scenario for scenario in reversed(scenarios) if not scenario.as_is]
    return list({same_story(scenario): scenario for scenario in taken}.values())[::-1]


def _length(scenario: Scenario) -> float:
    """The longest first, so that no stage is left with one at the end."""
    return -float(scenario.settings.get("EVERTHREAD_LEASE", 0)) - len(scenario.play) / 10


class _Teller:
    """Prints as things happen, and sums up. drawn: points are drawn, so most must find a run under way."""

    def __init__(self, *, as_json: bool, drawn: bool) -> None:
        self._json, self._drawn = as_json, drawn
        self._plays = self._failed = self._points = self._hits = self._unsettled = 0

    def played(self, played: Played) -> None:
        self._count(played)
        print(json.dumps(as_json(played)) if self._json else "\n".join(lines(played)), flush=True)

    def died(self, death: Death) -> None:
        self._count(death.played)
        self._points += 1
        self._hits += bool(death.where)
        self._unsettled += death.unsettled
        if self._json:
            about = {"point": str(death.placed.point), "reach": death.reach, "where": death.where}
            print(json.dumps(as_json(death.played) | about | {"unsettled": death.unsettled}), flush=True)
            return
        name, where = death.played.scenario.name, death.where or f"{death.placed.point}: not reached this time"
        state = "" if death.unsettled or not death.where else "; nothing was under way"
        mark = "fail" if death.played.failures else "ok"
        print(f"{mark:<5}{name}: {death.reach} dies {where}{state} ({death.played.seconds:.1f} s)", flush=True)
        for failure in death.played.failures:
            print(f"     ✗ {failure}", flush=True)

    def simulated(self, found: simulated.Found) -> None:
        self._plays += found.points + 1
        self._points += found.points
        self._failed += len(found.failures)
        if self._json:
            print(json.dumps(found.as_json()), flush=True)
            return
        mark = "fail" if found.failures else "ok"
        print(f"{mark:<5}{found.name}: {found.points} death points simulated in {found.seconds:.1f} s", flush=True)
        for failure in found.failures:
            print(f"     ✗ {failure}", flush=True)

    def end(self) -> int:
        """The last line, and the exit code."""
        few = self._drawn and self._unsettled < UNSETTLED_SHARE * self._hits
        parts = [f"{self._plays} plays"]
        parts += [f"{self._points} death points"] if self._points else []
        parts += [f"{self._hits} hit, {self._unsettled} of them a run under way"] if self._hits else []
        parts += [f"{self._failed} failed" if self._failed else "all hold"]
        if not self._json:
            print(" · ".join(parts), flush=True)
        return 1 if self._failed or few else 0

    def _count(self, played: Played) -> None:
        self._plays += 1
        self._failed += bool(played.failures)
