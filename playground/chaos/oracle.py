"""A Claude whose answers follow from what it is asked, and nothing else; and a shop whose effects are counted."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playground.chaos.weather import Weather
from playground.simulation.baton import Baton, Process
from playground.simulation.doubles import Gate, SeatedModel, SimulatedModel, open_gate
from playground.simulation.fleet import Fleet
from store.ports import ModelAnswer, ModelError, ModelRequest, Usage
from store.values import digest_of
from worker.tools.builtin import builtin_tools
from worker.tools.context import ToolContext
from worker.tools.tool import Replay, Tool, ToolError, Unknown, tool

MOST_TURNS = 4
QUESTION = {"title": "how", "questions": [{"question": "Which?", "choices": [{"label": "a"}, {"label": "b"}]}]}
PATIENT = QUESTION | {"minutes": 3}
PLAN = {"title": "it", "steps": ["one", "two"]}
USAGE = Usage(100, 10)


@dataclass
class Oracle(SimulatedModel):
    """asks: each call that was answered, as (digest of the request, the process that asked)."""

    answer: Callable[[ModelRequest], ModelAnswer] = field(init=False)
    fleet: Fleet = field(init=False)
    asks: list[tuple[str, str]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.answer = self._answer

    def seat(self, baton: Baton, process: Process, gate: Gate = open_gate) -> SeatedModel:
        return SeatedModel(self, baton, process, gate)

    def _answer(self, request: ModelRequest) -> ModelAnswer:
        digest = digest_of([list(request.messages), request.system, list(request.tools)])
        draw = random.Random(digest)
        self.takes = draw.choice((0.0, 0.0, 0.0, 2.0, 25.0))
        if draw.random() < 0.05 and digest not in self.refused:
            self.refused.add(digest)
            raise ModelError("overloaded", kind="busy", status=529, retry_after=1.0)
        self.asks.append((digest, self.fleet.baton.current_process.name))
        return _said(draw, _turns(request))


def _turns(request: ModelRequest) -> int:
    """How many answers of this run are there already: those behind the last message of a person."""
    turns = 0
    for message in request.messages:
        if message["role"] == "assistant":
            turns += 1
        elif not any(block.get("type") == "tool_result" for block in _blocks(message)):
            turns = 0
    return turns


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _said(draw: random.Random, turns: int) -> ModelAnswer:
    text = {"type": "text", "text": f"answer {draw.randrange(10**6)}"}
    if turns >= MOST_TURNS or draw.random() < 0.3:
        return ModelAnswer([text], "end_turn", USAGE, "m")
    calls = [_call(draw, n) for n in range(draw.choice((1, 1, 2, 3)))]
    return ModelAnswer([text, *calls], "tool_use", USAGE, "m")


def _call(draw: random.Random, number: int) -> dict[str, Any]:
    name = draw.choice(
        ("look", "put", "charge", "charge", "slow", "flaky", "pay", "append_note", "ask_user", "ask", "plan")
    )
    given: dict[str, dict[str, Any]] = {
        "append_note": {"note": f"n{draw.randrange(10**6)}"},
        "ask_user": QUESTION,
        "ask": PATIENT,
        "plan": PLAN,
    }
    named = {"ask": "ask_user", "plan": "present_plan"}.get(name, name)
    return {
        "type": "tool_use",
        "id": f"t{number}",
        "name": named,
        "input": given.get(name, {"n": draw.randrange(10**6)}),
    }


@dataclass
class Effect:
    """One execution of a tool's function, up to where it changed something."""

    key: str
    tool: str
    replay: Replay
    process: str


class Shop:
    """Tools that change something outside, each effect noted with the step key it was done under."""

    def __init__(self, weather: Weather) -> None:
        self._weather = weather
        self.effects: list[Effect] = []
        self.fleet: Fleet

    def tools(self) -> tuple[Tool, ...]:
        made = [
            self._tool("look", "safe"),
            self._tool("put", "idempotent"),
            self._tool("charge", "unsafe"),
            self._tool("slow", "unsafe", seconds=20.0, unknown="ask"),
            self._tool("flaky", "safe", fails=True),
            self._tool("pay", "unsafe"),
        ]
        wanted = ("append_note", "ask_user", "present_plan", "plan_progress")
        return (*made, *(found for found in builtin_tools() if found.name in wanted))

    def _tool(
        self, name: str, replay: Replay, seconds: float = 0.0, *, fails: bool = False, unknown: Unknown = "report"
    ) -> Tool:
        @tool(replay=replay, name=name, title=f"{name} {{n}}", unknown=unknown)
        def act(context: ToolContext, n: int) -> str:
            """Change something outside."""
            return self._act(context, name, replay, seconds, n, fails=fails)

        return act

    def _act(self, context: ToolContext, name: str, replay: Replay, seconds: float, n: int, *, fails: bool) -> str:
        process = self.fleet.baton.current_process
        member = next(one for one in self.fleet.members if one.process is process)
        under_way = self._weather.in_tool
        under_way[process.name] = under_way.get(process.name, 0) + 1
        try:
            self._weather.strike(member, "effect", "before")
            self.effects.append(Effect(context.key, name, replay, process.name))
            self._weather.strike(member, "effect", "after")
            if seconds:
                self.fleet.baton.wait_until(context.ending, seconds)
            self._weather.strike(member, "effect", "after")
        finally:
            under_way[process.name] -= 1
        if fails:
            raise ToolError(f"{name} does not work today")
        return f"{name} {n}"
