"""A call whose effect nobody can vouch for: told to the model, put before people, or looked up by its own tool.

It is never run again on its own. Whatever comes of it is a recorded fact, and contradicts no recorded result.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from store.errors import RunUnknown
from store.record import Record
from store.wait import Answer, Choice, Question, wait_id
from worker.call import Call
from worker.tools.ask import Ask
from worker.tools.execute import Outcome, clamp
from worker.waiting import opening, show_cards

if TYPE_CHECKING:
    from worker.run import Run

HAPPENED, NEVER, AGAIN = "It happened", "It never happened", "Try it again"
CHOICES = (
    Choice(HAPPENED, "the run goes on as if this call had told so"),
    Choice(NEVER, "the run goes on, and knows that nothing was done"),
    Choice(AGAIN, "the same call is made once more"),
)
TRIES = "tries"
"""How often people let a call be made again, in its records."""

log = logging.getLogger(__name__)


def resolve(run: Run, call: Call) -> Outcome | None:
    """What became of a call that was cut off; None where it is to be made again.

    `RunUnknown` while people are asked.
    """
    if call.tool is not None and _is_as_recorded(run, call):
        if call.tool.reconcile is not None and (found := _reconciled(run, call)) is not None:
            return found
        if call.tool.unknown == "ask":
            return _decided(run, call)
    return "interrupted", {}, []


def _is_as_recorded(run: Run, call: Call) -> bool:
    """Whether the tool and the arguments are still those of the mark: else nothing is asked of them (DRIFT-1)."""
    mark = run.state.open[str(call.key)]
    return call.tool is not None and (mark.body["tool"], mark.body["fingerprint"]) == (
        call.tool.digest,
        call.fingerprint,
    )


def _reconciled(run: Run, call: Call) -> Outcome | None:
    """What the tool itself found out; None where it cannot tell."""
    if call.tool is None or call.tool.reconcile is None:
        return None
    try:
        found = call.tool.reconcile(run.context(call), call.arguments)
    except Exception as error:
        log.warning("thread=%s %s cannot be reconciled: %s", run.state.input.thread, call.key, error)
        return None
    match found.what:
        case "happened":
            return "done", {"output": clamp(found.output), "resolved": "reconciled"}, []
        case "never":
            return _never("the tool itself found out")
        case "unsure":
            return None


def _decided(run: Run, call: Call) -> Outcome | None:
    """What people say; the run is parked meanwhile, so that the thread goes on."""
    mark = run.state.open[str(call.key)]
    tries = int(mark.body.get(TRIES, 0))
    key = call.key.nested(f"happened.{tries}")
    wait = wait_id(key)
    if wait not in run.state.waits:
        question = Question(f"{call.title}\nThe process that ran this call stopped before it finished.", CHOICES)
        ask = Ask("question", "Did it happen?", questions=(question,), answerers=run.services.approvers)
        [record], commit = opening(run, [(key, ask)])
        run.ledger.commit(record, together=commit)
        show_cards(run, [wait])
    answer = run.state.waits[wait].answer
    if answer is None:
        raise RunUnknown(wait)
    said = answer.given[0].choices[0] if answer.given and answer.given[0].choices else ""
    if said == AGAIN:
        run.ledger.commit(_left(run, call, tries + 1))
        return None
    return _outcome(answer, said)


def _outcome(answer: Answer, said: str) -> Outcome:
    if said == HAPPENED:
        output = f"It happened: <@{answer.by}> says so. What it answered is lost."
        return "done", {"output": output, "resolved": answer.by}, []
    return _never(f"<@{answer.by}> says so") if said == NEVER else ("interrupted", {}, [])


def _never(why: str) -> Outcome:
    error = {"name": "NeverHappened", "message": f"It did not happen: {why}. Nothing was done by this call."}
    return "failed", {"error": error, "resolved": why}, []


def _left(run: Run, call: Call, tries: int) -> Record:
    """The call is entered again as if it had been left in order; from now on it counts as tried that often."""
    return run.ledger.record("tool", call.key, "left", call.body() | {TRIES: tries})
