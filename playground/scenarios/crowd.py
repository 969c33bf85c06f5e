"""Many runs at once in one workspace, under Slack's real rate tiers: is anything refused, and how old does it get?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from playground.scenarios.scenario import Scenario, ToolPlan
from playground.scenarios.stage import Stage
from playground.standins.slack.people import TEAM
from store.record import read_log

Json = dict[str, Any]

PLACES = ("general", "ops", "backstage", "dm:ann", "dm:bob", "dm:ada")
ASKERS = {"dm:ann": "ann", "dm:bob": "bob", "dm:ada": "ada"}
LONGEST = 170.0
TOKENS_A_SECOND = 6.0
WORDS = 150
AGE, WAIT = 1.5, 75.0
"""Seconds that progress may be old, times the runs at work; seconds that a final text may wait."""


def _crowd(runs: int) -> Scenario:
    """Each run looks something up for 1 to 20 s, then speaks for about half a minute."""
    takes = tuple(1.0 + 19.0 * n / max(1, runs - 1) for n in range(runs))
    story = " ".join(f"word{n}" for n in range(WORDS))
    return Scenario(
        path=Path("crowd.yaml"),
        title="many runs at once",
        settings={"EVERTHREAD_WORKERS": str(min(runs, 64))},
        bots=1,
        workers=1,
        tools=(ToolPlan("look_up", "safe", takes=takes, output="found it"),),
        model=({"text": "I'll look.", "calls": [{"name": "look_up", "input": {}}]}, {"text": story}),
    )


@dataclass(frozen=True, slots=True)
class Watched:
    """One run's reply. ages: seconds between two of its states while it spoke. waited: until its final text stood."""

    ages: Sequence[float]
    waited: float


@dataclass(frozen=True, slots=True)
class Crowded:
    """What became of so many runs at once. refused: methods that Slack answered with `ratelimited`."""

    runs: Sequence[Watched]
    refused: Sequence[str]
    edits: int
    seconds: float

    @property
    def age(self) -> float:
        return max((age for run in self.runs for age in run.ages), default=0.0)

    @property
    def wait(self) -> float:
        return max(run.waited for run in self.runs)

    @property
    def holds(self) -> bool:
        return not self.refused and self.age <= AGE * len(self.runs) and self.wait <= WAIT

    def lines(self) -> Iterable[str]:
        waits = sorted(run.waited for run in self.runs)
        methods = " ".join(sorted(set(self.refused)))
        yield f"{len(self.runs)} runs at once under Slack's tiers, in {self.seconds:.0f} s with {self.edits} edits"
        yield f"  refused calls            {len(self.refused):>6}      wanted 0 {methods}".rstrip()
        yield f"  oldest progress shown    {self.age:>6.1f} s    wanted ≤ {AGE * len(self.runs):.0f}"
        yield f"  final text, median wait  {waits[len(waits) // 2]:>6.1f} s"
        yield f"  final text, longest wait {self.wait:>6.1f} s    wanted ≤ {WAIT:.0f}"
        yield "  holds" if self.holds else "  FAIL"


def measure(runs: int) -> int:
    """Print what was seen; 1 when a bound does not hold."""
    found = crowded(runs)
    print("\n".join(found.lines()), flush=True)
    return 0 if found.holds else 1


def crowded(runs: int) -> Crowded:
    with Stage(direct=True) as stage:
        stage.set_up(_crowd(runs))
        stage.claude.fault("slow", times=0, turn=1, tokens_per_second=TOKENS_A_SECOND)
        stage.slack.settings(rates="real", trace=False)
        stage.happenings.clear()
        began = time.perf_counter()
        for n in range(runs):
            place = PLACES[n % len(PLACES)]
            stage.slack.say(ASKERS.get(place, "ann"), place, "@everthread look, then tell me")
        threads = _threads_when_delivered(stage, runs)
        seconds = time.perf_counter() - began
        messages = {m["ts"]: m for c in stage.slack.state()["channels"] for t in c["threads"] for m in t["messages"]}
        calls = stage.slack.calls()
        return Crowded(
            [_watched(stage, thread, messages) for thread in threads],
            [call["method"] for call in calls if call["outcome"] == "ratelimited"],
            sum(call["method"] == "chat.update" for call in calls),
            seconds,
        )


def _threads_when_delivered(stage: Stage, runs: int) -> list[str]:
    """Every thread, once the last final text is recorded as shown."""
    threads: set[str] = set()

    def over() -> bool:
        owed = stage.store.inventory.owed(TEAM, limit=1000).threads
        threads.update(owed)
        return len(threads) >= runs and not owed

    stage.happenings.until(over, "every final text is shown", timeout=LONGEST)
    return sorted(threads)


def _watched(stage: Stage, thread: str, messages: dict[str, Json]) -> Watched:
    log = read_log(thread, stage.store.log.read(thread))
    settled = next(record.at for record in log if record.kind == "settled")
    ts = next(record.body["ts"] for record in log if record.kind == "reply" and "ts" in record.body)
    spoke = next(record.at for record in log if record.kind == "tool" and record.state == "done")
    shown = [float(version["at"]) for version in messages[ts]["versions"]]
    seen = [spoke, *(at for at in shown if spoke < at < settled), settled]
    return Watched([later - earlier for earlier, later in pairwise(seen)], shown[-1] - settled)
