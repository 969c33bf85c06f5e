"""A forked process of ours."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

from worker.process.kinship import end_with
from worker.process.signals import ENDING

FAILED = 70
"""The exit code of a child whose main function raised (EX_SOFTWARE in <sysexits.h>)."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Child:
    """born: `Clock.boottime` of the fork. owner: what the owner names of its tenures begin with."""

    pid: int
    born: float
    owner: str = ""


def fork(main: Callable[[], int], now: float, detach: Callable[[], None]) -> Child:
    """Run `main` in a new process and exit with its answer. detach: lets go of what is the parent's alone.

    The child starts with SIGTERM and SIGINT blocked, until it says that it can take them (`signals.watch`), so that
    none is lost and none kills it half-way. It is asked to end when its parent dies.
    """
    parent = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        if (pid := os.fork()) != 0:
            return Child(pid, now)
        code = FAILED
        try:
            detach()
            for number in ENDING:
                signal.signal(number, signal.SIG_DFL)
            end_with(parent)
            code = main()
        except BaseException:  # whatever it is must not run on in a copy of the parent
            log.exception("process failed")
        finally:
            logging.shutdown()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
