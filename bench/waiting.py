"""Many runs that wait for people: what they cost, and that each is still answered and finished.

    python -m bench.waiting [10000]

They come to be through the same Run and Store that a worker uses; only Model and Reply are doubles. A look-up is
measured before there is any and once all wait.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
from redis import Redis

from bench.published import publish
from bench.workload import SilentReply
from playground.server import EmbeddedServer
from store.ports import Cut, Delta, ModelAnswer, ModelRequest, Usage
from store.redis import open_store
from store.redis.connection import for_signals, for_tenure
from store.submission import Submission
from store.system import SystemClock, SystemIds, SystemThreads
from store.wait import Answer, Given, Wait
from worker.agent import Agent
from worker.drain import Drain
from worker.services import Services
from worker.tenure import work_thread
from worker.tools.builtin import builtin_tools

ASK = {"title": "how to go on", "questions": [{"question": "Ship it?", "choices": [{"label": "yes"}, {"label": "no"}]}]}
PASSES, LOOKS, SAID_EVERY = 20, 200, 2_000


class AskingModel:
    """Asks people first, and is done once it has an answer."""

    def ask(self, request: ModelRequest, heard: Callable[[Delta], None], cut: Cut) -> ModelAnswer:
        if any(message["role"] == "assistant" for message in request.messages):
            return ModelAnswer([{"type": "text", "text": "done"}], "end_turn", Usage(100, 10), "m")
        call = {"type": "tool_use", "id": "t0", "name": "ask_user", "input": ASK}
        return ModelAnswer([call], "tool_use", Usage(100, 10), "m")


class Crowd:
    """Runs of one workspace, each in a thread of its own, all worked on by this process."""

    def __init__(self, redis: Redis, url: str) -> None:
        self.redis = redis
        self.clock, self.ids = SystemClock(), SystemIds()
        self.store = open_store(redis, self.clock, self.ids, blocking=for_signals(url))
        threads = SystemThreads()
        self.services = Services(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            threads=threads,
            model=AskingModel(),
            replies=SilentReply,
            agent=Agent(builtin_tools(), "m"),
        )
        self.drain = Drain(threads, self.clock)

    def ask(self, number: int) -> str:
        """Start a run that asks and waits; its id."""
        ts = f"{1_700_000_000 + number}.000100"
        thread, run = f"T1/C1/{ts}", self.ids.new("run")
        self.store.admissions.admit(Submission(thread, "C1", ts, "U1", "go", run, self.clock.now()))
        self.work(thread)
        return run

    def answer(self, wait: Wait) -> None:
        """Answer as a click does, then let it be finished."""
        answer = Answer(wait.id, "U2", self.clock.now(), "button", (Given(("yes",)),))
        taken = self.store.waits.answer(wait.thread, answer)
        if taken.how != "taken":
            raise RuntimeError(f"the answer to {wait.id} was {taken.how}")
        self.work(wait.thread)

    def work(self, thread: str) -> None:
        work_thread(thread, self.services, self.drain, f"bench:1:1:{self.ids.new('owner')}")

    def waiting(self) -> list[Wait]:
        """Every open wait, by the public listing."""
        found: list[Wait] = []
        cursor: str | None = None
        while True:
            page = self.store.waits.open("T1", cursor=cursor, limit=500)
            found += page.waits
            if (cursor := page.cursor) is None:
                return found

    def look_ms(self, waits: Sequence[Wait]) -> float:
        """Finding one wait by its id, and its thread's head: the median in ms."""
        took = []
        for wait in waits[:: max(1, len(waits) // LOOKS)]:
            began = time.perf_counter()
            self.store.waits.find("T1", wait.id)
            self.store.inventory.head(wait.thread)
            took.append((time.perf_counter() - began) * 1000)
        return statistics.median(took)

    def sweep_ms(self) -> float:
        """One pass over the inventory: the median in ms."""
        took = []
        for _ in range(PASSES):
            began = time.perf_counter()
            self.store.waits.recall("T1", unseen=3600, limit=1)
            rung = self.store.inventory.sweep("T1", 32, 4)
            took.append((time.perf_counter() - began) * 1000)
            if rung:
                raise RuntimeError(f"a thread that waits was rung: {rung}")
        return statistics.median(took)

    def memory(self) -> int:
        """Bytes the server holds."""
        found: dict[str, Any] = self.redis.info("memory")
        return int(found["used_memory"])


def measure(count: int, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Make `count` runs wait, look at what they cost, answer and finish each."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = EmbeddedServer.start(Path(folder))
        try:
            return _measure(Crowd(for_tenure(server.url), server.url), count, say)
        finally:
            server.stop()


def _measure(crowd: Crowd, count: int, say: Callable[[str], None]) -> dict[str, Any]:
    crowd.redis.config_set("appendfsync", "everysec")
    crowd.ask(0)
    few, empty_pass, empty = crowd.look_ms(crowd.waiting()), crowd.sweep_ms(), crowd.memory()
    children = len(psutil.Process().children(recursive=True))
    runs = [_told(crowd.ask(number), number, count, "wait", say) for number in range(1, count)]
    waits = crowd.waiting()
    found = {
        "waiting": len(waits),
        "processes_more": len(psutil.Process().children(recursive=True)) - children,
        "threads_alive": psutil.Process().num_threads(),
        "look_ms_first": round(few, 3),
        "look_ms": round(crowd.look_ms(waits), 3),
        "sweep_ms_first": round(empty_pass, 3),
        "sweep_ms": round(crowd.sweep_ms(), 3),
        "bytes_per_waiting_run": (crowd.memory() - empty) // max(1, count - 1),
    }
    for number, wait in enumerate(waits, start=1):
        crowd.answer(wait)
        _told("", number, count, "are answered", say)
    outcomes = [crowd.store.admissions.outcome("T1", run) for run in runs]
    finished = sum(1 for outcome in outcomes if outcome is not None and outcome["status"] == "completed")
    return found | {"finished": finished + 1, "left_waiting": len(crowd.waiting())}


def _told(run: str, number: int, count: int, what: str, say: Callable[[str], None]) -> str:
    if number % SAID_EVERY == 0:
        say(f"{number:,} of {count:,} {what}")
    return run


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    publish("waiting", measure(count))


if __name__ == "__main__":
    main()
