"""A simulated fleet with a scripted model, for tests that kill."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from playground.simulation.baton import Died
from playground.simulation.doubles import Gate, SimulatedModel
from playground.simulation.fleet import Fleet, Member
from store.ports import ModelAnswer, ModelRequest, Usage
from store.record import Record, read_log
from worker.agent import Agent
from worker.services import Limits
from worker.tools.tool import Tool

THREAD = "T1/C1/1700000000.000100"
Answer = ModelAnswer | BaseException


def says(text: str, *, stop: str = "end_turn") -> ModelAnswer:
    return ModelAnswer([{"type": "text", "text": text}], stop, Usage(100, 10), "m")


def calls(*wanted: tuple[str, dict[str, Any]], ids: Sequence[str] = (), stop: str = "tool_use") -> ModelAnswer:
    blocks = [
        {"type": "tool_use", "id": ids[n] if ids else f"t{n}", "name": name, "input": given}
        for n, (name, given) in enumerate(wanted)
    ]
    return ModelAnswer(blocks, stop, Usage(100, 10), "m")


def script(*answers: Answer | list[Answer]) -> Callable[[ModelRequest], ModelAnswer]:
    """One answer per turn, by the content of the request; a list gives the turn's attempts one after the other."""
    turns = [list(answer) if isinstance(answer, list) else [answer] for answer in answers]

    def answer(request: ModelRequest) -> ModelAnswer:
        attempts = turns[sum(1 for message in request.messages if message["role"] == "assistant")]
        found = attempts.pop(0) if len(attempts) > 1 else attempts[0]
        if isinstance(found, BaseException):
            raise found
        return found

    return answer


def fits(wanted: str, call: str) -> bool:
    """Whether every word of `wanted` is one of the call's; the name of the wait that a card is about is left out."""
    return set(wanted.split()) <= set(re.sub(r"\.w[0-9a-f]{16}(?:\.\d+)?", "", call).split())


class Killer:
    """Kills its worker at the n-th such call, before or after it takes effect.

    call: `model`, `post`, `edit`, `claim`, or a commit by what it records: `commit tool.done`.
    """

    def __init__(self, call: str, side: str, nth: int = 1) -> None:
        self.call, self.side, self.nth = call, side, nth
        self.hit = False
        self.member: Member | None = None

    def __call__(self, call: str, side: str) -> None:
        if side == self.side and fits(self.call, call):
            self.nth -= 1
            if self.nth == 0:
                self.hit = True
                assert self.member is not None
                self.member.process.dead = True
                raise Died(self.call)


class World:
    """What a test looks at after a play."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.tenures = 0

    def play(self, text: str, *gates: Gate, more: Sequence[str] = ()) -> dict[str, Any]:
        """Say it, work it off through these deaths, and answer the run's outcome."""
        found: dict[str, Any] = {}

        def act() -> None:
            said = [self.fleet.say(THREAD, words, n=n + 1) for n, words in enumerate([text, *more])]
            self.tenures = self.fleet.work_off(THREAD, gates)
            found.update(self.fleet.host.store.admissions.outcome("T1", said[0].run) or {})

        self.fleet.run(act)
        return found

    @property
    def log(self) -> list[Record]:
        return read_log(THREAD, self.raw_log)

    @property
    def raw_log(self) -> list[str]:
        with self.fleet.virtual_time():
            return self.fleet.outside.log.read(THREAD)


@pytest.fixture
def world() -> Callable[..., World]:
    def make(
        *answers: Answer | list[Answer], tools: Sequence[Tool] = (), limits: Limits | None = None, **agent: Any
    ) -> World:
        return World(Fleet(Agent(tuple(tools), "m", **agent), SimulatedModel(script(*answers)), limits=limits))

    return make
