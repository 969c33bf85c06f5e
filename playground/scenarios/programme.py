"""What of the given files is to be played, and what is left out and why: nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from playground.scenarios.bare import same_story
from playground.scenarios.scenario import Scenario
from playground.standins.slack.settings import Transport

AS_IS = "it is for a play as it stands (as_is)"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not done with a scenario. what: such as `not over http`; why: in words."""

    name: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}: {self.why}"


@dataclass(frozen=True, slots=True)
class Programme:
    """Each scenario with the transport of its play, and all that is not played."""

    plays: list[Scenario] = field(default_factory=list)
    left: list[LeftOut] = field(default_factory=list)


def as_they_stand(scenarios: Iterable[Scenario], transports: Sequence[Transport]) -> Programme:
    """Each over every one of these transports over which it holds."""
    programme = Programme()
    for scenario in scenarios:
        for transport in transports:
            if transport in scenario.transports:
                programme.plays.append(scenario.over(transport))
            else:
                alone = ", ".join(scenario.transports)
                programme.left.append(LeftOut(scenario.name, f"not over {transport}", f"it is about {alone} alone"))
    return programme


def for_simulation(scenarios: Iterable[Scenario]) -> Programme:
    """Those that are not for one play alone; a simulation knows no transport."""
    programme = Programme()
    for scenario in scenarios:
        if scenario.as_is:
            programme.left.append(LeftOut(scenario.name, "not simulated", AS_IS))
        else:
            programme.plays.append(scenario)
    return programme


def for_deaths(scenarios: Iterable[Scenario], transports: Sequence[Transport]) -> Programme:
    """Every story once over each transport: deaths take the place of a scenario's own faults."""
    whole = as_they_stand(scenarios, transports)
    programme, told = Programme(left=whole.left), dict[Hashable, str]()
    for scenario in whole.plays:
        what = f"no deaths over {scenario.transport}"
        if scenario.as_is:
            programme.left.append(LeftOut(scenario.name, what, AS_IS))
            continue
        first = told.setdefault((same_story(scenario), scenario.transport), scenario.name)
        if first == scenario.name:
            programme.plays.append(scenario)
        else:
            programme.left.append(LeftOut(scenario.name, what, f"without its own faults it is the same as {first}"))
    return programme
