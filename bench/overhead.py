"""Overhead of a turn beside its floor, interleaved, at each fsync setting; round trips as the server counts them.

The floor is two bare EVALSHA a turn that carry the same bytes: check an owner, append a record, bump two indexes.
Ours goes through the same Run and Store that a worker uses, inventory and heartbeat on; only Model and Reply are
doubles.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from redis import Redis

from bench.published import publish
from bench.workload import OUTPUT, TEXT, InstantModel, SilentReply, search
from playground.server import EmbeddedServer
from store.ports import Clock, Ids
from store.protocol import Store
from store.redis import open_store
from store.redis.connection import for_signals, for_tenure
from store.submission import Submission
from store.system import SystemClock, SystemIds, SystemThreads
from worker.agent import Agent
from worker.drain import Drain
from worker.services import Services
from worker.tenure import work_thread

FSYNC = ("always", "everysec", "no")
TURNS = 20
FLOOR = """
local owner = redis.call('HGET', KEYS[1], 'epoch')
if owner ~= ARGV[1] then return redis.error_reply('STALE') end
redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('HINCRBY', KEYS[1], 'length', 1)
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[4])
return 1
"""


@dataclass
class Subject:
    """A server under one fsync setting, with what is measured on it."""

    redis: Redis
    store: Store
    clock: Clock
    ids: Ids
    bytes_per_commit: tuple[int, int] = (1700, 3000)
    model: InstantModel = field(default_factory=lambda: InstantModel(1))

    def ours(self, turns: int) -> float:
        """Seconds of one whole run of `turns` turns, from the claim to the release."""
        thread = f"T1/C1/{self.ids.new('c')}"
        run = self.ids.new("run")
        ts = f"{time.time():.6f}"  # noqa: TID251 - the bench is outside the seams
        self.store.admissions.admit(Submission(thread, "C1", ts, "U1", "go", run, 0.0))
        self.model = InstantModel(turns)
        services = Services(
            store=self.store,
            clock=self.clock,
            ids=self.ids,
            threads=SystemThreads(),
            model=self.model,
            replies=SilentReply,
            agent=Agent((search,), "m", max_turns=turns + 1),
        )
        began = time.perf_counter()
        work_thread(thread, services, Drain(services.threads, self.clock), f"bench:1:1:{run}")
        took = time.perf_counter() - began
        self._forget(thread)
        return took

    def gaps(self) -> list[float]:
        """Seconds from one model call of the last run to the next: its turns, without its start and its end."""
        return [later - earlier for earlier, later in pairwise(self.model.asked_at)]

    def floor(self, turns: int) -> float:
        """Seconds of the same turns as bare scripts."""
        head, log, owed = (f"floor:{self.ids.new('f')}:{name}" for name in ("head", "log", "owed"))
        self.redis.hset(head, "epoch", "1.a")
        sha = self.redis.script_load(FLOOR)
        model, outcome = self.bytes_per_commit
        began = time.perf_counter()
        for turn in range(turns):
            answer = json.dumps({"turn": turn, "text": TEXT, "pad": "p" * max(0, model - 1100)})
            self.redis.evalsha(sha, 3, head, log, owed, "1.a", answer, began, head)
            result = json.dumps({"turn": turn, "output": OUTPUT, "pad": "p" * max(0, outcome - 2100)})
            self.redis.evalsha(sha, 3, head, log, owed, "1.a", result, began, head)
        took = time.perf_counter() - began
        self.redis.delete(head, log, owed)
        return took

    def _forget(self, thread: str) -> None:
        _, channel, root = thread.split("/")
        keys = list(self.redis.scan_iter(f"*:t:{channel}:{root}:*", count=1000))
        if keys:
            self.redis.unlink(*keys)


def measure(rounds: int = 40, progress: Callable[[str], None] = print) -> dict[str, Any]:
    """Every figure of the overhead, by fsync setting."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = EmbeddedServer.start(Path(folder))
        try:
            return _measure(server, rounds, progress)
        finally:
            server.stop()


def _measure(server: EmbeddedServer, rounds: int, progress: Callable[[str], None]) -> dict[str, Any]:
    clock, ids, redis = SystemClock(), SystemIds(), for_tenure(server.url)
    store = open_store(redis, clock, ids, blocking=for_signals(server.url))
    subject = Subject(redis, store, clock, ids)
    found: dict[str, Any] = {"turns": TURNS, "rounds": rounds, "fsync": {}}
    for _ in range(3):
        subject.ours(TURNS)
    counts = turn_counts(subject, 10, 30)
    found |= {"round_trips_per_turn": counts["round_trips"], "bytes_per_turn": counts["bytes"]}
    subject.bytes_per_commit = (int(counts["bytes"] * 0.45), int(counts["bytes"] * 0.55))
    for fsync in FSYNC:
        redis.config_set("appendfsync", fsync)
        progress(f"appendfsync {fsync}: {rounds} rounds of {TURNS} turns, ours and the floor in turn")
        found["fsync"][fsync] = _compare(subject, rounds)
    progress("growth: a turn of a short run and one around the thousandth")
    redis.config_set("appendfsync", "no")
    redis.config_set("auto-aof-rewrite-percentage", 0)  # a rewrite in the middle would be measured as growth
    found["slope_20_1000"] = _slope(subject)
    found["over_floor_ms"] = {fsync: figures["over_floor_ms"] for fsync, figures in found["fsync"].items()}
    found["ratio_always"] = found["fsync"]["always"]["ratio"]
    return found


def _compare(subject: Subject, rounds: int) -> dict[str, float]:
    """Medians over pairs that ran one right after the other, so that a machine that grows busy moves both.

    A turn lasts from one model call to the next. `run_ms` is the whole run over its turns: the claim, the start, the
    reply, the settlement, the delivery and the release, which the floor does not have, are in it.
    """
    ours: list[float] = []
    floor: list[float] = []
    runs: list[float] = []
    for n in range(rounds):
        gc.collect()
        if n % 2:
            floor.append(subject.floor(TURNS) / TURNS * 1000)
        runs.append(subject.ours(TURNS) / TURNS * 1000)
        ours.append(statistics.mean(subject.gaps()) * 1000)
        if not n % 2:
            gc.collect()
            floor.append(subject.floor(TURNS) / TURNS * 1000)
    return {
        "ours_ms": round(statistics.median(ours), 4),
        "floor_ms": round(statistics.median(floor), 4),
        "over_floor_ms": round(statistics.median(mine - least for mine, least in zip(ours, floor, strict=True)), 4),
        "ratio": round(statistics.median(mine / least for mine, least in zip(ours, floor, strict=True)), 3),
        "run_ms": round(statistics.median(runs), 4),
        "ours_p90_ms": round(sorted(ours)[int(rounds * 0.9)], 4),
        "floor_p90_ms": round(sorted(floor)[int(rounds * 0.9)], 4),
    }


def _slope(subject: Subject, rounds: int = 5) -> float:
    """A turn around the thousandth over a turn of a run of 20, measured right before and after it."""
    ratios = []
    for _ in range(rounds):
        early = _gaps_of_short_runs(subject)
        subject.ours(1000)
        late = subject.gaps()[-190:]
        early += _gaps_of_short_runs(subject)
        ratios.append(statistics.median(late) / statistics.median(early))
    return round(statistics.median(ratios), 3)


def _gaps_of_short_runs(subject: Subject) -> list[float]:
    gaps: list[float] = []
    for _ in range(5):
        subject.ours(20)
        gaps += subject.gaps()
    return gaps


def turn_counts(subject: Subject, fewer: int, more: int) -> dict[str, float]:
    """Round trips and bytes sent of one turn, as the difference between a longer and a shorter run."""
    short, long = _count(subject, fewer), _count(subject, more)
    return {name: (long[name] - short[name]) / (more - fewer) for name in short}


def _count(subject: Subject, turns: int) -> dict[str, float]:
    before = _stats(subject.redis)
    subject.ours(turns)
    after = _stats(subject.redis)
    return {name: after[name] - before[name] for name in after}


def _stats(redis: Redis) -> dict[str, float]:
    commands: dict[str, Any] = redis.info("commandstats")
    stats: dict[str, Any] = redis.info("stats")
    return {"round_trips": commands["cmdstat_evalsha"]["calls"], "bytes": stats["total_net_input_bytes"]}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    publish("overhead", measure(rounds))


if __name__ == "__main__":
    main()
