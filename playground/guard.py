"""Ends what the playground started, whatever ends the playground: also SIGKILL, which nobody can answer.

A process of its own. It reads a line `stage pid born` for each process that was started, until its input is
closed; then it ends them, the lowest stage first.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress

import psutil

from store.system import SystemClock, SystemThreads

CREW, SERVERS = 0, 1
"""Stages: bot and worker go before the servers that they need to end in order."""
PATIENCE = {CREW: 15.0, SERVERS: 5.0}
"""Seconds a stage gets between SIGTERM and SIGKILL."""

_clock, _threads = SystemClock(), SystemThreads()


class Guard:
    """The playground's end of the line to its guard."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "playground.guard"], stdin=subprocess.PIPE, text=True, start_new_session=True
        )

    def watch_server(self, pid: int) -> None:
        """From now on this server ends with the playground."""
        self._watch(SERVERS, pid)

    def watch_crew(self, pid: int) -> None:
        """As a server, but ended before any of them."""
        self._watch(CREW, pid)

    def _watch(self, stage: int, pid: int) -> None:
        with suppress(psutil.NoSuchProcess):
            line = self._process.stdin
            if line is not None:
                line.write(f"{stage} {pid} {psutil.Process(pid).create_time()!r}\n")
                line.flush()

    def end(self) -> None:
        """End everything that was watched, and wait for it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: dict[int, list[psutil.Process]] = {CREW: [], SERVERS: []}
    for line in sys.stdin:
        stage, pid, born = line.split()
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(int(pid))
            if process.create_time() == float(born):
                watched[int(stage)].append(process)
    for stage in sorted(watched):
        _end(watched[stage], PATIENCE[stage])


def _end(processes: Iterable[psutil.Process], patience: float) -> None:
    living = [process for process in processes if _lives(process)]
    family = {*living, *(child for process in living for child in _children(process))}
    for process in living:
        _send(process, signal.SIGTERM)
    until = _clock.boottime() + patience
    while any(map(_lives, living)) and _clock.boottime() < until:
        _threads.sleep(0.02)
    for process in filter(_lives, family):
        _send(process, signal.SIGKILL)


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _children(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        return process.children(recursive=True)
    return []


def _send(process: psutil.Process, number: signal.Signals) -> None:
    with suppress(psutil.NoSuchProcess, ProcessLookupError):
        if process.pid != os.getpid():
            process.send_signal(number)


if __name__ == "__main__":
    main()
