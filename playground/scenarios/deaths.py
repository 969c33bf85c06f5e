"""Every death point of a scenario, found by playing it once, and each of them played by a real SIGKILL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """A point, and the prompt by which its model call is known. late: every run had settled by then."""

    point: DeathPoint
    on: str = ""
    late: bool = False


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
    story, happenings = bare(scenario), stage.happenings
    met: list[tuple[DeathPoint, int]] = []

    def note(point: DeathPoint, _pid: int | None) -> bool:
        met.append((point, happenings.count))
        return False

    def listen() -> None:
        stage.proxy.at_point = stage.effects.at_point = note

    played = Player(stage, story, lenient=True).play(regardless, ready=listen)
    if played.failures:
        raise AssertionError(f"{scenario.name} does not hold without any death: {'; '.join(played.failures)}")
    end = max((one.n for one in happenings.all("store.commit") if _ends(one)), default=happenings.count)
    found = [Placed(point, late=at > end) for point, at in met]
    return found + list(_calls(stage, end))


def _calls(stage: Stage, end: int) -> Iterator[Placed]:
    """The points at Slack and at Claude. end: the number of the happening with which the last run settled."""
    counter = Counter()
    for one in stage.happenings.all("slack.call.received"):
        if one["method"] in METHODS:
            nth = counter.next("slack", one["method"])
            yield from (Placed(DeathPoint("slack", one["method"], nth, side), late=one.n > end) for side in SIDES)
    for call in stage.claude.calls():
        turn, on = f"turn {call['turn']}", str(call["prompt"]).rsplit(">: ", 1)[-1]
        nth = counter.next("model", f"{turn}{on}")
        yield from (Placed(DeathPoint("model", turn, nth, side), on) for side in SIDES)


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


def _where(stage: Stage, point: DeathPoint, struck: Happening) -> str:
    """The point, and the last thing that was recorded before it."""
    last = [one for one in stage.happenings.all("store.commit") if one.n < struck.n]
    return f"{point} ({'after ' + last[-1]['words'] if last else 'before the first commit'})"


def _unsettled(stage: Stage, struck: Happening) -> bool:
    """Whether any run settled only later."""
    return any(one.n > struck.n for one in stage.happenings.all("store.commit") if _ends(one))


def _ends(one: Happening) -> bool:
    return one["head"].get("status") in (*SETTLED, "parked")
