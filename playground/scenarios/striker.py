"""A death at a point: whoever makes that call is killed there, and what a host would start again is started again."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from typing import Literal

from playground.scenarios.happenings import Happening, NothingHappened
from playground.scenarios.points import DeathPoint
from playground.scenarios.stage import Stage

Reach = Literal["caller", "group", "all"]
"""Who dies: the process that makes the call, everything of its group, every process of ours."""
PLAY_SECONDS = 120.0


class Striker:
    """Strikes once in a play; `struck` is the death, once it happened."""

    def __init__(self, stage: Stage, point: DeathPoint, reach: Reach = "caller", *, on: str = "") -> None:
        self._stage, self._point, self._reach, self._on = stage, point, reach, on
        self._over = False

    @property
    def struck(self) -> Happening | None:
        deaths = [one for one in self._stage.happenings.all("death") if one["point"] == str(self._point)]
        return deaths[0] if deaths else None

    def arm(self) -> None:
        """Set it up, between the set-up of a play and its first step."""
        match self._point.where:
            case "store":
                self._stage.proxy.at_point = self._meet
            case "effect":
                self._stage.effects.at_point = self._meet
            case _:
                self._watch_call()
        self._start(self._mend)

    def rest(self) -> None:
        """The play is over."""
        self._over = True

    def _meet(self, point: DeathPoint, pid: int | None) -> bool:
        if point != self._point or pid is None or self._over:
            return False
        self._strike(pid)
        return True

    def _strike(self, pid: int) -> None:
        processes = self._stage.processes
        group = processes.group_of(pid)
        near = [group] if group is not None else []
        groups = {"caller": [], "group": near, "all": list(processes.groups)}[self._reach]
        pids = [pid, *(one for each in groups for one in processes.members(each) if one != pid)]
        self._stage.happenings.tell("death", point=str(self._point), victim=self._reach, pids=pids, pid=pid)
        processes.killed.update(pids)
        for one in pids:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def _watch_call(self) -> None:
        """Slack and Claude hold the call still for as long as the death takes."""
        point, since = self._point, self._stage.happenings.count
        if point.where == "slack":
            held = self._stage.slack.hold(point.name, point.nth, point.side)
            self._start(lambda: self._at("slack.hold.reached", since, held.release))
        else:
            how = "start" if point.side == "before" else "end"
            self._stage.claude.hold(how, on=self._on, turn=int(point.name.removeprefix("turn ")))
            self._start(lambda: self._at("claude.call.held", since, self._stage.claude.release))

    def _at(self, kind: str, since: int, release: object) -> None:
        with suppress(NothingHappened):
            held = self._wait(kind, since)
            pid = held["pid"]
            if pid is None:
                number = held["n"]
                placed = self._stage.happenings.wait(
                    lambda one: one.kind == "claude.call.placed" and one["n"] == number, "who asks", timeout=5.0
                )
                pid = placed["pid"]
            if not self._over and pid is not None:
                self._strike(pid)
        if callable(release):
            with suppress(Exception):
                release()

    def _wait(self, kind: str, since: int) -> Happening:
        return self._stage.happenings.wait(
            lambda one: one.kind == kind or one.kind == "play.over", str(self._point), timeout=PLAY_SECONDS, since=since
        )

    def _mend(self) -> None:
        """What a host does: start again what it had started and what is gone."""
        since = self._stage.happenings.count
        groups = self._stage.processes.groups
        with suppress(NothingHappened):
            while True:
                ended = self._stage.happenings.wait(
                    lambda one: (
                        one.kind == "play.over"
                        or (one.kind == "process.ended" and one["pid"] in groups and one["code"] == -signal.SIGKILL)
                    ),
                    "the end of the play",
                    timeout=PLAY_SECONDS,
                    since=since,
                )
                if ended.kind == "play.over" or self._over:
                    return
                since = ended.n + 1
                self._stage.start(groups[ended["pid"]], 1)

    @staticmethod
    def _start(work: object) -> None:
        if callable(work):
            threading.Thread(target=work, daemon=True).start()  # noqa: TID251 - the runner's own
