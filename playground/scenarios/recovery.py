"""How long it takes: from a death to the next recorded step, and from a message to its visible reply."""

from __future__ import annotations

import itertools
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from playground.scenarios.happenings import Happening
from playground.scenarios.scenario import Scenario, ToolPlan
from playground.scenarios.stage import Stage

PATIENCE = 40.0
PLACES = itertools.cycle(
    [("ann", "C0GENERAL1"), ("ann", "C0OPS00001"), ("ann", "D0ANN00001"), ("bob", "D0BOB00001"), ("ada", "D0ADA00001")]
)
"""Who speaks where, in turn: one conversation takes about one post a second."""
BETWEEN = 0.23
"""Seconds between two messages, so that none of the five places gets two within a second."""
WARM = 10
"""First replies that are not counted: who somebody is, is asked once a day."""
ONE = Scenario(
    path=Path("recovery.yaml"),
    title="a process dies in the middle of a safe tool",
    settings={"EVERTHREAD_WORKERS": "4"},
    bots=1,
    tools=(ToolPlan("look_up", "safe", takes=(60.0, 0.0), output="found it"),),
    model=({"text": "I'll look.", "calls": [{"name": "look_up", "input": {}}]}, {"text": "Found."}),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One row: what, how long (ms), and what is asked of it."""

    what: str
    ms: Sequence[float]
    wanted: str
    holds: bool

    def __str__(self) -> str:
        p50, p99 = at(self.ms, 0.5), at(self.ms, 0.99)
        mark = "ok" if self.holds else "FAIL"
        return (
            f"{self.what:<52} {len(self.ms):>4} {p50:>8.0f} {p99:>8.0f} {max(self.ms):>8.0f}  {self.wanted:<22} {mark}"
        )


def measure(times: int) -> int:
    """Print the table; 1 when a bound does not hold."""
    rows = measured(times)
    print(f"{'milliseconds':<52} {'n':>4} {'p50':>8} {'p99':>8} {'max':>8}  wanted")
    for row in rows:
        print(row, flush=True)
    return 0 if all(row.holds for row in rows) else 1


def measured(times: int) -> list[Measured]:
    with Stage() as stage:
        stage.set_up(ONE)
        _await_workers(stage, 8)
        job = [_job_dies(stage) for _ in range(times)]
        stage.set_up(replace(ONE, tools=(), model=({"text": "Hello."},), settings={"EVERTHREAD_WORKERS": "1"}))
        _await_workers(stage, 2)
        first = [_first_reply(stage) for _ in range(WARM + times)][WARM:]
        hosts = {
            lease: [_host_gone(stage, lease) for _ in range(count)]
            for lease, count in ((3.0, max(1, times // 20)), (15.0, 1))
        }
    latency = [ms for ms, _, _ in first]
    before = max(calls for _, calls, _ in first)
    rows = [
        Measured(
            "SIGKILL of the job's process → next step recorded",
            job,
            "p50 ≤ 150, p99 ≤ 500",
            at(job, 0.5) <= 150 and at(job, 0.99) <= 500,
        )
    ]
    rows += [
        Measured(
            f"host gone, lease {lease:g} s → next step recorded",
            ms,
            f"≤ {(lease + 3) * 1000:.0f}",
            max(ms) <= (lease + 3) * 1000,
        )
        for lease, ms in hosts.items()
    ]
    rows.append(
        Measured(
            f"message → visible reply ({before} Slack calls before it)",
            latency,
            "p50 ≤ 80, p99 ≤ 250",
            at(latency, 0.5) <= 80 and at(latency, 0.99) <= 250 and before == 0,
        )
    )
    return rows


def at(values: Sequence[float], share: float) -> float:
    """The value that this share of all is not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered)) - 1))]


def _job_dies(stage: Stage) -> float:
    started = _begin(stage)
    stage.happenings.tell("death", pids=[started["pid"]], pid=started["pid"])
    stage.processes.signal([started["pid"]], signal.SIGKILL)
    took = _recovered(stage)
    _wait(stage, "store.release")
    return took


def _host_gone(stage: Stage, lease: float) -> float:
    """Everything of the run's group dies at once, also who would have told of it."""
    settings = {"EVERTHREAD_LEASE": f"{lease:g}", "EVERTHREAD_RENEWAL": f"{lease / 4:g}"}
    stage.set_up(replace(ONE, settings=settings))
    _await_workers(stage, 2)
    started = _begin(stage)
    group = stage.processes.group_of(started["pid"])
    pids = stage.processes.members(group) if group is not None else [started["pid"]]
    stage.happenings.tell("death", pids=pids, pid=started["pid"])
    stage.processes.signal(pids, signal.SIGKILL)
    return _recovered(stage)


def _first_reply(stage: Stage) -> tuple[float, int, int]:
    """Milliseconds by Slack's own clock, and the calls it got before the reply and with it."""
    threading.Event().wait(BETWEEN)
    stage.happenings.clear()
    ts = stage.slack.say(*next(PLACES), "@everthread hello")
    posted = stage.happenings.wait(
        lambda one: one.kind == "slack.message.posted" and one["from_app"] and one["thread_ts"] == ts,
        "the reply",
        timeout=PATIENCE,
    )
    said = stage.happenings.wait(
        lambda one: one.kind == "slack.message.posted" and one["ts"] == ts, "the message", timeout=PATIENCE
    )
    calls = [one for one in stage.happenings.all("slack.call.received") if said.n < one.n < posted.n]
    _wait(stage, "store.release")
    return (posted["wall"] - said["wall"]) * 1000, len(calls) - 1, len(calls)


def _begin(stage: Stage) -> Happening:
    """A run in its tool, with its reply posted: one whose post is in doubt is looked for, for seconds."""
    stage.happenings.clear()
    stage.effects.reset(ONE.tools)
    stage.slack.say(*next(PLACES), "@everthread look")
    stage.happenings.wait(
        lambda one: one.kind == "store.commit" and ("#reply", "done") in one["records"],
        "the reply is posted",
        timeout=PATIENCE,
    )
    return _wait(stage, "tool.started")


def _recovered(stage: Stage) -> float:
    death = stage.happenings.all("death")[0]
    step = stage.happenings.wait(
        lambda one: one.kind == "store.commit" and one.n > death.n and bool(one["over"]) and one["pid"] != death["pid"],
        "the next step",
        timeout=PATIENCE,
    )
    return (step.at - death.at) * 1000


def _await_workers(stage: Stage, count: int) -> None:
    stage.happenings.until(
        lambda: len(stage.happenings.all("store.worker.waits")) >= count, f"{count} workers wait", timeout=PATIENCE
    )


def _wait(stage: Stage, kind: str) -> Happening:
    return stage.happenings.wait(lambda one: one.kind == kind, kind, timeout=PATIENCE)
