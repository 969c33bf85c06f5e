"""Stop and Drop: stored before Slack hears that the click was taken."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from slack_bolt import Ack

from bot.access import Access
from bot.aftermath import Courtesies, Dropped
from bot.cards.button import Aim, waiting
from bot.identity import Identity
from bot.listeners.click import Click
from bot.whisper import Whispers
from store.errors import StoreUnavailableError
from store.ports import ReplyError
from store.protocol import Store
from store.submission import Submission

Stopper = Literal["anyone", "asker"]
"""Who may stop a run: everybody who has access, or only the one who asked."""

NOT_TAKEN = "That was not taken: I cannot reach my store. Please click again in a moment."
NO_LONGER_IN_USE = "This button is no longer in use."
ALREADY_STOPPING = "It is already stopping."
ALREADY_OVER = "This run is already over."
DROPPED_BY = "<@{by}> dropped the messages that waited here, so I won't answer yours."
NOTHING_WAITS = "No message waits any more."
ONLY_THE_ASKER = "Only the person who asked may do that."

log = logging.getLogger(__name__)


class RunButtons:
    """The listeners behind the buttons of a run's reply."""

    def __init__(
        self,
        *,
        me: Identity,
        store: Store,
        access: Access,
        whispers: Whispers,
        courtesies: Courtesies,
        ring: Callable[[str], None],
        stopper: Stopper,
    ) -> None:
        self._me, self._store, self._access = me, store, access
        self._whispers, self._courtesies = whispers, courtesies
        self._ring, self._stopper = ring, stopper

    def stop(self, ack: Ack, body: Mapping[str, Any]) -> None:
        self._take(ack, body, self._stop)

    def drop(self, ack: Ack, body: Mapping[str, Any]) -> None:
        dropped: list[Submission] = []
        self._take(ack, body, partial(self._drop, dropped))
        by = body["user"]["id"]
        self._courtesies.drop(Dropped(dropped, DROPPED_BY.format(by=by)), but=by)

    def _take(self, ack: Ack, body: Mapping[str, Any], act: Callable[[Aim, str], str | None]) -> None:
        click = Click.of(body, self._me)
        answer = self._answer(click, act)
        ack()
        if answer and click.channel:
            self._whispers.say(answer, user=click.user, channel=click.channel, root=click.root)

    def _answer(self, click: Click, act: Callable[[Aim, str], str | None]) -> str | None:
        try:
            aim = Aim.parse(click.value)
        except ValueError:
            return NO_LONGER_IN_USE
        if aim.thread.team != self._me.team:
            return NO_LONGER_IN_USE
        if self._stopper == "asker" and click.user != aim.asker:
            return ONLY_THE_ASKER
        try:
            refusal = self._access.refusal(click.user, aim.thread.channel, foreign=click.foreign)
            return refusal or act(aim, click.user)
        except (StoreUnavailableError, ReplyError) as error:
            log.warning("a click of %s on run %s was not taken: %s", click.user, aim.run, error)
            return NOT_TAKEN

    def _stop(self, aim: Aim, by: str) -> str | None:
        thread = str(aim.thread)
        outcome = self._store.admissions.stop(thread, aim.run, by)
        if outcome == "over":
            return ALREADY_OVER
        self._ring(thread)
        return ALREADY_STOPPING if outcome == "again" else None

    def _drop(self, dropped: list[Submission], aim: Aim, by: str) -> str | None:
        thread = str(aim.thread)
        dropped += self._store.admissions.withdraw(thread, by)
        if not dropped:
            return NOTHING_WAITS
        self._ring(thread)
        return f"Dropped {waiting(len(dropped))}."
