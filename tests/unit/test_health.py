"""What `/healthz` says, over the bot's own web server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection
from typing import cast

import pytest

from bot.reachable import FRESH_SECONDS, Reachable
from everthread.health import NO_WORKER_SECONDS, Check, Health, store_answers, worker_seen
from everthread.web import WebServer
from store.errors import StoreUnavailableError
from store.protocol import Inventory
from store.system import SystemClock, SystemThreads
from tests.bot.doubles import FakeSlack, refusal
from tests.conftest import FakeClock


class Workers:
    """The part of the inventory that knows when a worker was last seen."""

    def __init__(self) -> None:
        self.seen: float | None = None
        self.down = False

    def last_worker(self, team: str) -> float | None:
        if self.down:
            raise StoreUnavailableError("the store does not answer")
        return self.seen


def asked(checks: Mapping[str, Check], path: str = "/healthz") -> tuple[int, dict[str, str]]:
    web = WebServer("127.0.0.1", 0, Health(checks).routes, SystemClock())
    web.start(SystemThreads())
    try:
        with closing(HTTPConnection("127.0.0.1", web.port, timeout=5)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
    finally:
        web.stop()


@pytest.mark.clause("OPS-1")
def test_a_check_that_fails_turns_it_red_by_name_and_leaves_it_alive() -> None:
    checks: dict[str, Check] = {"slack": lambda: "not connected", "store": lambda: ""}
    assert asked(checks) == (503, {"status": "not ready", "slack": "not connected"})
    assert asked(checks, "/healthz/alive") == (200, {"status": "alive"})
    assert asked({"store": lambda: ""}) == (200, {"status": "ready"})


@pytest.mark.clause("OPS-1")
def test_no_worker_for_two_minutes_is_red_and_a_start_gets_as_long(clock: FakeClock) -> None:
    workers = Workers()
    check = worker_seen(cast("Inventory", workers), "T1", clock)
    clock.advance(NO_WORKER_SECONDS)
    assert check() == ""
    clock.advance(1)
    assert check() == "no worker was seen for 121 s"
    workers.seen = 100.0
    assert check() == ""
    workers.seen = 3_000.0
    assert "no worker" in check()
    workers.down = True
    assert check() == "", "that the store is away is said once, by the check for it"
    assert store_answers(cast("Inventory", workers), "T1")() == "the store does not answer"


@pytest.mark.clause("OPS-1")
def test_over_http_slack_is_asked_at_most_twice_a_minute(clock: FakeClock) -> None:
    slack = FakeSlack()
    reachable = Reachable(slack, clock)
    assert [reachable(), reachable()] == ["", ""]
    slack.answer("auth.test", refusal("token_revoked"))
    assert reachable() == ""
    clock.advance(FRESH_SECONDS)
    assert "token_revoked" in reachable()
    assert len(slack.made("auth.test")) == 2
