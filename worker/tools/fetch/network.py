"""A network on which only checked addresses can be reached, for a bounded time.

A name is looked up once, every address it has is checked, and the connection goes to an address that was checked:
there is no second look-up that could answer otherwise. The name itself stays in the Host header and in TLS.
"""

# ruff: noqa: ARG002 - the signatures are httpcore's; every wait here is measured by the call's own patience

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import httpcore2

from store.ports import Clock
from worker.tools.fetch.address import is_public, private
from worker.tools.tool import ToolError

Resolve = Callable[[str, int], Sequence[str]]
"""`resolve(host, port)`: the numeric addresses of a name; OSError when it has none."""
Dial = Callable[[str, int, float], httpcore2.NetworkStream]
"""`dial(address, port, seconds)`: a connection to a numeric address."""

POLL = 0.5
"""Seconds between looks at whether the call shall end."""
CONNECT = 5.0
"""Seconds for one address to answer."""
ADDRESSES = 4
"""Addresses of a name that are tried."""


class Patience:
    """The seconds a call may take, over all its redirects; `left()` raises when they are over or the run ends."""

    def __init__(self, clock: Clock, seconds: float, ending: Callable[[], bool]) -> None:
        self._clock, self._seconds, self._ending = clock, seconds, ending
        self._until = clock.boottime() + seconds

    def left(self) -> float:
        if self._ending():
            raise ToolError("Not fetched: the run was stopped or suspended meanwhile.")
        left = self._until - self._clock.boottime()
        if left <= 0:
            raise ToolError(f"Not fetched: it took longer than {self._seconds:g} s.", code="timeout", retryable=True)
        return left


class CheckedNetwork(httpcore2.NetworkBackend):
    """Connects to public addresses only, whatever a name, a redirect or a name server says."""

    def __init__(self, patience: Patience, resolve: Resolve, dial: Dial) -> None:
        self._patience, self._resolve, self._dial = patience, resolve, dial

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        failed: httpcore2.NetworkError | httpcore2.TimeoutException | None = None
        for address in self._addresses(host, port):
            try:
                stream = self._dial(address, port, min(CONNECT, self._patience.left()))
            except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
                failed = error
            else:
                return PatientStream(stream, self._patience)
        raise failed or httpcore2.ConnectError(f"{host} has no address")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.NetworkStream:
        raise httpcore2.ConnectError(f"{path} is not on the network")

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        self._patience.left()
        try:
            found = self._resolve(host.rstrip("."), port)
        except (OSError, UnicodeError) as error:
            raise ToolError(f"Not fetched: there is no host called {host}.", code="no_such_host") from error
        self._patience.left()
        if not all(map(is_public, found)):
            raise private(host)
        return found[:ADDRESSES]


class PatientStream(httpcore2.NetworkStream):
    """A connection on which every wait counts, however little comes at a time."""

    def __init__(self, stream: httpcore2.NetworkStream, patience: Patience) -> None:
        self._stream, self._patience = stream, patience

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            try:
                return self._stream.read(max_bytes, min(POLL, self._patience.left()))
            except httpcore2.ReadTimeout:
                continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._patience.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        secured = self._stream.start_tls(ssl_context, server_hostname, min(CONNECT, self._patience.left()))
        return PatientStream(secured, self._patience)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def resolve(host: str, port: int) -> list[str]:
    """The system's answer, each address once and in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def dial(address: str, port: int, seconds: float) -> httpcore2.NetworkStream:
    return httpcore2.SyncBackend().connect_tcp(address, port, seconds)
