"""The embedded server: durable, found again, never doubled."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from playground.server import EmbeddedServer, ServerError
from store.redis.check import check
from store.redis.connection import for_bot


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    server = EmbeddedServer.start(tmp_path / "data")
    yield server
    server.kill()


def test_what_it_acknowledged_is_there_after_a_kill(server: EmbeddedServer) -> None:
    for_bot(server.url).set("kept", "yes")
    server.kill()
    server.restart()
    assert for_bot(server.url).get("kept") == "yes"


def test_a_second_start_finds_the_running_server(server: EmbeddedServer) -> None:
    again = EmbeddedServer.start(server.folder)
    assert (again.pid, again.port) == (server.pid, server.port)


def test_its_lock_outlives_whoever_started_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    starter = f"import pathlib, playground.server as p; p.EmbeddedServer.start(pathlib.Path({str(folder)!r}))"
    subprocess.run([sys.executable, "-c", starter], check=True)
    orphan = EmbeddedServer.running(folder)
    assert orphan is not None
    try:
        (folder / "port").unlink()
        with pytest.raises(ServerError, match="another server works on"):
            EmbeddedServer.start(folder)
    finally:
        orphan.kill()
    fresh = EmbeddedServer.start(folder)
    assert fresh.pid != orphan.pid
    fresh.stop()


def test_a_durable_server_that_never_evicts_passes_the_check(server: EmbeddedServer) -> None:
    assert check(server.url) == []


@pytest.mark.clause("OPS-3")
def test_a_server_that_evicts_is_refused_in_one_line(server: EmbeddedServer) -> None:
    redis = for_bot(server.url)
    redis.config_set("maxmemory-policy", "allkeys-lru")
    redis.config_set("appendonly", "no")
    refused, warned = check(server.url)
    assert (refused.kind, warned.kind) == ("refused", "warned")
    assert "set maxmemory-policy to noeviction" in refused.line
    assert "keeps nothing over a restart" in warned.line


def test_a_server_that_is_not_there_is_said_in_one_line(server: EmbeddedServer) -> None:
    server.kill()
    (verdict,) = check(f"redis://:secret@127.0.0.1:{server.port}/0")
    assert verdict.kind == "unreachable"
    assert "secret" not in verdict.line
    assert f"127.0.0.1:{server.port}" in verdict.line
