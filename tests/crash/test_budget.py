"""Many runs at once share what Slack allows a workspace: nobody is refused, and nothing gets too old."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from playground.simulation.baton import Baton, BatonClock, BatonThreads, Process
from playground.simulation.fleet import Fleet
from store.lifecycle import Status
from store.ports import ReplyError, Sign
from store.view import RunView
from worker.agent import Agent
from worker.delivery import SHORT
from worker.pace import paced
from worker.showing import Showing

SWEEP = 2.0
"""Seconds until the sweep rings for a delivery that is due again."""
TIERS = {
    "edit": (50, 60.0),
    "post": (1, 1.0),
    "find": (50, 60.0),
    "sign line": (600, 60.0),
    "sign session": (50, 60.0),
}


@dataclass
class Tiers:
    """Slack's own windows, the strictest reading; keeps what went through, by process and call."""

    baton: Baton
    refused: int = 0
    windows: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    shown: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def gate(self, name: str, channel: str) -> Callable[[str, str], None]:
        def pass_by(call: str, side: str) -> None:
            kind = call if call.startswith("sign") else call.split()[0]
            if kind in TIERS and side == "before":
                self._count(kind, f"{kind} {channel}" if kind == "post" else kind)
            if kind in ("edit", "post") and side == "after":
                self.shown[name].append(self.baton.time)

        return pass_by

    def _count(self, kind: str, key: str) -> None:
        (most, per), window, now = TIERS[kind], self.windows[key], self.baton.time
        while window and window[0] <= now - per:
            window.popleft()
        if len(window) >= most:
            self.refused += 1
            raise ReplyError("ratelimited", kind="busy", code="ratelimited", retry_after=1)
        window.append(now)


class Stand:
    """A run's post and its progress: it changes once a second, and is edited where it stands."""

    def __init__(self, reply: Any, run: str, thread: str) -> None:
        self._reply, self._run, self._thread, self._ts = reply, run, thread, ""
        self.changed: Callable[[], None] = lambda: None

    def view(self, status: Status = "running") -> RunView:
        return RunView(self._run, self._thread, "U1", status)

    @property
    def stands(self) -> bool:
        return bool(self._ts)

    def sign(self, sign: Sign, view: RunView) -> bool:
        return bool(self._reply.sign(sign, view, 2.0))

    def ensure(self, view: RunView) -> str:
        self._ts = self._ts or self._reply.post("reply", view, 8.0)
        return self._ts

    def edit(self, view: RunView) -> str:
        self._reply.edit(self.ensure(view), view, 8.0)
        return self._ts


@dataclass
class Crowd:
    """What became of runs that worked at once. ages: seconds between two states of a message while its run worked.
    waits: seconds from the end of each until its final text stood there."""

    refused: int = 0
    ages: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)


def crowd(durations: Sequence[int], *, channels: int) -> Crowd:
    """So many runs begin at once, each works for its number of seconds, over so many channels."""
    fleet = Fleet(Agent((), "m"), cast("Any", SimpleNamespace(seat=lambda *_: None)))
    tiers, found = Tiers(fleet.baton), Crowd()

    def work(n: int) -> None:
        run, channel, process = f"r{n}", f"C{n % channels}", Process(f"worker{n}")
        thread, threads = f"T1/{channel}/17000{n:05}.000100", BatonThreads(fleet.baton, process)
        store = fleet.host.store
        store.leases.claim(thread, f"boot:{n}:1:a")
        seat = fleet.slack.seat(process, tiers.gate(run, channel))
        stand = Stand(paced(seat, store.workspace, BatonClock(fleet.baton, process))(thread, run), run, thread)
        showing = Showing(
            cast("Any", SimpleNamespace(threads=threads, clock=BatonClock(fleet.baton, process))),
            cast("Any", stand),
            cast("Any", stand),
        )
        for _ in range(durations[n]):
            threads.sleep(1.0)
            stand.changed()
        settled = fleet.baton.time
        showing.finish()
        while True:
            try:
                stand.edit(stand.view("completed"))
                break
            except ReplyError as error:
                pause = error.retry_after or 0.0
                threads.sleep(pause if pause <= SHORT else pause + SWEEP)
        seen = [moment for moment in tiers.shown[run] if moment < settled]
        found.ages += [later - earlier for earlier, later in zip(seen, [*seen[1:], settled], strict=True)]
        found.waits.append(tiers.shown[run][-1] - settled)

    def play() -> None:
        tasks = [fleet.baton.start(fleet.host.process, f"run{n}", partial(work, n)) for n in range(len(durations))]
        for task in tasks:
            task.join()

    fleet.run(play)
    found.refused = tiers.refused
    return found


LENGTHS = {
    "one": [60],
    "four": [120] * 4,
    "eight that end in turn": [30 + 10 * n for n in range(8)],
    "fifty": [180] * 50,
    "fifty that end in turn": [90 + 2 * n for n in range(50)],
    "fifty of all lengths": [5 + 37 * n % 155 for n in range(50)],
}


@pytest.mark.clause("REPLY-3")
@pytest.mark.parametrize("durations", LENGTHS.values(), ids=LENGTHS)
def test_within_slacks_tiers_nothing_is_refused_and_nothing_gets_old(durations: list[int]) -> None:
    seen = crowd(durations, channels=len(durations))

    assert seen.refused == 0
    assert max(seen.ages) <= 1.5 * len(durations)
    assert max(seen.waits) <= 75


@pytest.mark.clause("REPLY-3")
def test_runs_that_begin_at_once_in_one_channel_post_one_after_the_other() -> None:
    seen = crowd([60] * 20, channels=1)

    assert seen.refused == 0
    assert max(seen.waits) <= 30
