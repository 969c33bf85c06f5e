"""A scenario: what people, the model and the faults do, and what must be true afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from playground.standins.slack.settings import Transport

Replay = Literal["safe", "idempotent", "unsafe"]
Unknown = Literal["report", "ask"]
Victim = Literal["job", "caller", "worker", "supervisor", "group", "bot", "bots", "all", "redis"]
"""job: the process that works on the run. caller: the one whose call stands still at this step.

worker: the workers and the sweep of the job's group. supervisor: their parent. group: all of these, as when their
host is gone. bot: one of the bots; bots: all. all: every process of ours.
"""


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """A tool of the scenario. takes: seconds of its first, second, … execution; the last one counts on.

    unknown: what comes of a call that was cut off. effect: what it does to the world, counted outside the process when
    it starts. kills: it kills its worker. raw: it answers bytes.
    """

    name: str
    replay: Replay = "unsafe"
    takes: tuple[float, ...] = (0.0,)
    effect: str = ""
    output: str = ""
    fails: str = ""
    kills: bool = False
    raw: bool = False
    unknown: Unknown = "report"


@dataclass(frozen=True, slots=True)
class Condition:
    """Something to wait for. subject: its first key; of: that key's value; the rest narrows it down.

    nth: counted from the beginning of the play.
    """

    subject: str
    of: str
    nth: int = 1
    happens: str = ""
    turn: int | None = None
    tokens: int = 0
    on: str = ""
    containing: str = ""
    line: int = 0

    @property
    def holds(self) -> bool:
        """Whether what it waits for stands still until the step is done."""
        return self.subject in ("model", "commit", "admit", "answer", "slack")

    def __str__(self) -> str:
        more = [f"is {self.happens}"] if self.happens else []
        more += [f"nth {self.nth}"] if self.nth > 1 else []
        more += [f"turn {self.turn}"] if self.turn is not None else []
        more += [f"{self.tokens} tokens"] if self.tokens else []
        return " ".join([self.subject, self.of, *more]) + f" (line {self.line})"


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the play: waits for `when`, then does what `acts` say, in this order."""

    acts: Mapping[str, Any]
    when: Condition | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file. as_is: it is not for simulations and further deaths.

    transports: those over which it holds. transport: the one that a play of it goes over.
    may_vary: expectations that need not hold after further deaths.
    bots and workers: how many bot processes and worker groups there are at the start.
    """

    path: Path
    title: str
    cases: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    slack: Mapping[str, Any] = field(default_factory=dict)
    as_is: bool = False
    transports: tuple[Transport, ...] = ("socket", "http")
    transport: Transport = "socket"
    may_vary: Sequence[str] = ()
    bots: int = 2
    workers: int = 2
    tools: tuple[ToolPlan, ...] = ()
    model: tuple[Mapping[str, Any], ...] = ()
    play: tuple[Step, ...] = ()
    expect: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem

    def over(self, transport: Transport) -> Scenario:
        """The same, to be played over this one."""
        return replace(self, transport=transport)

    def tool(self, name: str) -> ToolPlan | None:
        return next((tool for tool in self.tools if tool.name == name), None)
