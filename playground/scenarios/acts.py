"""What a step does, on real processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import Any

from playground.scenarios.gestures import SOON, Gestures
from playground.scenarios.happenings import NothingHappened
from playground.scenarios.quiet import is_quiet
from playground.scenarios.scenario import Victim
from playground.scenarios.stage import Stage

GRACE_SECONDS = 0.5
"""Between Slack's wish for a new connection and the end of the old one; Slack gives ten."""
AGAIN_SECONDS, HEROKU_SECONDS = 0.3, 30.0
"""Between the two SIGTERMs, and until the SIGKILL, as Heroku has it."""


class Acts(Gestures):
    """Does one step after the other: what people do, and what becomes of processes, services and connections."""

    def __init__(self, stage: Stage, *, lenient: bool = False) -> None:
        super().__init__(stage)
        self._stage, self._lenient = stage, lenient
        self._frozen: list[int] = []
        self._bots = 0

    def until(self, true: Callable[[], bool], describe: str, seconds: float = SOON) -> None:
        """lenient: nobody waits for what cannot come any more, because everything is over."""
        super().until(lambda: true() or self._is_over(), describe, seconds)
        if not true():
            raise NothingHappened(f"everything is over without {describe}")

    def _is_over(self) -> bool:
        return self._lenient and self.said and is_quiet(self._stage.happenings)

    def begin(self, bots: int) -> None:
        self._bots = bots

    def do(self, acts: Mapping[str, Any]) -> None:
        """acts: a step's keys, and `caller`: whose call stands still, if any does."""
        for name, value in acts.items():
            act = getattr(self, f"_{name}", None)
            if act is not None:
                act(value, acts)

    def _kill(self, victim: Victim, acts: Mapping[str, Any]) -> None:
        if victim == "redis":
            self._stage.server.kill()
            return
        pids = self._pids(victim, acts)
        self._stage.happenings.tell("death", victim=victim, pids=pids, pid=pids[0])
        self._stage.processes.signal(pids, signal.SIGKILL)
        self._stage.processes.await_end(pids, SOON)

    def _term(self, victim: Victim, acts: Mapping[str, Any]) -> None:
        """Announces the end as a host does: to every process, twice, and not for ever."""
        processes, pids = self._stage.processes, self._pids(victim, acts)
        for seconds in (AGAIN_SECONDS, HEROKU_SECONDS):
            processes.signal(pids, signal.SIGTERM)
            try:
                processes.await_end(pids, seconds)
                return
            except NothingHappened:
                continue
        processes.signal(pids, signal.SIGKILL)
        processes.await_end(pids, SOON)
        raise NothingHappened(f"{victim} did not end within {HEROKU_SECONDS:g} s and was killed")

    def _freeze(self, victim: Victim, acts: Mapping[str, Any]) -> None:
        self._frozen = self._pids(victim, acts)
        self._stage.processes.signal(self._frozen, signal.SIGSTOP)

    def _wake(self, _victim: Victim, _acts: Mapping[str, Any]) -> None:
        self._stage.processes.signal(self._frozen, signal.SIGCONT)

    def _start(self, counts: Mapping[str, int], _acts: Mapping[str, Any]) -> None:
        if counts.get("redis"):
            self._stage.restart_server()
        self._stage.start("worker", counts.get("workers", 0))
        self._stage.start("bot", counts.get("bots", 0))
        if counts.get("bots"):
            self._bots += counts["bots"]
            self._stage.await_bots(self._bots)

    def _restart(self, _what: str, _acts: Mapping[str, Any]) -> None:
        self._stage.restart_server()

    def _drop(self, what: str, _acts: Mapping[str, Any]) -> None:
        if what == "refresh":
            self._stage.slack.close_sockets("refresh_requested", GRACE_SECONDS)
        else:
            self._stage.slack.close_sockets("close")

    def _fault(self, given: Mapping[str, Mapping[str, Any]], _acts: Mapping[str, Any]) -> None:
        if "slack" in given:
            self._stage.slack.fault(**given["slack"])
        if "claude" in given:
            self._stage.claude.fault(**given["claude"])

    def _mends(self, _what: str, _acts: Mapping[str, Any]) -> None:
        self._stage.slack.no_fault()

    def _finish(self, tool: str, _acts: Mapping[str, Any]) -> None:
        self._stage.effects.finish(tool)

    def _pids(self, victim: Victim, acts: Mapping[str, Any]) -> list[int]:
        """Whom a step means, the first process of a group first."""
        processes = self._stage.processes
        match victim:
            case "bot":
                return processes.living("bot")[:1]
            case "bots":
                return processes.living("bot")
            case "all":
                return [pid for group in list(processes.groups) for pid in processes.members(group)]
            case "job":
                return [self._job(acts)]
            case "caller":
                if acts["caller"] is None:
                    raise NothingHappened("nobody's call stands still here")
                return [int(acts["caller"])]
        job = self._job(acts)
        group = processes.group_of(job)
        members = processes.members(group) if group is not None else []
        return {"worker": members[1:], "supervisor": members[:1], "group": members}[victim]

    def _job(self, acts: Mapping[str, Any]) -> int:
        """The process that owns the thread."""
        claims = self._stage.happenings.all("store.claim")
        channel_root = self.threads.get(acts.get("thread", "main"))
        for claim in reversed(claims):
            if claim["won"] and (channel_root is None or claim["thread"].endswith(f"/{channel_root[1]}")):
                return int(claim["pid"])
        raise NothingHappened("no process works on the run")
