"""What Linux lets a parent and its children promise each other; elsewhere these calls do nothing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
"""Both from <linux/prctl.h>."""


def adopt_orphans() -> None:
    """From now on the processes that a dead child leaves behind become ours to reap."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_with(parent: int) -> None:
    """Be asked to end (SIGTERM) when `parent` dies, also if it did just now: a killed supervisor leaves no pool."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}): {os.strerror(number)}")
