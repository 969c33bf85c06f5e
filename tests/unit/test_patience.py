"""How long each Redis client keeps its caller waiting."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from store.redis.connection import Budget, address, for_bot, for_signals, for_tenure, for_wakes
from store.system import SystemClock

clock = SystemClock()


@pytest.fixture
def frozen() -> Iterator[int]:
    """The port of a server that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


@pytest.mark.clause("ADMIT-1")
def test_the_bot_is_told_no_well_before_slack_gives_up_on_a_frozen_store(frozen: int) -> None:
    redis = for_bot(f"redis://127.0.0.1:{frozen}/0")
    before = clock.boottime()
    with pytest.raises(RedisError):
        redis.ping()
    assert clock.boottime() - before < 2.5


def test_a_budget_ends_by_time_and_not_by_a_count_of_tries() -> None:
    tries = 0

    def fail() -> None:
        nonlocal tries
        tries += 1
        raise RedisConnectionError("refused")

    before = clock.boottime()
    with pytest.raises(RedisConnectionError):
        Budget(0.1).call_with_retry(lambda: Budget(0.1).call_with_retry(fail, lambda _: None), lambda _: None)
    assert clock.boottime() - before < 0.5
    assert tries > 2


def test_a_budget_gives_the_answer_of_the_try_that_succeeds() -> None:
    answers = iter([RedisConnectionError("refused"), RedisConnectionError("refused"), "PONG"])

    def ask() -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert Budget(1.0).call_with_retry(ask, lambda _: None) == "PONG"


def test_every_client_states_its_patience() -> None:
    url = "rediss://:secret@example.invalid:6380/2"
    found = {}
    for make in (for_bot, for_tenure, for_signals, for_wakes):
        kwargs = make(url, verify=False).connection_pool.connection_kwargs
        found[make.__name__] = kwargs["socket_timeout"]
        assert kwargs["ssl_cert_reqs"] == "none"
        assert kwargs["client_name"].startswith("everthread-")
    assert found == {"for_bot": 1.0, "for_tenure": 2.0, "for_signals": 10.0, "for_wakes": 5.0}
    assert for_bot(url).connection_pool.connection_kwargs.get("ssl_cert_reqs") != "none"


def test_an_address_is_shown_without_its_password() -> None:
    assert address("rediss://user:secret@example.invalid:6380/2") == "example.invalid:6380"
    assert address("redis://example.invalid") == "example.invalid:6379"
    assert address("unix:///run/valkey.sock?db=1") == "/run/valkey.sock"
