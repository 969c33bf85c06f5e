"""Admission: what is said to us is durable before Slack hears that we have it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import BoltContext

from bot.access import Access
from bot.heard import Heard, hear
from bot.identity import Identity
from store.errors import AdmissionConflictError
from store.ports import Clock, Ids
from store.protocol import Store

REFUSED = "everthread_refused"
"""Where the context keeps `(Heard, sentence)` for the listener that tells the person."""

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
    ) -> None:
        self._me, self._store, self._access = me, store, access
        self._ring, self._clock, self._ids = ring, clock, ids

    def before_ack(self, body: Mapping[str, Any], context: BoltContext, next_: Callable[[], None]) -> None:
        heard = hear(body, self._me)
        if heard is not None:
            refusal = self._access.refusal(heard.author, heard.channel, foreign=heard.foreign)
            if refusal is None:
                self._admit(heard)
            elif heard.addressed:  # people who talk among themselves asked nothing and are told nothing
                context[REFUSED] = (heard, refusal)
        next_()

    def _admit(self, heard: Heard) -> None:
        submission = heard.submission(run=self._ids.new("run"), at=self._clock.now())
        try:
            receipt = self._store.admissions.admit(submission, from_askers_only=not heard.addressed)
        except AdmissionConflictError as error:
            log.warning("%s", error)
            return
        if receipt is not None and receipt.new:
            self._ring(receipt.thread)
