"""Who calls a stand-in: the process at the other end of a connection."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from playground.standins import peers
from playground.standins.peers import Peers

KNOCK = "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); s.recv(1)"


class Line:
    """The transport of an accepted connection."""

    def __init__(self, accepted: socket.socket) -> None:
        self._known = {"peername": accepted.getpeername(), "sockname": accepted.getsockname()}

    def get_extra_info(self, name: str) -> object:
        return self._known.get(name)


@contextmanager
def a_caller() -> Iterator[tuple[int, Line, socket.socket]]:
    """Another process that is connected: its pid, the line, and the accepted end."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        caller = subprocess.Popen([sys.executable, "-c", KNOCK, str(door.getsockname()[1])])
        try:
            accepted, _ = door.accept()
            with accepted:
                yield caller.pid, Line(accepted), accepted
        finally:
            caller.kill()
            caller.wait()


@pytest.mark.parametrize("way", ["asked", "read"])
def test_the_process_at_the_other_end_is_found(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "read":
        monkeypatch.setattr(peers, "socket_of", _unable)
    found = Peers()
    with a_caller() as (pid, line, accepted):
        assert found.pid(line) == pid  # type: ignore[arg-type] # a transport as far as it is asked
        assert found.pid(line) == pid  # type: ignore[arg-type]
        accepted.sendall(b"!")


def test_the_two_ends_of_one_process_are_told_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door, socket.create_connection(door.getsockname()) as near:
        far, _ = door.accept()
        with far:
            there, here = near.getsockname()[1], door.getsockname()[1]
            assert peers.socket_of(there, here) == os.fstat(near.fileno()).st_ino
            assert peers.socket_of(here, there) == os.fstat(far.fileno()).st_ino


def test_nobody_is_at_the_other_end_of_a_line_that_is_gone() -> None:
    with a_caller() as (_, line, accepted):
        accepted.close()
    assert Peers().pid(line) is None  # type: ignore[arg-type]
    assert Peers().pid(None) is None


def _unable(_port: int, _to: int) -> int:
    raise OSError("the kernel is not asked here")
