"""`/healthz`: whether this process can do its work now; `/healthz/alive`: whether it runs at all."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from store.errors import EverthreadError
from store.ports import Clock, Threads
from store.protocol import Inventory

NO_WORKER_SECONDS = 120.0
CLIENT_SECONDS = 5.0
"""How long one caller may keep the others waiting."""

Check = Callable[[], str]
"""Why not ready, in one line, or ''."""

log = logging.getLogger(__name__)


def worker_seen(inventory: Inventory, team: str, clock: Clock) -> Check:
    """Red when no worker was seen here for two minutes since the start, or the store does not answer."""
    began = clock.boottime()

    def check() -> str:
        try:
            seen = inventory.last_worker(team)
        except EverthreadError as error:
            return str(error)
        ago = clock.boottime() - began if seen is None else min(seen, clock.boottime() - began)
        return f"no worker was seen for {ago:.0f} s" if ago > NO_WORKER_SECONDS else ""

    return check


class HealthServer:
    """Answers on its own thread: 200 when every check is content, else 503 with the reasons, by name."""

    def __init__(self, bind: str, port: int, checks: Mapping[str, Check]) -> None:
        handler = type("Handler", (_Handler,), {"checks": dict(checks), "timeout": CLIENT_SECONDS})
        self._server = HTTPServer((bind, port), handler)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def start(self, threads: Threads) -> None:
        threads.start("health", lambda: self._server.serve_forever(poll_interval=0.2))

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    checks: Mapping[str, Check]
    server_version = "everthread"
    sys_version = ""

    def do_GET(self) -> None:  # the name http.server calls
        if self.path == "/healthz/alive":
            self._answer(200, {"status": "alive"})
        elif self.path == "/healthz":
            wrong = {name: why for name, check in self.checks.items() if (why := check())}
            self._answer(503 if wrong else 200, {"status": "not ready" if wrong else "ready", **wrong})
        else:
            self._answer(404, {"status": "there is only /healthz and /healthz/alive"})

    def _answer(self, code: int, body: Mapping[str, Any]) -> None:
        raw = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)
