"""A connection to Claude that another thread can end at any moment."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Mapping
from typing import Any

import httpx2


class Wire:
    """Wraps a client that carries one call at a time; `shut` ends that call within milliseconds.

    Closing a response does not wake the thread that reads it, shutting the socket down does. The socket is
    learnt when it is connected, long before the response that would name it, so that a call waiting for
    its headers can be ended too. Only resolving the name and connecting cannot: the connect timeout bounds them.
    """

    def __init__(self, client: httpx2.Client) -> None:
        self.client = client
        client.event_hooks["request"].append(self._leaving)
        client.event_hooks["response"].append(self._answered)
        self._socket: socket.socket | None = None
        self._shut = False
        self._size = 0
        self.sent = 0

    def shut(self) -> None:
        """End the call; the wire is of no use afterwards. Any thread, any number of times."""
        self._shut = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.shut()
        if self._socket is not None:
            self._socket.close()
        self.client.close()

    def _leaving(self, request: httpx2.Request) -> None:
        if self._shut:
            raise ConnectionAbortedError("ended before the request left")
        self._size, self.sent = len(request.content), 0
        request.extensions = {**request.extensions, "trace": self._traced}

    def _traced(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "connect_unix_socket.complete")):
            self._hold(info["return_value"])
        elif event.endswith("send_request_body.complete"):
            self.sent = self._size

    def _answered(self, response: httpx2.Response) -> None:
        if (stream := response.extensions.get("network_stream")) is not None:
            self._hold(stream)

    def _hold(self, stream: Any) -> None:
        raw = stream.get_extra_info("socket")
        if raw is None or raw.fileno() < 0:
            return
        # A duplicate: TLS takes the original over in mid-handshake, and a closed number may be somebody else's.
        old, self._socket = self._socket, socket.fromfd(raw.fileno(), raw.family, raw.type)
        if old is not None:
            old.close()
        if self._shut:
            self.shut()
