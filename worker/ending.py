"""How a run ends, or pauses: settled, parked, left in order, taken up again. Each is one commit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from store.errors import LifecycleError
from store.lease import Closing, Commit, StopReason
from store.lifecycle import ParkReason, Status, may_follow
from store.record import Record
from store.stepkey import MODEL, RESUMED, SETTLED, StepKey
from store.values import encode
from store.wait import Answer
from worker.footer import footer
from worker.waiting import moments

if TYPE_CHECKING:
    from worker.run import Run


def settle(
    run: Run,
    status: Status,
    *,
    text: str = "",
    code: str = "",
    note: str = "",
    by: str = "",
    why: StopReason = "",
    beside: bool = False,
) -> None:
    """End the run for good, with everything still staged. `StopWonError` when a stop came first.

    by, why: of the stop that ended it. beside: it was parked, and another run holds the thread.
    """
    _become(run, status)
    for record in list(run.state.open.values()):
        if record.kind == "tool" and record.state == "pending":
            run.ledger.stage(replace(record, state="interrupted", at=run.services.clock.now()))
    commit = _closing_waits(run, by)
    usage = run.state.usage
    body: dict[str, Any] = {
        "status": status,
        "text": text,
        "code": code,
        "note": note,
        "by": by,
        "why": why,
        "usage": [usage.input, usage.output, usage.cache_read, usage.cache_write, usage.estimated],
        "cost": run.state.cost,
        "footer": footer(run.state, run.progress.elapsed()),
        "notify": run.progress.wants_done_post() and not why,
        "queued": run.progress.queued,
    }
    run.ledger.stage(run.ledger.record("settled", StepKey(run.id, 0, SETTLED, run.state.parkings), "done", body))
    outcome = {"run": run.id, "thread": run.state.input.thread} | body
    commit.settles = status != "aborted"
    commit.outcome = (run.id, encode(outcome))
    if beside:
        commit.head = {}
    else:
        commit.head |= {"status": status, "run": ""}
    commit.due |= {f"delivery:{run.id}": ""}
    commit.done += [f"run:{run.id}", f"parked:{run.id}", f"resume:{run.id}"]
    commit.forget_steps = True
    run.ledger.flush(commit)


def wait(run: Run) -> None:
    """Leave the run to the people it asked: it holds no process, and an answer or a deadline stirs it."""
    _become(run, "waiting")
    until = moments(run.state.open_waits, run.services.clock.now())
    run.ledger.flush(
        Commit(
            run.id,
            head={"status": "waiting", "waiting": "1", "until": str(until), "pause": ""},
            due={f"waiting:{run.id}": ""},
            done=[f"run:{run.id}"],
            progress=False,
        )
    )


def park(run: Run, reason: ParkReason, note: str) -> None:
    """Leave the run to a person: it stays owed, and later messages pass it."""
    _become(run, "parked")
    body = {
        "status": "parked",
        "reason": reason,
        "text": "",
        "code": reason,
        "note": note,
        "by": "",
        "footer": footer(run.state, run.progress.elapsed()),
        "notify": False,
        "queued": run.progress.queued,
    }
    run.ledger.stage(run.ledger.record("settled", StepKey(run.id, 0, SETTLED, run.state.parkings), "left", body))
    run.ledger.flush(
        Commit(
            run.id,
            head={"status": "parked", "run": "", "deaths": "0"},
            rest={f"parked:{run.id}": encode({"run": run.id, "reason": reason})},
            due={f"delivery:{run.id}": ""},
            done=[f"run:{run.id}"],
        )
    )


def leave(run: Run) -> None:
    """Suspend in order: marked steps that are not under way are recorded as left, not to be taken for cut off."""
    for record in list(run.state.open.values()):
        if record.state == "pending" and not run.progress.is_running(record.key):
            run.ledger.stage(replace(record, state="left", at=run.services.clock.now()))
    pause = "restart" if run.drain.begun else "outage"
    run.ledger.flush(Commit(run.id, head={"status": "suspended", "pause": pause}, progress=False))


def resume(run: Run, *, restart: bool) -> None:
    """Note that another tenure took the run up: the steps it kept, and those it has to do again."""
    body = {"restart": restart, "kept": run.state.steps_done, "repeated": sum(map(_again, run.state.open.values()))}
    run.ledger.stage(run.ledger.record("resumed", StepKey(run.id, 0, RESUMED, run.state.resumptions), "done", body))
    _mark_model(run)
    head = {"status": "running", "run": run.id}
    if run.state.waits:
        head |= {"waiting": "0", "until": "0"}
    done = [f"resume:{run.id}"]
    run.ledger.flush(Commit(run.id, progress=False, head=head, due={f"run:{run.id}": ""}, done=done))


def _closing_waits(run: Run, by: str) -> Commit:
    """What closes the waits that are open, and shows on their cards, and on a plan's, how it ended."""
    commit, now = Commit(run.id), run.services.clock.now()
    if not run.state.waits:
        return commit
    commit.head = {"waiting": "0", "until": "0"}
    for wait in run.state.open_waits:
        answer = Answer(wait.id, by, now, "stopped")
        body = {"answer": answer.as_body()}
        run.ledger.stage(run.ledger.record("wait", StepKey.parse(wait.key), "done", body))
        commit.closed.append(Closing(answer, over=True))
        commit.done.append(f"wait:{wait.id}")
        commit.due[f"retire:{wait.id}"] = ""
    for asked in run.state.waits.values():
        if asked.wait.kind == "plan" and asked.answer is not None and asked.answer.verdict == "approve":
            commit.due[f"retire:{asked.wait.id}"] = ""
    return commit


def _become(run: Run, status: Status) -> None:
    """Refuse what the table of statuses does not allow; nothing was recorded then."""
    if not may_follow(run.state.status, status):
        raise LifecycleError(run.id, run.state.status, status)


def _again(record: Record) -> bool:
    return record.state == "pending" and (record.kind == "model" or record.body["policy"] != "unsafe")


def _mark_model(run: Run) -> None:
    """Mark the model attempt that comes next; close the one that a crash cut off, which may have been billed."""
    attempts = run.state.attempts
    if any(attempt.state == "done" for attempt in attempts):
        return
    last = attempts[-1]
    if last.state == "failed" and last.body["verdict"] == "fail":
        return
    if last.state == "pending":
        cut = {
            "error": {"kind": "cut", "code": "crash", "message": "the process ended while the model answered"},
            "verdict": "again",
            "usage": [0, 0, 0, 0, True],
            "cost": 0,
            "cut_off": True,
        }
        last = run.ledger.stage(run.ledger.record("model", last.key, "failed", cut))
    attempt = last.key.attempt + (last.state == "failed")
    run.ledger.stage(run.ledger.record("model", run.key(MODEL, attempt), "pending", {}))
