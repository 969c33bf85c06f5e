"""The worker's processes on a real server: start, crash, deploy, a killed supervisor."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from redis import Redis

from playground.server import EmbeddedServer
from store.redis import open_store
from store.redis.connection import for_signals, for_wakes
from store.submission import Submission
from store.system import SystemClock, SystemIds, SystemThreads
from worker.process.wake import Wake

SCRIPT = Path(__file__).with_name("pool_process.py")
clock, ids, threads = SystemClock(), SystemIds(), SystemThreads()


def wait_until(predicate: Callable[[], Any], describe: str, within: float = 8.0) -> None:
    until = clock.boottime() + within
    while not predicate():
        assert clock.boottime() < until, f"not within {within} s: {describe}"
        threads.sleep(0.005)


@dataclass
class Bed:
    """A server, and the pools that a test starts on it."""

    server: EmbeddedServer
    redis: Redis
    pools: list[subprocess.Popen[bytes]]

    def start(self, workers: int, grace: float = 5.0) -> psutil.Process:
        arguments = [sys.executable, str(SCRIPT), self.server.url, str(workers), str(grace)]
        pool = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
        self.pools.append(pool)
        wait_until(lambda: len(self.idle()) >= workers, "the workers are up")
        return psutil.Process(pool.pid)

    def idle(self) -> list[bytes]:
        keys = self.redis.smembers("rq:workers:everthread")
        return [key for key in keys if self.redis.hget(key, "state") == "idle"]

    def admit(self, name: str) -> str:
        """A thread with one message in it; nobody is rung."""
        thread = f"T1/C1/{name}"
        store = open_store(self.redis, clock, ids)
        store.admissions.admit(Submission(thread, "C1", "1.0", "U1", "hello", ids.new("run"), clock.now()))
        return thread

    def ring(self, thread: str) -> bool:
        return Wake(for_wakes(self.server.url)).ring(thread)

    def next(self, name: str) -> tuple[str, int, float]:
        found = self.redis.blpop([name], timeout=8)
        assert found is not None, f"nothing {name}"
        thread, pid, at = json.loads(found[1])
        return thread, pid, at


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    server = EmbeddedServer.start(tmp_path / "data")
    bed = Bed(server, for_signals(server.url), [])
    yield bed
    for pool in bed.pools:
        family = psutil.Process(pool.pid).children(recursive=True) if pool.poll() is None else []
        for process in family:
            process.kill()
        pool.kill()
        pool.wait()
    server.kill()


@pytest.mark.clause("RUN-3", "LEASE-2")
def test_a_killed_workers_thread_is_worked_on_again_within_150_ms(bed: Bed) -> None:
    bed.start(2)
    thread = bed.admit("ignore")
    bed.ring(thread)
    took = []
    for _ in range(7):
        _, pid, _ = bed.next("began")
        wait_until(lambda: bed.idle(), "another worker is free")
        killed = clock.boottime()
        os.kill(pid, signal.SIGKILL)
        again, other, at = bed.next("began")
        assert (again, other == pid) == (thread, False)
        took.append(at - killed)
        bed.redis.rpush("began", json.dumps([again, other, at]))
    assert statistics.median(took) < 0.150, took


@pytest.mark.clause("RUN-9")
def test_repeated_signals_to_everyone_end_the_pool_cleanly_within_the_grace(bed: Bed) -> None:
    supervisor = bed.start(2)
    bed.ring(bed.admit("hold"))
    bed.next("began")
    everyone = [supervisor, *supervisor.children(recursive=True)]
    asked = clock.boottime()
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
        for process in everyone:
            if process.is_running():
                process.send_signal(number)
    assert bed.pools[0].wait(timeout=8) == 0
    assert clock.boottime() - asked < 5.0
    assert bed.next("ended")[0] == "T1/C1/hold"
    assert not any(process.is_running() for process in everyone[1:])


def test_what_does_not_end_within_the_grace_is_killed_and_its_lease_freed(bed: Bed) -> None:
    supervisor = bed.start(1, grace=-3.8)  # the margin makes it 0.2 s
    thread = bed.admit("ignore")
    bed.ring(thread)
    bed.next("began")
    supervisor.send_signal(signal.SIGTERM)
    assert bed.pools[0].wait(timeout=8) == 1
    assert bed.redis.hget("everthread:{T1}:t:C1:ignore:head", "lease") == "0"


def test_a_killed_supervisor_leaves_no_pool_behind(bed: Bed) -> None:
    supervisor = bed.start(2)
    bed.ring(bed.admit("hold"))
    bed.next("began")
    children = supervisor.children(recursive=True)
    supervisor.kill()
    bed.next("ended")
    _, alive = psutil.wait_procs(children, timeout=5)
    assert len(children) == 3
    assert alive == []


def test_an_idle_pool_ends_at_once_also_while_the_server_is_away(bed: Bed) -> None:
    supervisor = bed.start(2)
    bed.server.kill()
    asked = clock.boottime()
    supervisor.send_signal(signal.SIGTERM)
    assert bed.pools[0].wait(timeout=8) == 0
    assert clock.boottime() - asked < 3.0


@pytest.mark.clause("WORK-2")
def test_a_lost_wake_is_rung_again_by_the_sweep(bed: Bed) -> None:
    bed.start(1)
    thread = bed.admit("quick")
    assert bed.next("began")[0] == thread


@pytest.mark.clause("WORK-2")
def test_a_wake_left_twice_works_once_at_a_time(bed: Bed) -> None:
    bed.start(2)
    thread = bed.admit("hold")
    bed.ring(thread)
    bed.next("began")
    bed.ring(thread)
    found = bed.redis.blpop(["held"], timeout=8)
    assert found is not None
    assert found[1] == thread
    assert bed.redis.llen("began") == 0


@pytest.mark.clause("SEC-4")
def test_a_wake_is_plain_json_that_names_a_thread_and_nothing_else(bed: Bed) -> None:
    assert bed.ring("T1/C1/1.0")
    raw = for_wakes(bed.server.url)
    (job_id,) = raw.lrange("rq:queue:everthread", 0, -1)
    job = raw.hgetall(b"rq:job:" + job_id)
    assert json.loads(zlib.decompress(job[b"data"])) == ["worker.process.job.work", None, ["T1/C1/1.0"], {}]


def test_a_failing_job_leaves_the_worker_alive_and_nothing_in_rq(bed: Bed) -> None:
    bed.start(1)
    thread = bed.admit("fail")
    bed.ring(thread)
    _, pid, _ = bed.next("began")
    wait_until(lambda: bed.idle(), "the worker is free again")
    quick = bed.admit("quick")
    bed.ring(quick)
    assert bed.next("began")[:2] == (quick, pid)
    bed.next("ended")
    wait_until(lambda: not bed.redis.keys("rq:job:*"), "no job is kept")


def test_a_process_ends_after_a_job_that_left_a_thread_behind(bed: Bed) -> None:
    bed.start(1)
    stray = bed.admit("stray")
    bed.ring(stray)
    _, pid, _ = bed.next("began")
    bed.next("ended")
    wait_until(lambda: not psutil.pid_exists(pid), "the process is gone")
    quick = bed.admit("quick")
    bed.ring(quick)
    assert bed.next("began")[1] != pid


def test_the_pool_is_seen_in_its_workspaces(bed: Bed) -> None:
    bed.start(1)
    bed.admit("quick")
    inventory = open_store(bed.redis, clock, ids).inventory
    wait_until(lambda: inventory.last_worker("T1") is not None, "the pool is seen")


def test_a_wake_that_cannot_be_left_is_no_error(bed: Bed) -> None:
    from store.redis.connection import for_bot_wakes

    bed.server.kill()
    assert Wake(for_bot_wakes(bed.server.url)).ring("T1/C1/1.0") is False
