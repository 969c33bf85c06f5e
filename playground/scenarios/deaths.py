"""Every death point of a scenario, found by playing it once, and each of them played by a real SIGKILL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from playground.scenarios.bare import bare
from playground.scenarios.happenings import Happening
from playground.scenarios.judge import regardless
from playground.scenarios.player import Played, Player
from playground.scenarios.points import METHODS, Counter, DeathPoint, Side
from playground.scenarios.scenario import Scenario
from playground.scenarios.stage import Stage
from playground.scenarios.striker import Reach, Striker
from store.lifecycle import SETTLED

SIDES: tuple[Side, ...] = ("before", "after")


@dataclass(frozen=True, slots=True)
class Placed:
    """A point, and the prompt by which its model call is known."""

    point: DeathPoint
    on: str = ""


@dataclass(frozen=True, slots=True)
class Death:
    """One play with a death in it. where: what was hit, in words; '' when the point was never reached.

    unsettled: whether a run was under way when it hit.
    """

    placed: Placed
    reach: Reach
    where: str
    unsettled: bool
    played: Played


def survey(stage: Stage, scenario: Scenario) -> list[Placed]:
    """The points of one play without faults: before and after each commit, Slack call, model call and effect."""
    story = bare(scenario)
    found: list[Placed] = []

    def note(point: DeathPoint, _pid: int | None) -> bool:
        found.append(Placed(point))
        return False

    def listen() -> None:
        stage.proxy.at_point = stage.effects.at_point = note

    played = Player(stage, story, lenient=True).play(regardless, ready=listen)
    if played.failures:
        raise AssertionError(f"{scenario.name} does not hold without any death: {'; '.join(played.failures)}")
    counter = Counter()
    for call in stage.slack.calls():
        if call["method"] in METHODS:
            nth = counter.next("slack", call["method"])
            found += [Placed(DeathPoint("slack", call["method"], nth, side)) for side in SIDES]
    for call in stage.claude.calls():
        turn, on = f"turn {call['turn']}", str(call["prompt"]).rsplit(">: ", 1)[-1]
        nth = counter.next("model", f"{turn}{on}")
        found += [Placed(DeathPoint("model", turn, nth, side), on) for side in SIDES]
    return found


def die_at(stage: Stage, scenario: Scenario, placed: Placed, reach: Reach = "caller", name: str = "") -> Death:
    """Play the scenario without its own faults, and with this one."""
    striker = Striker(stage, placed.point, reach, on=placed.on)
    played = Player(stage, bare(scenario), name=name, lenient=True).play(regardless, ready=striker.arm)
    striker.rest()
    stage.happenings.tell("play.over")
    struck = striker.struck
    where = "" if struck is None else _where(stage, placed.point, struck)
    return Death(placed, reach, where, struck is not None and _unsettled(stage, struck), played)


def spread(points: Sequence[Placed], most: int) -> list[Placed]:
    """At most so many of them, spread evenly."""
    if len(points) <= most:
        return list(points)
    return [points[round(n * (len(points) - 1) / max(1, most - 1))] for n in range(most)]


Tell = Callable[[Death], None]


def _where(stage: Stage, point: DeathPoint, struck: Happening) -> str:
    """The point, and the last thing that was recorded before it."""
    last = [one for one in stage.happenings.all("store.commit") if one.n < struck.n]
    return f"{point} ({'after ' + last[-1]['words'] if last else 'before the first commit'})"


def _unsettled(stage: Stage, struck: Happening) -> bool:
    """Whether any run settled only later."""
    ends = [one for one in stage.happenings.all("store.commit") if one["head"].get("status") in (*SETTLED, "parked")]
    return any(one.n > struck.n for one in ends)
