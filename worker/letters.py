"""What people sent to a thread's owner, taken from its letterbox into the log: answers, wishes, orders."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from store.errors import AnsweredError
from store.lease import Closing, Commit, Mailbox
from store.record import Record
from store.stepkey import StepKey
from store.values import decode
from store.wait import Answer, Wait
from worker.door import Door
from worker.ledger import Ledger
from worker.services import Services
from worker.state import RunState
from worker.waiting import moments

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Heeded:
    """What the letters lead to. goes_on: the open run has an answer. reopened: a parked run that is the open one now.

    due: what is to be shown because of them, before any run goes on. later: what rests now until the thread is free.
    reopening: every run that is, or will be, taken up again. healed: parked runs to be closed without an answer, each
    with who asked for it.
    """

    goes_on: bool = False
    reopened: str = ""
    due: dict[str, str] = field(default_factory=dict)
    later: dict[str, str] = field(default_factory=dict)
    reopening: set[str] = field(default_factory=set)
    healed: list[tuple[str, str]] = field(default_factory=list)


class Letters:
    """Reads a mailbox' letters, and the moments that have come, one commit each."""

    def __init__(self, services: Services, door: Door, runs: Mapping[str, RunState]) -> None:
        self._services, self._door, self._runs = services, door, runs

    def read(self, mailbox: Mailbox, open_run: str) -> Heeded:
        """Deal with everything that came; open_run: the run that holds the thread, "" where none does."""
        heeded = Heeded()
        for name, raw in mailbox.letters.items():
            kind, _, about = name.partition(":")
            match kind:
                case "answer":
                    self._answered(name, Answer.from_json(raw), open_run or heeded.reopened, heeded)
                case "again":
                    self._look_after(name, about, heeded)
                case "order":
                    self._obey(name, decode(raw), open_run or heeded.reopened, heeded)
        if open_run:
            heeded.goes_on = self._heed_moments(self._runs[open_run], mailbox.now, heeded) or heeded.goes_on
        return heeded

    def _answered(self, name: str, answer: Answer, open_run: str, heeded: Heeded) -> None:
        """Record an answer. The open run goes on with it; one that is parked for want of it is taken up again."""
        state = self._asker_of(answer.wait)
        if state is None or state.waits[answer.wait].answer is not None:
            self._door.commit(Commit(answer.wait, read=[name], progress=False))
            return
        stopped = self._door.stop_of(state.id) is not None
        commit = Commit(state.id)
        if state.id == open_run and not stopped:
            _go_on(commit)
            heeded.goes_on = True
        elif not stopped and state.id not in heeded.reopening and _is_last_unknown(state, answer.wait):
            self._reopen(commit, open_run, heeded)
        self._close(state, Closing(answer, over=stopped), commit, heeded)
        log.info("thread=%s %s answered by %s (%s)", state.input.thread, answer.wait, answer.by, answer.how)

    def _close(self, state: RunState, closing: Closing, commit: Commit, heeded: Heeded) -> None:
        wait = state.waits[closing.answer.wait].wait
        commit.closed.append(closing)
        commit.done.append(f"wait:{wait.id}")
        commit.due[f"retire:{wait.id}"] = heeded.due[f"retire:{wait.id}"] = ""
        Ledger(self._services, self._door, state).commit(self._closed(wait, closing), together=commit)

    def _closed(self, wait: Wait, closing: Closing) -> Record:
        body: dict[str, Any] = {"answer": closing.answer.as_body()}
        if closing.over:
            body["void"] = True
        return Record("wait", StepKey.parse(wait.key), "done", self._services.clock.now(), body)

    def _heed_moments(self, state: RunState, now: float, heeded: Heeded) -> bool:
        """Close what nobody answered in time, once; remind of what is still open. Whether the run goes on."""
        late = [wait for wait in state.open_waits if 0 < wait.deadline <= now]
        goes_on = False
        for wait in late:
            commit = Commit(state.id)
            _go_on(commit)
            try:
                self._close(state, Closing(Answer(wait.id, "", now, "deadline"), unanswered=True), commit, heeded)
            except AnsweredError as error:
                log.info("%s", error)
            else:
                goes_on = True
        reminded = {record.key.call for record in state.posts.values()}
        due = [wait for wait in state.open_waits if 0 < wait.remind <= now and f"#remind.{wait.id}" not in reminded]
        if due:
            commit = Commit(state.id, due={f"remind:{wait.id}": "" for wait in due}, progress=False)
            commit.head = {"until": str(moments(state.open_waits, now))}
            self._door.commit(commit)
        return goes_on

    def _look_after(self, name: str, wait: str, heeded: Heeded) -> None:
        """A look at an open card is owed until Slack has told where it is: it may have no time for that now."""
        state = self._asker_of(wait)
        commit = Commit(state.id if state is not None else wait, read=[name], progress=False)
        if state is not None and state.waits[wait].answer is None:
            commit.due[f"look:{wait}"] = heeded.due[f"look:{wait}"] = ""
        self._door.commit(commit)

    def _obey(self, name: str, order: Mapping[str, Any], open_run: str, heeded: Heeded) -> None:
        """A parked run goes on at once where the thread is free, else when it is; or it is to be closed."""
        run = str(order["run"])
        state = self._runs.get(run)
        commit = Commit(run, read=[name], progress=False)
        if state is not None and state.status == "parked" and run not in heeded.reopening:
            log.info("thread=%s run=%s %s by %s", state.input.thread, run, order["verb"], order["by"])
            if order["verb"] == "heal":
                heeded.healed.append((run, str(order["by"])))
            else:
                self._reopen(commit, open_run, heeded)
        self._door.commit(commit)

    def _reopen(self, commit: Commit, open_run: str, heeded: Heeded) -> None:
        """A parked run is the open one again, or will be when the one that is has come to its end."""
        run = commit.run
        heeded.reopening.add(run)
        commit.done.append(f"parked:{run}")
        if open_run:
            commit.rest[f"resume:{run}"] = ""
            heeded.later[f"resume:{run}"] = ""
        else:
            commit.due[f"run:{run}"] = ""
            commit.head = {"status": "suspended", "run": run, "pause": ""}
            heeded.reopened = run

    def _asker_of(self, wait: str) -> RunState | None:
        return next((state for state in self._runs.values() if wait in state.waits), None)


def _go_on(commit: Commit) -> None:
    """The run that waits is due again, in the very commit that closes its wait."""
    commit.head = {"waiting": "0"}
    commit.due[f"run:{commit.run}"] = ""


def _is_last_unknown(state: RunState, answered: str) -> bool:
    """Whether the run is parked for calls that may have happened, and this answer is the last that it lacks."""
    if state.status != "parked" or state.parked is None or state.parked.body["reason"] != "unknown":
        return False
    return all(wait.id == answered for wait in state.open_waits)
