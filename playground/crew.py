"""The processes under test, `everthread bot` and `everthread worker`: unchanged, started again whenever they end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from everthread.exits import FAULT, NO_SERVICE
from playground.guard import Guard

FIRST_PAUSE, MOST_PAUSE = 0.2, 5.0
"""Seconds before a process is started again; doubled while it dies young."""
YOUNG = 3.0
LOG_BYTES = 20 * 1024 * 1024
"""A log that has grown beyond this begins anew at the next start."""


@dataclass(slots=True)
class Member:
    """One command. starts: how often it was started. fault: why it was not started again."""

    name: str
    environment: Mapping[str, str]
    log: Path
    process: asyncio.subprocess.Process | None = None
    born: float = 0.0
    starts: int = 0
    fault: str = ""

    @property
    def pid(self) -> int | None:
        """None while it is not running."""
        return self.process.pid if self.process is not None and self.process.returncode is None else None


class Crew:
    """Keeps one bot and one worker pool running, as a host would."""

    def __init__(self, environments: Mapping[str, Mapping[str, str]], logs: Path, guard: Guard) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self.members = [Member(name, given, logs / f"{name}.log") for name, given in environments.items()]
        self._guard = guard
        self._ending = False
        self._keepers: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._keepers = [asyncio.create_task(self._keep(member)) for member in self.members]

    def member(self, name: str) -> Member:
        return next(member for member in self.members if member.name == name)

    def pool(self) -> list[int]:
        """The pids under `everthread worker`: its workers and their sweep, oldest first."""
        return [child.pid for child in self._family("worker") if _lives(child)]

    def kill(self, pid: int) -> bool:
        """SIGKILL a process of the pool; False where it is none."""
        if pid not in self.pool():
            return False
        os.kill(pid, signal.SIGKILL)
        return True

    def kill_all(self) -> list[int]:
        """SIGKILL bot, supervisor and every process of the pool, at once: what a lost host looks like."""
        return self._signal(signal.SIGKILL)

    def deploy(self) -> list[int]:
        """SIGTERM to every process, as a host does; each is started again once it has ended."""
        return self._signal(signal.SIGTERM)

    def finish(self) -> None:
        """Start nothing any more; the guard ends what runs."""
        self._ending = True

    def _signal(self, number: signal.Signals) -> list[int]:
        family = self._family("worker")
        parents = [member.pid for member in self.members if member.pid is not None]
        pids = [*parents, *(child.pid for child in family)]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        return pids

    def _family(self, name: str) -> list[psutil.Process]:
        pid = self.member(name).pid
        if pid is None:
            return []
        with suppress(psutil.NoSuchProcess):
            return sorted(psutil.Process(pid).children(recursive=True), key=lambda child: child.pid)
        return []

    async def _keep(self, member: Member) -> None:
        loop, pause = asyncio.get_running_loop(), FIRST_PAUSE
        while not self._ending:
            code = await self._run(member)
            if 1 < code < FAULT and code != NO_SERVICE and code != 3:
                member.fault = last_line(member.log)
                return
            pause = FIRST_PAUSE if loop.time() - member.born > YOUNG else min(MOST_PAUSE, pause * 2)
            await asyncio.sleep(pause)

    async def _run(self, member: Member) -> int:
        if member.log.exists() and member.log.stat().st_size > LOG_BYTES:
            member.log.unlink()
        with member.log.open("ab") as log:
            member.process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "everthread",
                member.name,
                env=dict(member.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the playground, which ends it in order
            )
        member.born = asyncio.get_running_loop().time()
        member.starts += 1
        self._guard.watch_crew(member.process.pid)
        return await member.process.wait()


def last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it ended without a word"


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False
