"""Two shortcuts on any message of a thread: what it waits for, and stop."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from slack_bolt import Ack, App

from bot.cards.card import Card
from bot.cards.desk_card import done_card, told, why_card
from bot.cards.window import card_window
from bot.identity import Identity
from bot.links import thread_link
from bot.listeners.click import Click
from bot.listeners.guarded import guarded
from bot.listeners.run_buttons import ONLY_THE_ASKER, Stopper
from bot.operators import Rights
from bot.whisper import Whispers
from store.desk import Desk, UnknownTargetError
from store.thread import ThreadId

WHY, STOP = "everthread_why", "everthread_stop_run"
"""Callback ids of the manifest's shortcuts."""
NOTHING_HERE = "Nothing of mine runs in this thread."

log = logging.getLogger(__name__)


class Shortcuts:
    """Whoever sees a message may ask about its thread, and stop it as with the button of its reply."""

    def __init__(self, *, me: Identity, desk: Desk, rights: Rights, whispers: Whispers, stopper: Stopper) -> None:
        self._me, self._desk, self._rights, self._whispers = me, desk, rights, whispers
        self._stopper = stopper
        self._link = partial(thread_link, me)

    def register(self, app: App) -> None:
        app.message_shortcut(WHY)(self.why)
        app.message_shortcut(STOP)(self.stop)

    def why(self, ack: Ack, body: Mapping[str, Any]) -> None:
        self._take(ack, body, lambda target, _user: why_card(self._desk.why(target), self._link))

    def stop(self, ack: Ack, body: Mapping[str, Any]) -> None:
        self._take(ack, body, self._stop)

    def _take(self, ack: Ack, body: Mapping[str, Any], act: Callable[[str, str], Card]) -> None:
        """What it changes is durable before Slack hears that it was taken; then comes the answer."""
        click = Click.of(body, self._me)
        root = click.root or str(body["message"].get("ts") or "")
        answer = guarded("a shortcut", lambda: self._answer(click, root, act))
        ack()
        if answer is None:
            return
        said = self._whispers.say(answer.text, user=click.user, channel=click.channel, root=root, blocks=answer.blocks)
        if not said and click.trigger:  # we are not in that channel
            self._whispers.open(card_window(answer), user=click.user, trigger=click.trigger)

    def _answer(self, click: Click, root: str, act: Callable[[str, str], Card]) -> Card | None:
        if refusal := self._rights.refusal(click.user, click.channel, foreign=click.foreign):
            return told(refusal)
        try:
            return act(str(ThreadId(self._me.team, click.channel, root)), click.user)
        except UnknownTargetError:
            return told(NOTHING_HERE)

    def _stop(self, target: str, user: str) -> Card:
        if self._stopper == "asker" and not self._rights.is_admin(user) and self._desk.asker(target) != user:
            return told(ONLY_THE_ASKER)
        done = self._desk.stop(target, user)
        log.info("thread=%s run=%s stop by %s: %s", done.thread, done.run, user, done.did)
        return done_card(done, self._link)
