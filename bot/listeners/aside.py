"""Setting a question aside: the way on for a thread whose question nobody means to answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import Ack, App

from bot.access import Access
from bot.cards.ask_button import ASIDE
from bot.cards.button import Aim
from bot.cards.card import Card
from bot.identity import Identity
from bot.listeners.click import Click
from bot.listeners.deciding import tell
from bot.listeners.run_buttons import NO_LONGER_IN_USE, NOT_TAKEN
from bot.redraw import Redraws
from bot.whisper import Whispers
from store.errors import StoreUnavailableError
from store.ports import Clock, ReplyError
from store.protocol import Store
from store.wait import Answer, Verdict, WaitKind

SET_ASIDE = "Set aside: it goes on without an answer, and then takes up your message."
NOTHING_OPEN = "Nothing is open here any more."

_VERDICT: Mapping[WaitKind, Verdict] = {"question": "", "plan": "reject", "approval": "deny"}

log = logging.getLogger(__name__)


class Aside:
    """The listener behind the button that an author alone sees whose message waits behind a question."""

    def __init__(
        self,
        *,
        me: Identity,
        store: Store,
        access: Access,
        whispers: Whispers,
        redraws: Redraws,
        ring: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._me, self._store, self._access, self._whispers = me, store, access, whispers
        self._redraws, self._ring, self._clock = redraws, ring, clock

    def register(self, app: App) -> None:
        app.action(ASIDE)(self.set_aside)

    def set_aside(self, ack: Ack, body: Mapping[str, Any]) -> None:
        click = Click.of(body, self._me)
        told = self._answer(click)
        ack()
        final = told in (SET_ASIDE, NOTHING_OPEN)
        if not (final and self._redraws.replace(click.url, Card(told, []))) and click.channel:
            self._whispers.say(told, user=click.user, channel=click.channel, root=click.root)

    def _answer(self, click: Click) -> str:
        try:
            aim = Aim.parse(click.value)
        except ValueError:
            return NO_LONGER_IN_USE
        if aim.thread.team != self._me.team:
            return NO_LONGER_IN_USE
        try:
            refusal = self._access.refusal(click.user, aim.thread.channel, foreign=click.foreign)
            return refusal or self._close(str(aim.thread), aim.run, click.user)
        except (StoreUnavailableError, ReplyError) as error:
            log.warning("%s could not set aside what run %s asks: %s", click.user, aim.run, error)
            return NOT_TAKEN

    def _close(self, thread: str, run: str, by: str) -> str:
        """Close whatever the run still asks; an approval counts as denied, a plan as rejected."""
        told = NOTHING_OPEN
        for wait in self._store.waits.open_in(thread):
            if wait.run != run:
                continue
            answer = Answer(wait.id, by, self._clock.now(), "aside", verdict=_VERDICT[wait.kind])
            taken = self._store.waits.answer(thread, answer)
            tell(wait, answer, taken)
            told = SET_ASIDE if taken.how == "taken" else told
        self._ring(thread)
        return told
