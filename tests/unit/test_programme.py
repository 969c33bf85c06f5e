"""What of the given files is played, and that whatever is not is said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from playground.scenarios.player import Played
from playground.scenarios.programme import Programme, as_they_stand, for_deaths, for_simulation
from playground.scenarios.scenario import Scenario, Step
from playground.scenarios.seen import Seen
from playground.scenarios.simulated import Found
from playground.scenarios.teller import Teller


def a(name: str, **more: Any) -> Scenario:
    play = (Step({"says": more.pop("says", name)}),)
    return Scenario(path=Path(f"{name}.yaml"), title=name, play=play, **more)


def plays(programme: Programme) -> list[tuple[str, str]]:
    return [(one.name, one.transport) for one in programme.plays]


def left(programme: Programme) -> list[str]:
    return [str(one) for one in programme.left]


def test_a_scenario_is_played_over_each_transport_that_is_asked_for_and_that_it_is_for() -> None:
    programme = as_they_stand([a("any"), a("drops", transports=("socket",))], ("socket", "http"))

    assert plays(programme) == [("any", "socket"), ("any", "http"), ("drops", "socket")]
    assert left(programme) == ["drops: not over http: it is about socket alone"]


def test_one_that_is_played_as_it_stands_is_not_simulated_and_that_is_said() -> None:
    programme = for_simulation([a("any"), a("stands", as_is=True)])

    assert [one.name for one in programme.plays] == ["any"]
    assert left(programme) == ["stands: not simulated: it is for a play as it stands (as_is)"]


def test_deaths_are_placed_in_each_story_once_over_each_transport() -> None:
    given = [a("one", says="hello"), a("two", says="hello"), a("stands", as_is=True), a("other")]

    programme = for_deaths(given, ("http",))

    assert plays(programme) == [("one", "http"), ("other", "http")]
    assert left(programme) == [
        "two: no deaths over http: without its own faults it is the same as one",
        "stands: no deaths over http: it is for a play as it stands (as_is)",
    ]
    assert len(for_deaths(given, ("socket", "http")).plays) == 4


@pytest.mark.parametrize(
    ("played", "left_out", "code", "said"),
    [
        (["socket"], 0, 0, "1 plays · 1 over socket · all hold"),
        (["http", "socket", "http"], 1, 0, "3 plays · 1 over socket · 2 over http · 1 left out · all hold"),
        ([], 1, 2, "nothing was played · 1 left out"),
    ],
)
def test_the_last_line_counts_what_was_played_and_what_was_not(
    capsys: pytest.CaptureFixture[str], played: Sequence[Any], left_out: int, code: int, said: str
) -> None:
    teller = Teller(as_json=False, drawn=False)
    for one in for_simulation([a("stands", as_is=True)] * left_out).left:
        teller.left_out(one)
    for transport in played:
        teller.played(Played(a("any").over(transport), Seen(), [], 0.1))

    assert teller.end() == code
    assert capsys.readouterr().out.splitlines()[-1] == said


def test_what_does_not_hold_is_counted_and_ends_in_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    teller = Teller(as_json=False, drawn=False)
    teller.simulated(Found("any", 3, ["death 1, here: replies: 2, not 1"], 0.1))
    teller.played(Played(a("any"), Seen(), ["replies: 2, not 1"], 0.1))

    assert teller.end() == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "5 plays · 4 simulated · 1 over socket · 3 death points · 2 failed"
    )
