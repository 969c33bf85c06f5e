"""Plays a scenario on a stage of real processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from playground.scenarios.acts import Acts
from playground.scenarios.commit_proxy import Hold
from playground.scenarios.conditions import HOWS, match_of, nth_of
from playground.scenarios.happenings import Happening, NothingHappened
from playground.scenarios.judge import failures
from playground.scenarios.looking import look
from playground.scenarios.points import Side
from playground.scenarios.quiet import is_quiet, what_is_left
from playground.scenarios.scenario import Condition, Scenario, Step
from playground.scenarios.seen import Seen
from playground.scenarios.stage import Stage
from playground.standins.journal import wall
from playground.standins.slack.client import Held, StandinError

PATIENCE = 30.0
"""Seconds that any one thing may take."""
MOST_AT_ONCE = 8
IMPOSSIBLE_NOW = (StandinError, NothingHappened)
"""What a person cannot do any more after a death has changed the play, such as press a button that is gone."""
Judge = Callable[[Scenario, Seen], list[str]]


@dataclass(frozen=True, slots=True)
class Played:
    """One play and what is to be said against it. seconds: from the first step to the end."""

    scenario: Scenario
    seen: Seen
    failures: list[str]
    seconds: float


class Player:
    """One play. name: keeps the logs of several plays of one scenario apart.

    lenient: a step whose condition cannot come true any more, because everything is over, is taken all the same.
    """

    def __init__(self, stage: Stage, scenario: Scenario, *, name: str = "", lenient: bool = False) -> None:
        self._stage, self._scenario, self._name, self._lenient = stage, scenario, name, lenient
        self._acts = Acts(stage, lenient=lenient)
        self._crew, self._beside = ThreadPoolExecutor(MOST_AT_ONCE), list[Future[None]]()
        self._armed: dict[int, Hold | Held] = {}

    def play(self, judge: Judge = failures, *, ready: Callable[[], None] = lambda: None) -> Played:
        """Set up, play every step, wait until nothing moves, look and judge. ready: called before the first step."""
        self._stage.set_up(self._scenario, play=self._name)
        self._acts.begin(self._scenario.bots)
        ready()
        self._arm()
        began, trouble = perf_counter(), []
        try:
            for step in self._scenario.play:
                self._play(step)
            for one in self._beside:
                one.result(PATIENCE)
            self._await_quiet()
        except (NothingHappened, StandinError, ValueError) as error:
            trouble.append(str(error))
        seconds = perf_counter() - began
        seen = look(self._stage)
        return Played(self._scenario, seen, trouble + judge(self._scenario, seen), seconds)

    def _play(self, step: Step) -> None:
        caller: int | None = None
        if step.when is not None:
            reached = self._wait(step.when)
            caller = None if reached is None else reached["pid"]
        do = partial(self._do, {**step.acts, "caller": caller})
        if "at_once" in step.acts:
            self._beside.append(self._crew.submit(do))
        else:
            do()
        if step.when is not None and step.when.holds:
            self._let_go(step.when, caller)

    def _do(self, acts: Mapping[str, Any]) -> None:
        with suppress(*(IMPOSSIBLE_NOW if self._lenient else ())):
            self._acts.do(acts)

    def _wait(self, when: Condition) -> Happening | None:
        happenings = self._stage.happenings
        if when.subject == "deadline":
            passed = self._acts.last_deadline()
            happenings.until(lambda: wall() > passed, str(when), timeout=PATIENCE)
            return None
        match = match_of(when, self._acts.ts_of)
        if not self._lenient:
            return happenings.wait(match, str(when), timeout=PATIENCE, nth=nth_of(when))
        found: list[Happening] = []
        seen = 0

        def met() -> bool:
            nonlocal seen
            news = happenings.all()[seen:]
            seen += len(news)
            found.extend(one for one in news if match(one))
            return len(found) >= nth_of(when)

        happenings.until(lambda: met() or (self._acts.said and is_quiet(happenings)), str(when), timeout=PATIENCE)
        return found[-1] if found else None

    def _arm(self) -> None:
        """Set up every place at which something is to stand still, before anything moves."""
        for step in self._scenario.play:
            if step.when is not None and step.when.holds:
                self._arm_one(step.when)

    def _arm_one(self, when: Condition) -> None:
        side: Side = "after" if when.happens == "after" else "before"
        match when.subject:
            case "model":
                wish = {} if when.turn is None else {"turn": when.turn}
                self._stage.claude.hold(HOWS[when.of], when.tokens, on=when.on, **wish)
            case "commit" | "admit" | "answer":
                self._armed[when.line] = self._stage.proxy.hold(when.subject, int(when.of), side)
            case "slack":
                self._armed[when.line] = self._stage.slack.hold(when.of, when.nth, side, when.containing)

    def _let_go(self, when: Condition, pid: int | None) -> None:
        match self._armed.get(when.line):
            case Hold() as hold:
                self._stage.proxy.release(hold, dead=pid in self._stage.processes.killed)
            case Held() as held:
                held.release()
            case _:
                self._stage.claude.release()

    def _await_quiet(self) -> None:
        happenings = self._stage.happenings
        try:
            for _ in range(2):  # what was said last may not have been heard of yet
                self._stage.await_feeds()
                happenings.until(lambda: is_quiet(happenings), "every run is over and shown", timeout=PATIENCE)
        except NothingHappened as error:
            raise NothingHappened(f"{error}; {what_is_left(happenings)}") from error
