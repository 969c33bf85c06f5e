"""Which process is at the other end of a loopback connection."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
ASK = struct.Struct("=LHHLL BBBBL")
"""A netlink header (length, type, flags, sequence, port), and which table of sockets is asked."""
ENDS = struct.Struct("!HH4s12x4s12xL8s")
"""Ports and addresses of this end and the other, an interface, a cookie."""
INODE_AT = 84
"""Where the answer names the socket: struct nlmsghdr, then the end of struct inet_diag_msg (linux/inet_diag.h)."""
LOOPBACK, ANY_COOKIE = socket.inet_aton("127.0.0.1"), b"\xff" * 8
MET = 16


class Peers:
    """Asks the kernel for the one socket, and looks for it in the processes that were met before first.

    Where the kernel cannot be asked like that, its whole table is read: among many connections that takes longer
    than any call.
    """

    def __init__(self) -> None:
        self._met: list[int] = []

    def pid(self, transport: asyncio.BaseTransport | None) -> int | None:
        """The process at the other end, or None if it is gone."""
        ends = (
            None if transport is None else (transport.get_extra_info("peername"), transport.get_extra_info("sockname"))
        )
        if ends is None or None in ends:
            return None
        (_, there), (_, here) = ends[0][:2], ends[1][:2]
        found = _holder(there, here, self._met)
        if found is not None:
            self._met = [found, *(pid for pid in self._met if pid != found and psutil.pid_exists(pid))][:MET]
        return found


def _holder(port: int, to: int, first: Iterable[int]) -> int | None:
    try:
        inode = socket_of(port, to)
    except OSError:
        return _in_table(port, to)
    if not inode:
        return None
    return next((pid for pid in _all(first) if _holds(pid, f"socket:[{inode}]")), None)


def socket_of(port: int, to: int) -> int:
    """The inode of the socket of 127.0.0.1 from `port` to `to`, 0 if there is none; `OSError` if nobody can tell."""
    ends = ENDS.pack(port, to, LOOPBACK, LOOPBACK, 0, ANY_COOKIE)
    wish = ASK.pack(ASK.size + ENDS.size, SOCK_DIAG_BY_FAMILY, 1, 0, 0, socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 0xFFF)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_SOCK_DIAG) as kernel:
        kernel.sendto(wish + ends, (0, 0))
        said = kernel.recv(4096)
    if struct.unpack_from("=H", said, 4)[0] == SOCK_DIAG_BY_FAMILY:
        return int(struct.unpack_from("=L", said, INODE_AT)[0])
    code = -struct.unpack_from("=l", said, 16)[0]
    if code == errno.ENOENT:
        return 0
    raise OSError(code, os.strerror(code))


def _all(first: Iterable[int]) -> Iterator[int]:
    """Every process: those given, then the youngest first."""
    yield from (known := list(first))
    yield from sorted((pid for pid in psutil.pids() if pid not in known), reverse=True)


def _holds(pid: int, link: str) -> bool:
    with suppress(OSError):
        return any(_points(entry, link) for entry in Path(f"/proc/{pid}/fd").iterdir())
    return False


def _points(entry: Path, link: str) -> bool:
    with suppress(OSError):
        return str(entry.readlink()) == link
    return False


def _in_table(port: int, to: int) -> int | None:
    for one in psutil.net_connections(kind="tcp4"):
        if one.pid and one.laddr and one.raddr and (one.laddr.port, one.raddr.port) == (port, to):
            return one.pid
    return None
