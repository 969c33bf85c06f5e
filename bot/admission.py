"""Admission: what is said to us is durable before Slack hears that we have it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import BoltContext, BoltRequest

from bot.access import Access
from bot.aftermath import AFTERMATH, Aftermath, Dropped
from bot.change import Deletion, Edit, change_of
from bot.heard import Heard, hear
from bot.identity import Identity
from bot.listeners.run_buttons import ALREADY_OVER, ONLY_THE_ASKER
from bot.listening import Listening
from bot.steering import Steering
from store.errors import AdmissionConflictError
from store.ports import Clock, Ids
from store.protocol import Store, Whose
from store.wait import Wait

THREAD_DELETED = (
    "The first message of this thread was deleted, so I won't answer what you wrote after it. "
    "Ask me again in a new message."
)

RETRY = "x-slack-retry-num"
"""The header that tells how often Slack sent it before; over a socket it is there from the first time on."""

log = logging.getLogger(__name__)


class Admission:
    """A global Bolt middleware: Bolt acknowledges an event only after every middleware has let it pass.

    Whatever it raises leaves the event unacknowledged, so that Slack delivers it again.
    """

    def __init__(
        self,
        *,
        me: Identity,
        store: Store,
        access: Access,
        ring: Callable[[str], None],
        clock: Clock,
        ids: Ids,
        listening: Listening,
        steering: Steering,
    ) -> None:
        self._me, self._store, self._access = me, store, access
        self._ring, self._clock, self._ids = ring, clock, ids
        self._listening, self._steering = listening, steering

    def before_ack(
        self, body: Mapping[str, Any], request: BoltRequest, context: BoltContext, next_: Callable[[], None]
    ) -> None:
        after = self._take(body, again=any(number != "0" for number in request.headers.get(RETRY, ())))
        if after is not None:
            context[AFTERMATH] = after
        next_()

    def _take(self, body: Mapping[str, Any], *, again: bool) -> Aftermath | Dropped | None:
        """Take what an event says, once however often it comes; what people get to see of that.

        again: nobody answered Slack when it came first, so nobody may have shown anything either.
        """
        heard = hear(body, self._me, self._listening.bots)
        if heard is not None:
            return self._hear(heard, again=again)
        match change_of(body, self._me, self._listening.bots):
            case Edit() as edit:
                return self._amend(edit)
            case Deletion() as deletion:
                return self._retract(deletion)
        return None

    def _amend(self, edit: Edit) -> Aftermath | None:
        """An edit that first made a message ours is that message, heard."""
        if self._store.admissions.amend(edit.thread, edit.news, edit.files) == "unknown" and edit.heard is not None:
            return self._hear(edit.heard)
        return None

    def _hear(self, heard: Heard, *, again: bool = False) -> Aftermath | None:
        """STEER-3: a stop word alone, else the answer to the one open question, else an input."""
        whose = self._listening.whose(heard)
        stops = whose is not None and self._steering.says_stop(heard)
        question = None if stops else self._steering.question(heard)
        if whose is None and question is None:
            return None
        refusal = self._access.refusal(heard.author, heard.channel, foreign=heard.foreign)
        if refusal is not None:  # people who talk among themselves asked nothing and are told nothing
            return Aftermath(heard, refusal=refusal) if heard.addressed else None
        if heard.mutes is not None:
            changed = self._store.admissions.mute(heard.thread, heard.ts, on=heard.mutes)
            return Aftermath(heard, reaction="no_bell" if heard.mutes else "bell") if changed else None
        if question is not None and self._answers(heard, question):
            return Aftermath(heard, reaction="white_check_mark")
        if whose is None:
            return None
        return self._stop(heard, whose, again) if stops else self._admit(heard, whose, again)

    def _answers(self, heard: Heard, question: Wait) -> bool:
        """Whether it is the answer that decides, heard for the first time."""
        taken = self._steering.answer(heard, question) == "taken"
        if taken:
            self._ring(heard.thread)
        return taken

    def _stop(self, heard: Heard, whose: Whose, again: bool) -> Aftermath | None:
        match self._steering.stop(heard.submission(run="", at=self._clock.now()), whose):
            case "stopping" | "again":
                self._ring(heard.thread)
                return Aftermath(heard, reaction="octagonal_sign")
            case "over":
                return Aftermath(heard, told=ALREADY_OVER)
            case "refused":
                return Aftermath(heard, told=ONLY_THE_ASKER)
            case "known":
                return None
            case "nothing":
                return self._admit(heard, whose, again)

    def _admit(self, heard: Heard, whose: Whose, again: bool) -> Aftermath | None:
        submission = heard.submission(run=self._ids.new("run"), at=self._clock.now())
        try:
            receipt = self._store.admissions.admit(submission, whose=whose)
        except AdmissionConflictError as error:
            log.warning("%s", error)
            return None
        if receipt is None or not (receipt.new or again):
            return None
        self._ring(receipt.thread)
        return Aftermath(heard, reaction="eyes", behind=heard.addressed) if receipt.waits else None

    def _retract(self, deletion: Deletion) -> Dropped | None:
        admissions, dropped = self._store.admissions, None
        ring = admissions.retract(deletion.thread, deletion.ts, deletion.author, burn=deletion.ours)
        if deletion.whole:
            # What works in it works for nobody now, also where we were called into it later.
            retracted = admissions.retract_thread(deletion.thread, deletion.author)
            ring = retracted.ring or ring
            dropped = Dropped(retracted.dropped, THREAD_DELETED) if retracted.dropped else None
        if ring:
            self._ring(deletion.thread)
        return dropped
