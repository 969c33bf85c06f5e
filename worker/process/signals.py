"""A request to end, taken from the signal to a thread: a handler interrupts anything, a thread nothing."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from store.ports import Threads

ENDING = (signal.SIGTERM, signal.SIGINT)
Handler = Callable[[int, FrameType | None], None]


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """The interpreter writes to the wakeup descriptor only for signals that have a handler."""


def watch(threads: Threads, begin: Callable[[], None], flag: Handler = _nothing) -> None:
    """Call `begin` on a thread at the first SIGTERM or SIGINT, however many come; `flag` runs as the handler.

    Called once, from the main thread. Signals that were blocked until now (across a fork) are let through.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)

    def await_one() -> None:
        while not any(number in ENDING for number in reader.recv(64)):
            pass
        begin()

    _keep.extend((reader, writer))
    threads.start("signals", await_one)
    for number in ENDING:
        signal.signal(number, flag)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


_keep: list[socket.socket] = []
"""The descriptors outlive the call that made them; with the reader closed, each further signal would be a complaint
in the log."""
