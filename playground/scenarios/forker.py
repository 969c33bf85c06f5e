"""`python -m playground.scenarios.forker`: starts the real processes for a runner, and ends them with it.

It loads what bot and worker need once and forks it; with `--fresh` it starts them by their command instead. It has
one thread, because a fork beside a thread that holds a lock hangs the child. Standard input brings one JSON a line:
{"start": "bot" | "worker", "environment": {…}, "log": path}, {"guard": pid}. It answers {"pid": …} for each start,
and tells {"ended": pid, "code": …}. When its input ends, so does everything it started or guards.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import selectors
import shutil
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from store.system import SystemClock
from worker.process.kinship import PR_SET_PDEATHSIG, adopt_orphans

END_SECONDS = 5.0


class Forker:
    """folder: what the runner wrote during its plays; removed at the end unless it is to be kept."""

    def __init__(self, *, fresh: bool, folder: Path | None) -> None:
        self._fresh, self._folder = fresh, folder
        self._groups: set[int] = set()
        self._guarded: set[int] = set()
        self._input = b""
        self._selector = selectors.DefaultSelector()
        self._bell, self._ringer = socket.socketpair()

    def run(self) -> None:
        """Serve until the input ends."""
        for end in (self._bell, self._ringer):
            end.setblocking(False)
        signal.set_wakeup_fd(self._ringer.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        self._selector.register(self._bell, selectors.EVENT_READ)
        _tell(ready=True)
        while self._serve(None):
            pass
        self._end()

    def _serve(self, timeout: float | None) -> bool:
        """Whatever comes next; False when the input has ended."""
        for key, _ in self._selector.select(timeout):
            if key.fileobj is self._bell:
                with suppress(BlockingIOError):
                    while self._bell.recv(4096):
                        pass
                self._reap()
            elif not self._hear():
                return False
        return True

    def _hear(self) -> bool:
        data = os.read(sys.stdin.fileno(), 1 << 20)
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            wish = json.loads(line)
            if "guard" in wish:
                self._guarded.add(wish["guard"])
            else:
                _tell(pid=self._start(wish))
        return bool(data)

    def _start(self, wish: dict[str, Any]) -> int:
        if (pid := os.fork()) != 0:
            self._groups.add(pid)
            return pid
        code = 70
        try:
            self._become(wish)
            if self._fresh:
                os.execve(sys.executable, [sys.executable, "-m", "everthread", wish["start"]], wish["environment"])  # noqa: S606
            from everthread.console import main

            code = main([wish["start"]])
        except BaseException as error:  # a copy of this process must not run on
            print(f"{wish['start']}: {error!r}", file=sys.stderr)
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _become(self, wish: dict[str, Any]) -> None:
        """Let go of what is the forker's: a session, an environment and a log of its own."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.setsid()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        log = os.open(wish["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        self._selector.close()
        self._bell.close()
        self._ringer.close()
        os.environ.clear()
        os.environ.update(wish["environment"])

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                _tell(ended=pid, code=os.waitstatus_to_exitcode(status))

    def _end(self) -> None:
        clock = SystemClock()
        until = clock.boottime() + END_SECONDS
        for group in self._groups:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for pid in self._guarded:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self._selector.unregister(sys.stdin.fileno())
        while any(map(_lives, self._groups)) and clock.boottime() < until:
            self._serve(0.2)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _tell(**said: Any) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _preload() -> None:
    """Everything a bot or a worker will import, once."""
    for module in ("everthread.console", "everthread.logs", "everthread.processes", "playground.scenarios.tools"):
        import_module(module)
    from worker.model.claude import Claude

    Claude.prepare()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m playground.scenarios.forker", description=__doc__)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if not given.fresh:
        _preload()
    adopt_orphans()
    gc.collect()
    gc.freeze()
    Forker(fresh=given.fresh, folder=given.folder).run()


if __name__ == "__main__":
    main()
