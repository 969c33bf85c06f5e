"""The real clock, ids and threads."""

from __future__ import annotations

import os
import re
import threading

import pytest

from store.errors import RunSuspended, RunWaiting
from store.system import SystemClock, SystemIds, SystemThreads


def test_an_id_is_the_kinds_letter_and_twelve_characters() -> None:
    ids = SystemIds()
    assert re.fullmatch("r[a-z0-9]{12}", ids.new("run"))
    assert len({ids.new("run") for _ in range(1000)}) == 1000


def test_a_fork_does_not_copy_the_ids_to_come() -> None:
    ids = SystemIds()
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, ids.new("run").encode())
        os._exit(0)
    os.wait()
    assert os.read(reader, 100).decode() != ids.new("run")
    os.close(reader)
    os.close(writer)


def test_boottime_passes() -> None:
    clock = SystemClock()
    before = clock.boottime()
    assert clock.boottime() >= before > 0
    assert clock.now() > 1_700_000_000


def test_map_answers_in_the_order_of_the_items_and_keeps_to_its_limit() -> None:
    gate = threading.Barrier(3, timeout=5)
    working: set[int] = set()
    most = 0

    def work(n: int) -> int:
        nonlocal most
        working.add(n)
        most = max(most, len(working))
        gate.wait()
        working.discard(n)
        return n * n

    assert SystemThreads().map(work, range(9), 3) == [n * n for n in range(9)]
    assert most <= 3
    assert SystemThreads().map(work, [], 3) == []


@pytest.mark.parametrize("limit", [1, 4])
def test_map_raises_the_first_control_flow_after_every_other_item_ended(limit: int) -> None:
    ended: list[int] = []
    flow = RunWaiting("w1")

    def work(n: int) -> None:
        if n == 1:
            raise flow
        if n == 2:
            raise ValueError("ordinary")
        ended.append(n)

    with pytest.raises(RunWaiting) as raised:
        SystemThreads().map(work, range(6), limit)
    assert raised.value is flow
    assert sorted(ended) == [0, 3, 4, 5]


def test_map_raises_an_ordinary_error_when_there_is_no_control_flow() -> None:
    def work(n: int) -> None:
        if n:
            raise ValueError(n)

    with pytest.raises(ValueError, match="1"):
        SystemThreads().map(work, [0, 1, 2], 1)


def test_an_except_exception_does_not_swallow_control_flow() -> None:
    def work(_: int) -> str:
        try:
            raise RunSuspended("deploy")
        except Exception:
            return "swallowed"

    with pytest.raises(RunSuspended):
        SystemThreads().map(work, [1, 2], 2)
