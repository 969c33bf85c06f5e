"""What a turn costs, in counts that the server keeps: they are the same on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from bench.overhead import Subject, turn_counts
from playground.server import EmbeddedServer
from store.redis import open_store
from store.redis.connection import for_signals, for_tenure
from store.system import SystemClock, SystemIds


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Subject]:
    server = EmbeddedServer.start(Path(tmp_path_factory.mktemp("valkey")))
    clock, ids = SystemClock(), SystemIds()
    redis, blocking = for_tenure(server.url), for_signals(server.url)
    subject = Subject(redis, open_store(redis, clock, ids, blocking=blocking), clock, ids)
    subject.ours(3)
    yield subject
    _close(redis, blocking)
    server.stop()


def _close(*clients: Redis) -> None:
    for client in clients:
        client.connection_pool.disconnect()
        client.close()


@pytest.mark.clause("LOG-4")
def test_a_turn_with_one_unsafe_tool_makes_two_round_trips(subject: Subject) -> None:
    assert turn_counts(subject, 5, 25)["round_trips"] == 2.0


@pytest.mark.clause("LOG-4")
def test_the_bytes_of_a_turn_do_not_grow_with_the_run(subject: Subject) -> None:
    early, late = turn_counts(subject, 5, 25)["bytes"], turn_counts(subject, 205, 225)["bytes"]

    assert late == pytest.approx(early, rel=0.02)
