"""The buttons of a card: stored before Slack hears that the click was taken, then the card is redrawn at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import Ack, App

from bot.cards.ask_button import APPROVE, CHOOSE, REJECT, SEND, chosen
from bot.cards.ask_card import ask_card
from bot.cards.ask_form import given_in, missing
from bot.identity import Identity
from bot.listeners.click import Click
from bot.listeners.deciding import Deciding, Decision, Hand, Make, Missing
from bot.redraw import Redraws
from bot.whisper import Whispers
from store.ports import Clock
from store.view import AskView, RunView
from store.wait import Answer, Given, Verdict, Wait, WaitKind

TAKEN = "Your answer was taken."
CHOOSE_FIRST = "Nothing was sent: please choose an answer to every question first."
NO_CHOICE = "This choice is not there any more."

_CHOICE = re.compile(rf"^{CHOOSE}\.\d{{1,3}}$", re.ASCII)


class Answers:
    """The listeners behind the buttons that are an answer by themselves."""

    def __init__(
        self,
        *,
        me: Identity,
        deciding: Deciding,
        whispers: Whispers,
        redraws: Redraws,
        ring: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._me, self._deciding, self._whispers, self._redraws = me, deciding, whispers, redraws
        self._ring, self._clock = ring, clock

    def register(self, app: App) -> None:
        app.action(_CHOICE)(self.choose)
        app.action(SEND)(self.send)
        app.action(APPROVE)(self.approve)
        app.action(REJECT)(self.reject)

    def choose(self, ack: Ack, body: Mapping[str, Any]) -> None:
        click = Click.of(body, self._me)

        def make(wait: Wait) -> Answer | Missing:
            choices, number = wait.questions[0].choices if wait.questions else (), chosen(click.action)
            if number >= len(choices):
                return Missing(NO_CHOICE)
            return self._answer(wait, click, given=(Given((choices[number].label,)),))

        self._take(ack, click, ("question",), make)

    def send(self, ack: Ack, body: Mapping[str, Any]) -> None:
        click = Click.of(body, self._me)

        def make(wait: Wait) -> Answer | Missing:
            given = given_in(wait, click.values)
            lacking = missing(given)
            return Missing(CHOOSE_FIRST, lacking) if lacking else self._answer(wait, click, given=given)

        self._take(ack, click, ("question",), make)

    def approve(self, ack: Ack, body: Mapping[str, Any]) -> None:
        click = Click.of(body, self._me)
        self._take(ack, click, ("plan", "approval"), lambda wait: self._answer(wait, click, "approve"))

    def reject(self, ack: Ack, body: Mapping[str, Any]) -> None:
        click = Click.of(body, self._me)
        self._take(ack, click, ("plan",), lambda wait: self._answer(wait, click, "reject"))

    def _take(self, ack: Ack, click: Click, kinds: tuple[WaitKind, ...], make: Make) -> None:
        decision = self._deciding.take(click.value, Hand(click.user, click.foreign), kinds, make)
        ack()
        self.follow(decision, click.user, click.url, click.channel, click.root)

    def follow(self, decision: Decision, user: str, url: str, channel: str, root: str | None) -> None:
        """Show what became of an answer, then wake a worker: whoever owns the card has the last word on it."""
        told = decision.told
        if not self._redraw(decision, url) and decision.taken:
            told = TAKEN
        if decision.ring:
            self._ring(decision.ring)
        if told and channel:
            self._whispers.say(told, user=user, channel=channel, root=root)

    def _redraw(self, decision: Decision, url: str) -> bool:
        """An approved plan that others follow already is left alone: only its owner knows how far it got."""
        if decision.over is None:
            return False
        wait, answer = decision.over
        if not decision.taken and wait.kind == "plan":
            return False
        return self._redraws.replace(url, ask_card(over_view(wait, answer)))

    def _answer(self, wait: Wait, click: Click, verdict: Verdict = "", given: tuple[Given, ...] = ()) -> Answer:
        return Answer(wait.id, click.user, self._clock.now(), "button", given, verdict)


def over_view(wait: Wait, answer: Answer | None) -> RunView:
    """The view that shows the card of a wait that is over, as far as the wait itself can tell."""
    followed = wait.steps if answer is not None and answer.verdict == "approve" else ()
    ask = AskView(wait, "over", answer, tuple((step, "todo") for step in followed))
    return RunView(wait.run, wait.thread, wait.asker, "waiting", ask=ask)
