"""Claude and the effects of a scenario in one process, on virtual time, telling what happens to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from everthread.answering import answerers_of, approvers_of
from everthread.settings import Settings
from playground.scenarios.effects import filled, output
from playground.scenarios.happenings import Happenings
from playground.scenarios.scenario import Scenario, ToolPlan
from playground.scenarios.seen import SeenEffect
from playground.scenarios.tools import answered, arguments_of, make
from playground.simulation.baton import Baton, Process
from playground.simulation.doubles import Gate, open_gate
from playground.standins.claude.claude import StandinClaude
from playground.standins.claude.refused import Refused
from playground.standins.claude.transcript import Json
from store.ports import Cut, Delta, ModelAnswer, ModelError, ModelRequest, Usage
from worker.agent import Agent
from worker.tools.builtin import builtin_tools
from worker.tools.context import ToolContext
from worker.tools.tool import ToolError

FOR_EVER = 3600.0
Stand = Callable[[str, int, Process], None]
"""`stand(how, turn, process)`: a call reached this place, and stands still while somebody wants it to."""


@dataclass(slots=True)
class ModelCall:
    """One call of the simulated Claude. digest: what was asked; process: who asked; whole: it was answered."""

    digest: str
    process: Process
    whole: bool = False


@dataclass
class ScriptedClaude:
    """The stand-in's own script and checks behind the `Model` seam. lasts: seconds between the halves of an answer."""

    model: tuple[Mapping[str, Any], ...]
    lasts: float = 0.0
    stand: Stand = lambda _how, _turn, _process: None
    calls: list[ModelCall] = field(default_factory=list)
    asked: list[Json] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._claude = StandinClaude()
        self._claude.follow(self.model)

    def seat(self, baton: Baton, process: Process, gate: Gate = open_gate) -> SeatedClaude:
        return SeatedClaude(self, baton, process, gate)

    def answer(self, request: ModelRequest) -> tuple[Json, str, int]:
        """The answer as the service gives it without streaming, what it is counted by, and its turn."""
        body: Json = {
            "model": request.model,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "tools": list(request.tools),
            "messages": list(request.messages),
            "thinking": {"type": "adaptive", "display": "summarized"},
        }
        try:
            transcript = self._claude.read(body)
            turn, number = self._claude.turn(transcript)
        except Refused as refused:
            self.violations.append(refused.message)
            raise ModelError(refused.message, kind="invalid", status=refused.status) from refused
        self.asked.append(body)
        return self._claude.answer(body, transcript, turn, {}).message(), transcript.digest, number


@dataclass
class SeatedClaude:
    """Claude as one process reaches it."""

    model: ScriptedClaude
    baton: Baton
    process: Process
    gate: Gate

    def ask(self, request: ModelRequest, heard: Callable[[Delta], None], cut: Cut) -> ModelAnswer:
        self.process.check()
        self.gate("model", "before")
        message, digest, turn = self.model.answer(request)
        self.model.stand("start", turn, self.process)
        call = ModelCall(digest, self.process)
        self.model.calls.append(call)
        text = "".join(block["text"] for block in message["content"] if block["type"] == "text")
        half = len(text) // 2
        self._say(text[:half], heard)
        self.model.stand("tokens", turn, self.process)
        if self.model.lasts:
            self.baton.wait_until(lambda: cut.fired, self.model.lasts)
        if cut.fired:
            raise ModelError("cut", kind="cut", usage=Usage(10, 1, estimated=True), partial=text[:half])
        self._say(text[half:], heard)
        self.model.stand("end", turn, self.process)
        call.whole = True
        self.gate("model", "after")
        usage = message["usage"]
        spent = Usage(usage["input_tokens"], usage["output_tokens"])
        return ModelAnswer(message["content"], message["stop_reason"], spent, message["model"])

    @staticmethod
    def _say(text: str, heard: Callable[[Delta], None]) -> None:
        if text:
            heard(Delta("text", text))


def scripted_agent(scenario: Scenario, settings: Settings, effects: SimulatedEffects) -> Agent:
    """An agent with the scenario's tools, and those of its own that the script calls."""
    arguments = arguments_of(scenario.model)
    built_in = builtin_tools((), (), answerers_of(settings), approvers_of(settings), settings.patience)
    tools = [make(plan, arguments.get(plan.name, {}), effects.act) for plan in scenario.tools]
    return Agent((*tools, *(tool for tool in built_in if tool.name in arguments)), "claude-sonnet-5-5")


class SimulatedEffects:
    """The world that tools change. seated: the process that runs now, its gate and how it waits."""

    def __init__(self, happenings: Happenings, seated: Callable[[], tuple[Process, Gate, Callable[..., bool]]]) -> None:
        self._happenings, self._seated = happenings, seated
        self.done: list[SeenEffect] = []
        self._times: dict[str, int] = {}
        self._finished: dict[str, int] = {}

    def finish(self, tool: str) -> None:
        self._finished[tool] = self._finished.get(tool, 0) + 1

    def act(self, plan: ToolPlan, context: ToolContext, given: Mapping[str, Any]) -> str | bytes:
        """One execution, as a tool's function does it."""
        process, gate, wait = self._seated()
        gate(f"effect {plan.name}", "before")
        self.done.append(SeenEffect(plan.name, context.key, filled(plan.effect or plan.name, dict(given))))
        self._happenings.tell("tool.started", tool=plan.name, pid=process.name)
        if plan.kills:
            process.dead = True
            process.check()
        gate(f"effect {plan.name}", "after")
        times, finished = self._times.get(plan.name, 0), self._finished.get(plan.name, 0)
        self._times[plan.name] = times + 1
        seconds = plan.takes[min(times, len(plan.takes) - 1)]
        if seconds:
            wait(lambda: self._finished.get(plan.name, 0) > finished, seconds)
        self._happenings.tell("tool.finished", tool=plan.name, pid=process.name)
        if plan.fails:
            raise ToolError(plan.fails)
        return answered(plan, output(plan, dict(given)))
