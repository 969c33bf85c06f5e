"""Who owns a tenure: a name that says which process it runs in, so that the dead can be told apart."""

from __future__ import annotations

import hashlib
import os
import socket
from functools import cache
from pathlib import Path

from store.ports import Ids

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def token(ids: Ids) -> str:
    """A fresh owner name for one tenure: `<boot>:<pid>:<start time>:<random>`. Made after the fork."""
    return process() + ids.new("owner")


def process(pid: int | None = None) -> str:
    """What every owner name of a process begins with, the last colon included. pid: ours unless given.

    The parent sees the same name for its child, until it has reaped it.
    """
    pid = os.getpid() if pid is None else pid
    return f"{_boot()}:{pid}:{_started(pid)}:"


@cache
def _boot() -> str:
    """8 hex digits for this boot of this host; containers share a boot id, but not a host name."""
    boot = BOOT_ID.read_text(encoding="ascii") if BOOT_ID.exists() else ""
    return hashlib.sha256(f"{boot}{socket.gethostname()}".encode()).hexdigest()[:8]


def _started(pid: int) -> str:
    """The process' start in clock ticks since boot (proc(5), field 22), so that a reused pid is somebody else."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "0"
    return stat.rpartition(")")[2].split()[19]
