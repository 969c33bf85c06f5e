"""The one HTTP server of the bot: the health check, and what Slack posts where there is no socket."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from waitress import create_server, wasyncore

from store.ports import Clock, Task, Threads

THREADS = 10
"""As many requests are worked on at once as Bolt takes over a socket."""
FINISH_SECONDS = 10.0
"""For requests under way when we are asked to end; each has 3 s before Slack gives up."""
IDLE_SECONDS = 30
"""A client that says nothing for so long is cut off."""
MOST_CONNECTIONS = 200

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
Application = Callable[[Mapping[str, Any], StartResponse], Iterable[bytes]]


class WebServer:
    """Answers `routes` (path → WSGI application) on `bind`:`port` until `stop`; any other path is 404.

    A body over `largest_body` bytes is answered with 413 and not read. Raises `OSError` when it cannot listen.
    """

    def __init__(
        self, bind: str, port: int, routes: Mapping[str, Application], clock: Clock, largest_body: int = 65_536
    ) -> None:
        # One line per slow moment, and "client disconnected", are waitress' own and help nobody.
        logging.getLogger("waitress").setLevel(logging.ERROR)
        self._routes, self._clock = dict(routes), clock
        self._sockets: dict[int, Any] = {}
        self._server = create_server(
            self._route,
            map=self._sockets,
            host=bind,
            port=port,
            threads=THREADS,
            ident="everthread",
            connection_limit=MOST_CONNECTIONS,
            channel_timeout=IDLE_SECONDS,
            cleanup_interval=IDLE_SECONDS // 2,
            max_request_body_size=largest_body,
            clear_untrusted_proxy_headers=True,
            asyncore_use_poll=True,
        )
        self._stop_by: float | None = None
        self._task: Task | None = None

    @property
    def port(self) -> int:
        return int(self._server.effective_port)

    def start(self, threads: Threads) -> None:
        self._task = threads.start("web", self._serve)

    def stop(self) -> None:
        """Take no more connections, finish the requests under way, and return; at most `FINISH_SECONDS`."""
        self._stop_by = self._clock.boottime() + FINISH_SECONDS
        self._server.pull_trigger()
        if self._task is not None:
            self._task.join(FINISH_SECONDS + 2.0)

    def _serve(self) -> None:
        while self._stop_by is None:
            wasyncore.loop(timeout=0.5, use_poll=True, map=self._sockets, count=1)
        wasyncore.dispatcher.close(self._server)  # the listener alone: its trigger still wakes this loop
        while self._busy() and self._clock.boottime() < self._stop_by:
            wasyncore.loop(timeout=0.1, use_poll=True, map=self._sockets, count=1)
        self._server.task_dispatcher.shutdown(timeout=1)
        self._server.trigger.close()
        wasyncore.close_all(self._sockets)

    def _busy(self) -> bool:
        """Close every connection that waits for nothing of ours; whether any is left."""
        for channel in list(self._server.active_channels.values()):
            if not channel.requests and not channel.total_outbufs_len:
                channel.handle_close()
        return bool(self._server.active_channels)

    def _route(self, environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        application = self._routes.get(environ["PATH_INFO"], _nothing_here)
        return application(environ, start_response)


def _nothing_here(_environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    status = HTTPStatus.NOT_FOUND
    start_response(f"{status.value} {status.phrase}", [("Content-Type", "text/plain; charset=utf-8")])
    return [b"there is nothing here\n"]
