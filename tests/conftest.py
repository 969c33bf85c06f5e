"""Doubles for the seams, and a store over fakeredis."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import fakeredis
import pytest

from store.protocol import Store
from store.redis import open_store


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--clause", metavar="ID", help="only tests that prove this clause of docs/contract.md")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("--clause")
    if wanted is None:
        return
    kept = [item for item in items if any(wanted in mark.args for mark in item.iter_markers("clause"))]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


class FakeClock:
    """Time that stands still until it is told to pass."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.time = now
        self.slept = 0.0

    def now(self) -> float:
        return self.time

    def boottime(self) -> float:
        return self.time - 1_000_000

    def advance(self, seconds: float) -> None:
        self.time += seconds


class FakeIds:
    """Names in order: r1, r2, n1, …"""

    def __init__(self) -> None:
        self._counts: dict[str, itertools.count[int]] = {}

    def new(self, kind: str) -> str:
        return f"{kind[0]}{next(self._counts.setdefault(kind, itertools.count(1)))}"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ids() -> FakeIds:
    return FakeIds()


@pytest.fixture
def redis(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[fakeredis.FakeRedis]:
    """A fresh fakeredis whose own time is the fake clock's."""
    monkeypatch.setattr("time.time", clock.now)
    client = fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=True)
    yield client
    client.close()


@pytest.fixture
def store(redis: fakeredis.FakeRedis, clock: FakeClock, ids: FakeIds) -> Store:
    return open_store(redis, clock, ids)
