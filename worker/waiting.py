"""What a run asks of people: opened once, found again, answered by its record."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from store.errors import RunSuspended, RunWaiting, StoreUnavailableError
from store.lease import Commit
from store.ports import ReplyError
from store.record import Record
from store.stepkey import StepKey
from store.wait import Answer, Wait, wait_id
from worker.card import Card
from worker.tools.ask import Ask
from worker.tools.tool import ToolError

if TYPE_CHECKING:
    from worker.run import Run

REMIND_AT = 0.75
"""The part of a question's time after which its asker is reminded."""
LEAST_TO_REMIND = 120.0
"""Seconds below which nobody is reminded."""

log = logging.getLogger(__name__)


def ask_people(run: Run, key: StepKey, ask: Ask) -> Answer:
    """The answer to what this step asks, once there is one; `RunWaiting` until then.

    Asked again, under whatever words, it is the same wait with the same deadline. That the store is away is no failure
    of the tool that asks: the run is left as it stands (`RunSuspended`).
    """
    wait = wait_id(key)
    if wait not in run.state.waits:
        [record], commit = opening(run, [(key, ask)])
        try:
            run.ledger.commit(record, together=commit)
        except StoreUnavailableError as error:
            raise RunSuspended(f"nobody can be asked now: {error}") from error
        show_cards(run, [wait])
    return answer_to(run, wait)


def answer_to(run: Run, wait: str) -> Answer:
    """The recorded answer, or `RunWaiting`."""
    answer = run.state.waits[wait].answer
    if answer is None:
        raise RunWaiting(wait)
    return answer


def opening(run: Run, asks: Sequence[tuple[StepKey, Ask]]) -> tuple[list[Record], Commit]:
    """The records that open these waits, and what else the same commit says."""
    waits = [_wait(run, key, ask) for key, ask in asks]
    records = [
        run.ledger.record("wait", StepKey.parse(wait.key), "pending", {"wait": wait.as_body()}) for wait in waits
    ]
    commit = Commit(
        run.id,
        opened=waits,
        rest={f"wait:{wait.id}": wait.kind for wait in waits},
        due={f"card:{wait.id}": "0" for wait in waits},
    )
    return records, commit


def show_cards(run: Run, waits: Sequence[str]) -> None:
    """Post the cards below the reply, now where Slack takes them; they stay owed where it does not."""
    run.progress.await_reply()
    for wait in waits:
        try:
            Card(run.services, run.door, run.state, run.reply, wait).show(0)
        except (ReplyError, StoreUnavailableError) as error:
            log.info("thread=%s the card of %s is shown later: %s", run.state.input.thread, wait, error)


def show_plan(run: Run, done: Sequence[int], doing: int) -> None:
    """Let the card of the plan that was approved last show how far it is, where Slack takes it now."""
    approved = [
        wait
        for wait, asked in run.state.waits.items()
        if asked.wait.kind == "plan" and asked.answer is not None and asked.answer.verdict == "approve"
    ]
    if not approved:
        raise ToolError("there is no approved plan: present one first")
    try:
        Card(run.services, run.door, run.state, run.reply, approved[-1]).follow(done, doing)
    except (ReplyError, StoreUnavailableError) as error:
        log.info("thread=%s the plan's card is behind: %s", run.state.input.thread, error)


def moments(waits: Sequence[Wait], after: float) -> int:
    """Milliseconds of the wall clock at which something of these waits is due next, 0 for never."""
    found = [moment for wait in waits for moment in (wait.remind, wait.deadline) if moment > after]
    overdue = [wait.deadline for wait in waits if 0 < wait.deadline <= after]
    return int(min(found + overdue, default=0.0) * 1000)


def _wait(run: Run, key: StepKey, ask: Ask) -> Wait:
    now = run.services.clock.now()
    late = ask.seconds if ask.seconds > 0 else 0.0
    return Wait(
        id=wait_id(key),
        run=run.id,
        thread=run.state.input.thread,
        key=str(key),
        kind=ask.kind,
        asker=run.state.input.author,
        title=ask.title,
        asked=now,
        questions=ask.questions,
        steps=ask.steps,
        call=ask.call,
        arguments=ask.arguments,
        answerers=ask.answerers,
        deadline=now + late if late else 0.0,
        remind=now + late * REMIND_AT if late >= LEAST_TO_REMIND else 0.0,
    )
