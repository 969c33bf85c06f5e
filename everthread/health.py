"""`/healthz`: whether this process can do its work now; `/healthz/alive`: whether it runs at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from everthread.web import Application, StartResponse
from store.errors import EverthreadError
from store.ports import Clock
from store.protocol import Inventory

NO_WORKER_SECONDS = 120.0

Check = Callable[[], str]
"""Why not ready, in one line, or ''."""


def worker_seen(inventory: Inventory, team: str, clock: Clock) -> Check:
    """Red when no worker was seen here for two minutes since the start; content while the store cannot say."""
    began = clock.boottime()

    def check() -> str:
        try:
            seen = inventory.last_worker(team)
        except EverthreadError:
            return ""
        ago = clock.boottime() - began if seen is None else min(seen, clock.boottime() - began)
        return f"no worker was seen for {ago:.0f} s" if ago > NO_WORKER_SECONDS else ""

    return check


def store_answers(inventory: Inventory, team: str) -> Check:
    """Red while the store does not answer."""

    def check() -> str:
        try:
            inventory.last_worker(team)
        except EverthreadError as error:
            return str(error)
        return ""

    return check


class Health:
    """Answers `/healthz`: 200 when every check is content, else 503 with the reasons, by name.

    `/healthz/alive` is 200 as long as there is anybody to answer.
    """

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = dict(checks)

    @property
    def routes(self) -> Mapping[str, Application]:
        return {"/healthz": self._ready, "/healthz/alive": self._alive}

    def _ready(self, _environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        wrong = {name: why for name, check in self._checks.items() if (why := check())}
        status = HTTPStatus.SERVICE_UNAVAILABLE if wrong else HTTPStatus.OK
        return _json(start_response, status, {"status": "not ready" if wrong else "ready", **wrong})

    def _alive(self, _environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        return _json(start_response, HTTPStatus.OK, {"status": "alive"})


def _json(start_response: StartResponse, status: HTTPStatus, body: Mapping[str, Any]) -> Iterable[bytes]:
    raw = json.dumps(body).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(raw)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [raw]
