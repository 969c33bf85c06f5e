"""A settled run's last words, brought to Slack; owed until they are there or can never be."""

from __future__ import annotations

from dataclasses import replace

from store.errors import RunSuspended
from store.ports import Reply, ReplyError
from store.record import Record
from store.stepkey import DELIVERED, StepKey
from store.view import RunView
from worker.door import Door
from worker.ledger import Ledger
from worker.post import Post
from worker.progress import Progress
from worker.services import Services
from worker.state import RunState

REWRITE_AFTER = 10.0
"""Seconds after a take-over from an owner not known dead until its late edits cannot come any more (LEASE-4)."""
CREDENTIALS_PAUSE = 60.0


def final_view(services: Services, state: RunState) -> RunView:
    """What the reply shows for good."""
    settled = _ended(state)
    progress = Progress(services.clock, state, active_before=0.0, resumed=False, queued=settled.body["queued"])
    return replace(
        progress.view(settled.body["status"]),
        text=settled.body["text"],
        note=settled.body["note"],
        footer=settled.body["footer"],
        doing="",
    )


def deliver(services: Services, door: Door, state: RunState, reply: Reply, post: Post, *, rewrite_in: float) -> None:
    """Show the outcome, then record that it is shown.

    post: the run's reply. rewrite_in: seconds after which it has to be written once more. `RunSuspended` says when
    to try again.
    """
    ledger = Ledger(services, door, state)
    view = final_view(services, state)
    try:
        ts = post.edit(view)
        post.retire_twins(ts)
        if state.settled is None:
            Post(services, door, ledger, state, reply, "card", mine=False).ensure(view)
        elif state.settled.body["notify"]:
            Post(services, door, ledger, state, reply, "done", mine=False).ensure(view)
        how, why = "delivered", ""
    except ReplyError as error:
        how, why = _judge(services, error)
    if how == "delivered" and rewrite_in > 0:
        raise RunSuspended("the reply is written once more, over late edits of the process before", rewrite_in)
    key = StepKey(state.id, 0, DELIVERED, state.parkings if state.settled is None else state.parkings + 1)
    ledger.commit(
        ledger.record("delivered", key, "done", {"how": how, "why": why}),
        done=[f"delivery:{state.id}"],
        progress=False,
        forget=state.settled is not None,
    )


def _ended(state: RunState) -> Record:
    ended = state.settled or state.parked
    if ended is None:
        raise ValueError(f"run {state.id} is not over, so nothing of it can be delivered")
    return ended


def _judge(services: Services, error: ReplyError) -> tuple[str, str]:
    match error.kind:
        case "busy" | "lost":
            raise RunSuspended(f"Slack is busy: {error}", error.retry_after or services.limits.look_again)
        case "credentials":
            raise RunSuspended(f"Slack refuses our credentials: {error}", CREDENTIALS_PAUSE)
        case _:
            return "undeliverable", str(error)
