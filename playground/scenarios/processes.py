"""The processes of a play: started through the forker, watched, killed by pid, and gone before the next play."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

import psutil

from playground.scenarios.happenings import Happenings

Kind = Literal["bot", "worker"]
START_SECONDS = 30.0


class Processes:
    """Every bot and every worker group that was started. A group's number is its first process' pid."""

    def __init__(self, happenings: Happenings, folder: Path, *, fresh: bool, keep: bool) -> None:
        self._happenings = happenings
        command = [sys.executable, "-m", "playground.scenarios.forker"]
        command += ["--fresh"] if fresh else []
        command += [] if keep else ["--folder", str(folder)]
        self._log = folder / "forker.log"
        log = self._log.open("wb")
        self._forker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
        log.close()
        self._pids: SimpleQueue[int | None] = SimpleQueue()
        self.groups: dict[int, Kind] = {}
        self.killed: set[int] = set()
        self.ended: dict[int, int] = {}
        self._thread = threading.Thread(target=self._listen, daemon=True)  # noqa: TID251 - the runner's own
        self._thread.start()
        try:
            self._answer()
        except BaseException:
            self.close()
            raise

    def start(self, kind: Kind, environment: Mapping[str, str], log: Path) -> int:
        """Start one; its pid, which is also its group."""
        self._ask({"start": kind, "environment": dict(environment), "log": str(log)})
        pid = self._answer()
        self.groups[pid] = kind
        return pid

    def guard(self, pid: int) -> None:
        """End this process, too, whenever the runner ends."""
        self._ask({"guard": pid})

    def living(self, kind: Kind) -> list[int]:
        """The groups of this kind whose first process lives, oldest first."""
        return [group for group, its in self.groups.items() if its == kind and _lives(group)]

    def members(self, group: int) -> list[int]:
        """Every living process of a group, the first one first."""
        found = [group] if _lives(group) else []
        for pid in psutil.pids():
            with suppress(ProcessLookupError, PermissionError):
                if pid != group and os.getpgid(pid) == group and _lives(pid):
                    found.append(pid)
        return found

    def group_of(self, pid: int) -> int | None:
        try:
            return os.getpgid(pid)
        except ProcessLookupError:
            return None

    def signal(self, pids: Iterable[int], number: signal.Signals) -> None:
        for pid in pids:
            if number == signal.SIGKILL:
                self.killed.add(pid)
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def await_end(self, pids: Iterable[int], timeout: float) -> None:
        """Until none of them lives; `NothingHappened` when some still do after `timeout` seconds."""
        wanted = list(pids)
        self._happenings.until(
            lambda: not any(map(_lives, wanted)), f"the end of {', '.join(map(str, wanted))}", timeout=timeout
        )

    def clear(self) -> None:
        """Kill everything of this play, and wait until it is gone."""
        self._happenings.until(lambda: not any(map(self._kill, self.groups)), "the end of the last play", timeout=10.0)
        self.groups.clear()
        self.killed.clear()
        self.ended.clear()

    def close(self) -> None:
        """End the forker, and with it everything."""
        if self._forker.stdin is not None:
            self._forker.stdin.close()
        try:
            self._forker.wait(15.0)
        except subprocess.TimeoutExpired:
            self._forker.kill()
            self._forker.wait()
        self._thread.join(5.0)
        if self._forker.stdout is not None:
            self._forker.stdout.close()

    def _ask(self, wish: Mapping[str, object]) -> None:
        if self._forker.stdin is None:
            raise RuntimeError("the forker was started without an input")
        self._forker.stdin.write(json.dumps(wish) + "\n")
        self._forker.stdin.flush()

    def _kill(self, group: int) -> bool:
        """Whether there was anything left to kill. The first process is killed by itself too: for a moment after its
        start it leads no group yet."""
        left = False
        for kill in (os.killpg,) if group in self.ended else (os.kill, os.killpg):
            with suppress(ProcessLookupError):
                kill(group, signal.SIGKILL)
                left = True
        return left

    def _answer(self) -> int:
        """The forker's; `RuntimeError` with its last words once it has ended."""
        pid = self._pids.get(timeout=START_SECONDS)
        if pid is None:
            words = self._log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
            raise RuntimeError(f"what starts the processes ended: {words or 'without a word'}")
        return pid

    def _listen(self) -> None:
        if self._forker.stdout is None:
            return
        for line in self._forker.stdout:
            said = json.loads(line)
            if "ended" in said:
                self.ended[said["ended"]] = said["code"]
                self._happenings.tell("process.ended", pid=said["ended"], code=said["code"])
            else:
                self._pids.put(said.get("pid", 0))
        self._pids.put(None)
        self._happenings.fail("the forker ended, and every process with it")


def _lives(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in ("Z", "X")
