"""One run of every kind in one workspace, on virtual time: what the operator's verbs are shown and tested with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from everthread.desk.desk import OperatorsDesk
from everthread.settings import Settings
from playground.simulation.baton import START, Died
from playground.simulation.doubles import SimulatedModel
from playground.simulation.fleet import Fleet, Member
from store.ports import ModelAnswer, ModelError, ModelRequest, Usage
from worker.agent import Agent
from worker.rules import Rule, Rules
from worker.tools.builtin import builtin_tools
from worker.tools.context import ToolContext
from worker.tools.tool import tool

TEAM, GENERAL, OPS = "T0TEAM", "C0GENERAL", "C0OPS"
ANN, BOB, ADA = "U0ANN", "U0BOB", "U0ADA"
SECRET = "hunter2"
USED = Usage(2_000, 150)

WANTED: dict[str, tuple[str, dict[str, Any]]] = {
    "move": (
        "ask_user",
        {
            "title": "Which region?",
            "minutes": 60,
            "questions": [
                {
                    "question": "Which region?",
                    "choices": [{"label": "eu"}, {"label": "us"}],
                    "free_text": True,
                    "default": "eu",
                }
            ],
        },
    ),
    "deploy": ("deploy", {"service": "checkout", "api_key": SECRET}),
    "reindex": ("reindex", {"index": "orders"}),
    "charge": ("charge", {"order": "B-4", "amount": 5}),
    "refund": ("refund", {"order": "A-17", "amount": 40}),
}


class Scene:
    """Plays it once, then lets `look` see it while everything still stands as it was left.

    threads: by what was asked in them: `move` waits for an answer with a message behind it, `deploy` for an approval,
    `reindex` is worked on, `refund` was cut off in an unsafe call and is over, `charge` asks whether its call happened,
    `bill` is parked, `report` is suspended, `hello` is over, `later` was begun by nobody.
    """

    def __init__(self) -> None:
        self.fleet = Fleet(_agent(self), SimulatedModel(self._answer), rules=Rules((Rule("ask", "deploy"),)))
        self.runs: dict[str, str] = {}
        self.threads: dict[str, str] = {}
        self.rung: list[str] = []
        self.settings = Settings.model_validate({"SLACK_BOT_TOKEN": "xo" + "xb-1-none", "daily_spend": 20.0})
        self.desk = OperatorsDesk(self.fleet.outside, TEAM, self.fleet.host.clock, self.settings, self.rung.append)

    def play(self, look: Callable[[Scene], None]) -> None:
        self.fleet.run(lambda: self._play(look))

    def say(self, word: str, author: str, channel: str = GENERAL) -> str:
        """Ask for something in a thread of its own; that thread."""
        thread = self.threads.setdefault(word, f"{TEAM}/{channel}/{int(self.fleet.baton.time)}.000100")
        self.runs[word] = self.fleet.say(thread, word, author=author, n=0).run
        return thread

    def work(self, word: str) -> None:
        """One worker works in that thread until it lets go."""
        self._worker(word).join()

    def _worker(self, word: str) -> Any:
        worker = self.fleet.member(f"{4000 + len(self.fleet.members)}")
        return self.fleet.baton.start(worker.process, "work", partial(worker.work, self.threads[word]))

    def _play(self, look: Callable[[Scene], None]) -> None:
        self._ask(0, "hello", ANN)
        self._ask(1_800, "refund", BOB, OPS)
        self.fleet.host.store.leases.bury(self.fleet.members[-1].owner)
        self.work("refund")
        self._ask(2_700, "bill", ANN, OPS)
        self._ask(3_300, "move", ANN)
        self._until(3_420)
        self.fleet.say(self.threads["move"], "and the tests?", author=BOB, n=60)
        self._ask(3_430, "deploy", BOB, OPS)
        self._ask(3_500, "report", BOB)
        self._ask(3_510, "charge", BOB, OPS)
        self.fleet.host.store.leases.bury(self.fleet.members[-1].owner)
        self.work("charge")
        self._until(3_528)
        self.say("reindex", ADA, OPS)
        at_work = self._worker("reindex")
        self._until(3_540)
        self.say("later", ANN)
        look(self)
        at_work.join()

    def _ask(self, at: float, word: str, author: str, channel: str = GENERAL) -> None:
        """Somebody asks for that, so many seconds after the beginning, and a worker works on it."""
        self._until(at)
        self.say(word, author, channel)
        self.work(word)

    def _until(self, at: float) -> None:
        self.fleet.host.threads.sleep(max(0.0, START + at - self.fleet.baton.time))

    def _answer(self, request: ModelRequest) -> ModelAnswer:
        text = str(request.messages)
        word = next((word for word in ("bill", "report", *WANTED) if word in text), "")
        if word == "bill":
            raise ModelError("your credit balance is too low", kind="billing", code="billing_error", status=400)
        if word == "report":
            raise ModelError("Overloaded", kind="busy", code="overloaded_error", status=529)
        begun = any(message["role"] == "assistant" for message in request.messages)
        if word in WANTED and not begun:
            name, given = WANTED[word]
            call = {"type": "tool_use", "id": "t1", "name": name, "input": given}
            return ModelAnswer([{"type": "text", "text": "I'll see to it."}, call], "tool_use", USED, "m")
        return ModelAnswer([{"type": "text", "text": "Done."}], "end_turn", USED, "m")


def _agent(scene: Scene) -> Agent:
    def dying() -> Member:
        return scene.fleet.members[-1]

    @tool(replay="unsafe", title="deploying {service} with {api_key}")
    def deploy(context: ToolContext, service: str, api_key: str) -> str:
        """Deploy a service."""
        return f"deployed {service}"

    @tool(replay="safe", title="reindexing {index}", mark_started=True)
    def reindex(context: ToolContext, index: str) -> str:
        """Reindex."""
        dying().threads.sleep(60)
        return f"reindexed {index}"

    @tool(replay="unsafe", title="refunding {amount} for order {order}")
    def refund(context: ToolContext, order: str, amount: int) -> str:
        """Refund."""
        dying().process.dead = True
        raise Died("power cut")

    @tool(replay="unsafe", unknown="ask", title="charging {amount} for order {order}")
    def charge(context: ToolContext, order: str, amount: int) -> str:
        """Charge."""
        dying().process.dead = True
        raise Died("power cut")

    return Agent((*builtin_tools(), deploy, reindex, refund, charge), "claude-sonnet-5-5")
