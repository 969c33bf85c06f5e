"""What came of it: one thread's latest run and whoever works on it, read from the store and the stand-ins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playground.page.happenings import Happenings
from playground.page.knots import knots
from playground.standins.slack.people import TEAM
from playground.workspace import Workspace
from store.errors import EverthreadError
from store.protocol import Head
from store.record import Record, read_log
from store.wait import Wait
from worker.prompt import words
from worker.state import RunState, fold

Json = dict[str, Any]

MOST_WAITS = 50
_PROMPT = 200
"""Characters of a prompt that the Claude stand-in keeps of each call."""


@dataclass(slots=True)
class Tenures:
    """Who was seen to own a run, one after the other: owner names, each once."""

    owners: dict[str, list[str]] = field(default_factory=dict)

    def see(self, head: Head) -> None:
        if head.owner and head.run and head.lease_left > 0:
            seen = self.owners.setdefault(head.run, [])
            if head.owner not in seen:
                seen.append(head.owner)

    def pids(self, run: str) -> list[int]:
        return [pid_of(owner) for owner in self.owners.get(run, [])]


def _asked(wait: Wait) -> str:
    """What is asked, in a line."""
    only = [question.text for question in wait.questions if len(wait.questions) == 1]
    return wait.call or next(iter(only), wait.title)


def pid_of(owner: str) -> int:
    """The process in an owner's name, `<boot>:<pid>:<start>:<random>`; 0 where it names none."""
    parts = owner.split(":")
    return int(parts[1]) if len(parts) == 4 and parts[1].isdecimal() else 0


class Facts:
    """Looks; changes nothing. Blocking: each look asks the store and the stand-ins."""

    def __init__(self, workspace: Workspace, happenings: Happenings) -> None:
        self._workspace, self._happenings = workspace, happenings
        self._tenures = Tenures()

    def holder(self, thread: str) -> int:
        """The process that holds the lease on a thread; 0 while nobody does."""
        head = self._workspace.store.inventory.head(thread)
        return pid_of(head.owner) if head is not None and head.lease_left > 0 else 0

    def busy(self) -> list[str]:
        """Threads on which somebody works."""
        owed = self._workspace.store.inventory.owed(TEAM).threads
        return [thread for thread in owed if self.holder(thread)]

    def look(self, thread: str) -> Json:
        """Everything the page shows beside a thread ("": none). `store` says why the store cannot tell."""
        found: Json = {"thread": thread, "run": None, "store": "", "happenings": self._happenings.of(thread)}
        try:
            found |= self._look_at(thread) if thread else {}
            found["spent"] = self._workspace.store.workspace.spent_today(TEAM)
            found["waiting"] = self._waiting()
        except EverthreadError as error:
            found["store"] = str(error)
        return found | {"processes": self._processes()}

    def _waiting(self) -> list[Json]:
        """What the workspace's runs ask of people now, the oldest first."""
        page = self._workspace.store.waits.open(TEAM, limit=MOST_WAITS)
        asked = sorted(page.waits, key=lambda wait: wait.asked)[:MOST_WAITS]
        return [
            {
                "wait": wait.id,
                "run": wait.run,
                "thread": wait.thread,
                "kind": wait.kind,
                "title": _asked(wait),
                "questions": max(1, len(wait.questions)),
                "asked": wait.asked,
                "deadline": wait.deadline,
                "asker": wait.asker,
            }
            for wait in asked
        ]

    def _look_at(self, thread: str) -> Json:
        store = self._workspace.store
        head = store.inventory.head(thread)
        if head is None:
            return {}
        self._tenures.see(head)
        runs = fold(records := read_log(thread, store.log.read(thread)))
        if not runs:
            return {"queued": head.queued}
        state = list(runs.values())[-1]
        mine = [record for record in records if record.run == state.id]
        return {
            "run": self._run(head, state, mine),
            "knots": knots(mine, self._tenures.pids(state.id)),
            "calls": self._calls(state),
            "queued": head.queued,
        }

    def _run(self, head: Head, state: RunState, records: Sequence[Record]) -> Json:
        holder = pid_of(head.owner) if head.lease_left > 0 else 0
        status = state.settled.body["status"] if state.settled else head.status
        return {
            "id": state.id,
            "status": status,
            "delivered": state.delivered is not None,
            "steps": state.steps_done,
            "kept": state.kept,
            "repeated": state.repeated,
            "restarts": state.restarts,
            "tenures": 1 + state.resumptions,
            "records": len(records),
            "holder": holder,
            "holder_lives": holder in self._workspace.crew.pool(),
            "lease_left": math.ceil(head.lease_left) if holder else 0,
            "pids": self._tenures.pids(state.id),
            "cost": state.cost,
        }

    def _calls(self, state: RunState) -> Json:
        """Model calls of this run: recorded by us, and billed by the stand-in, which counts by what was asked."""
        found: Json = {"recorded": sum(turn.model.state == "done" for turn in state.turns), "cut": state.cut_calls}
        if self._workspace.claude is None:
            return found
        prompt = words(state.input)[:_PROMPT]
        until = state.settled.at + 1 if state.settled else float("inf")
        billed = [
            call
            for call in self._workspace.claude.state()["calls"]
            if call["billed"] is not None and state.start.at - 1 <= call["at"] <= until and prompt in call["prompt"]
        ]
        whole = [call["digest"] for call in billed if call["ended"] == "complete"]
        return found | {
            "billed": len(billed),
            "cut": sum(call["ended"] == "cut" for call in billed),
            "twice": len(whole) - len(set(whole)),
        }

    def _processes(self) -> Json:
        crew, valkey = self._workspace.crew, self._workspace.valkey
        members = {
            member.name: {"pid": member.pid, "restarts": max(0, member.starts - 1), "fault": member.fault}
            for member in crew.members
        }
        return members | {"pool": crew.pool(), "valkey": valkey.pid if valkey is not None else None}
