"""One suite over every server: fakeredis, Valkey and Redis.

Tests that move the clock run on fakeredis alone, whose time is ours to move.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import fakeredis
import pytest
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from playground.server import EmbeddedServer
from store.protocol import Store
from store.redis import open_store
from store.system import SystemClock
from tests.conftest import FakeIds

SERVERS = ("fakeredis", "valkey", "redis")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "redis" in metafunc.fixturenames:
        servers = SERVERS[:1] if "clock" in _asked_for(metafunc) else SERVERS
        metafunc.parametrize("redis", servers, indirect=True)


def _asked_for(metafunc: pytest.Metafunc) -> set[str]:
    """What the test itself names: the clock that other fixtures need does not count."""
    return set(metafunc.function.__code__.co_varnames[: metafunc.function.__code__.co_argcount])


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = EmbeddedServer.start(Path(tmp_path_factory.mktemp("valkey")))
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = shutil.which("redis-server")
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("redis-server is missing, and in CI nothing is skipped: .ci/run installs it")
        pytest.skip("redis-server is not installed; Debian has it as the package redis-server")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder), "--loglevel", "warning"]
    child = subprocess.Popen([program, *options], stdout=subprocess.PIPE)
    url = f"redis://127.0.0.1:{port}/0"
    patient = Retry(ConstantBackoff(0.02), 250)
    probe_client = Redis.from_url(url, retry=patient, retry_on_error=[RedisConnectionError])
    try:
        probe_client.ping()
        yield url
    finally:
        probe_client.close()
        child.terminate()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


@pytest.fixture
def redis(request: pytest.FixtureRequest) -> Iterator[Redis]:
    """A client of an empty server of the kind that the test is about."""
    if request.param == "fakeredis":
        moving = request.getfixturevalue("clock")
        patch = request.getfixturevalue("monkeypatch")
        patch.setattr("time.time", moving.now)
        client: Redis = fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=True)
    else:
        url = request.getfixturevalue("valkey" if request.param == "valkey" else "redis_server")
        client = Redis.from_url(url, decode_responses=True)
        client.flushall()
    yield client
    client.close()


@pytest.fixture
def store(redis: Redis, request: pytest.FixtureRequest, ids: FakeIds) -> Store:
    fake = isinstance(redis, fakeredis.FakeRedis)
    return open_store(redis, request.getfixturevalue("clock") if fake else SystemClock(), ids)
