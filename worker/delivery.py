"""A settled run's last words, brought to Slack; owed until they are there or can never be."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, get_args

from store.errors import RunSuspended
from store.lease import Commit
from store.ports import Part, Reply, ReplyError
from store.record import Record
from store.stepkey import DELIVERED, StepKey
from store.view import Form, RunView
from worker.door import Door
from worker.ledger import Ledger
from worker.post import Post
from worker.progress import Progress
from worker.services import Services
from worker.state import RunState

REWRITE_AFTER = 10.0
"""Seconds after a take-over from an owner not known dead until its late edits cannot come any more (LEASE-4)."""
CREDENTIALS_PAUSE = 60.0
SHORT, TRIES = 3.0, 3
"""Pauses of at most so many seconds, so many times in a row, are waited out under the lease."""
FORMS: tuple[Form, ...] = get_args(Form)
NUMBERED: tuple[Part, ...] = ("reply.2", "reply.3")
How = Literal["delivered", "degraded", "undeliverable"]

log = logging.getLogger(__name__)


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
    delivery = Delivery(services, door, state, reply, post)
    view = final_view(services, state)
    how, why = delivery.retire(view) if _is_deleted(state) else delivery.bring(view)
    if how != "undeliverable" and rewrite_in > 0:
        raise RunSuspended("the reply is written once more, over late edits of the process before", rewrite_in)
    delivery.record(how, why)


class Delivery:
    """One run's outcome on its way to Slack: the reply, what its text takes behind it, and the word that it is over.

    What Slack refuses for good is shown in a plainer form, so that nothing stands there as if it were still at work;
    where the place itself is closed, the asker is told alone.
    """

    def __init__(self, services: Services, door: Door, state: RunState, reply: Reply, post: Post) -> None:
        self._services, self._door, self._state = services, door, state
        self._reply, self._post = reply, post
        self._ledger = Ledger(services, door, state)

    def bring(self, view: RunView) -> tuple[How, str]:
        """What became of it, and why not more."""
        try:
            refused = self._show(view) or self._notify(view)
        except ReplyError as error:
            why = self._for_good(error)
            self._tell(view)
            return "undeliverable", why
        return ("degraded" if refused else "delivered"), refused

    def retire(self, view: RunView) -> tuple[How, str]:
        """The message that asked is deleted: what stands there says that it is over, and nothing new is posted."""
        try:
            ts = self._post.standing(view)
            if not ts:
                return "undeliverable", "the message that asked was deleted before there was a reply"
            self._reply.edit(ts, view, self._door.allowance(self._services.limits.slack_timeout))
        except ReplyError as error:
            return "undeliverable", self._for_good(error)
        return "delivered", ""

    def record(self, how: How, why: str) -> None:
        state = self._state
        key = StepKey(state.id, 0, DELIVERED, state.parkings if state.settled is None else state.parkings + 1)
        self._ledger.commit(
            self._ledger.record("delivered", key, "done", {"how": how, "why": why}),
            together=Commit(
                state.id, done=[f"delivery:{state.id}"], progress=False, forget_steps=state.settled is not None
            ),
        )

    def _show(self, view: RunView) -> str:
        """Show the outcome in the first form that Slack takes; what it refused before, or ""."""
        refused: ReplyError | None = None
        for form in FORMS:
            shown = replace(view, form=form)
            behind: Sequence[Part] = ()
            try:
                self._show_reply(shown)
                behind = self._reply.parts(shown)
                self._show_behind(shown, behind)
            except ReplyError as error:
                if error.kind != "payload":
                    raise
                refused = refused or error
                if "file" in behind:
                    return self._show(replace(view, fileless=True)) or str(refused)
            else:
                return "" if refused is None else str(refused)
        raise refused or ValueError(f"there is no form for run {view.run}")

    def _show_reply(self, view: RunView) -> None:
        ts = self._patiently(lambda: self._post.edit(view))
        self._post.retire_twins(ts)

    def _show_behind(self, view: RunView, parts: Sequence[Part]) -> None:
        """The text's further parts, in order, each recorded before the next; those of another form go."""
        for part in parts:
            post = self._part(part)
            ts = self._patiently(partial(post.show, view))
            post.retire_twins(ts)
        for part in NUMBERED:
            if part not in parts:
                self._part(part).withdraw()

    def _notify(self, view: RunView) -> str:
        """Say in a post of its own that the run is over, or why it needs a person; what Slack refused of it."""
        settled = self._state.settled
        if settled is not None and not settled.body["notify"]:
            return ""
        if settled is None and _ended(self._state).body["reason"] == "unknown":
            return ""  # the question has a card of its own
        try:
            word = self._part("card" if settled is None else "done")
            word.retire_twins(self._patiently(partial(word.ensure, view)))
        except ReplyError as error:
            return self._for_good(error)
        return ""

    def _tell(self, view: RunView) -> None:
        """Tell the asker alone, where that can work; somebody who stopped the run knows."""
        if view.status == "aborted":
            return
        told = self._part("told")
        try:
            self._as_far_as_taken(told, view)
        except ReplyError as error:
            if error.kind in ("busy", "lost"):
                self._for_good(error)
            log.info("thread=%s run=%s its asker cannot be told: %s", view.thread, view.run, error)

    def _as_far_as_taken(self, told: Post, view: RunView) -> None:
        try:
            told.show(view)
        except ReplyError as error:
            if error.kind != "payload":
                raise
            told.show(replace(view, form="notice"))

    def _part(self, part: Part) -> Post:
        return Post(self._services, self._door, self._ledger, self._state, self._reply, part, mine=False)

    def _patiently(self, call: Callable[[], str]) -> str:
        """Do it again after a short pause where Slack asks for one: posts of one channel come once a second."""
        for _ in range(TRIES):
            try:
                return call()
            except ReplyError as error:
                if error.kind != "busy" or not error.retry_after or error.retry_after > SHORT:
                    raise
                self._services.threads.sleep(error.retry_after)
        return call()

    def _for_good(self, error: ReplyError) -> str:
        return refused_for_good(error, self._services.limits.look_again)


def refused_for_good(error: ReplyError, look_again: float) -> str:
    """Why Slack will never take it; `RunSuspended` when it may take it later."""
    match error.kind:
        case "busy" | "lost":
            raise RunSuspended(f"Slack is busy: {error}", error.retry_after or look_again)
        case "credentials":
            raise RunSuspended(f"Slack refuses our credentials: {error}", CREDENTIALS_PAUSE)
        case _:
            return str(error)


def _is_deleted(state: RunState) -> bool:
    return state.settled is not None and state.settled.body.get("why") == "deleted"


def _ended(state: RunState) -> Record:
    ended = state.settled or state.parked
    if ended is None:
        raise ValueError(f"run {state.id} is not over, so nothing of it can be delivered")
    return ended
