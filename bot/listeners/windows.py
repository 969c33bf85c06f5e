"""The windows in which people answer in words: opened at once, and kept until what is in them was taken."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from slack_bolt import Ack, App

from bot.cards.ask_button import CHANGE, DENY, WORDS, Target
from bot.cards.ask_form import given_in, said_in
from bot.cards.ask_window import ANSWER, Errand, Purpose, answer_window, in_window, input_ids
from bot.cards.window import marked_window, window
from bot.heard import is_foreign
from bot.identity import Identity
from bot.listeners.answers import Answers
from bot.listeners.click import Click, values_of
from bot.listeners.deciding import Deciding, Decision, Hand, Missing
from bot.listeners.unmatched import UNKNOWN_FORM
from bot.whisper import Whispers
from store.ports import Clock
from store.wait import Answer, Verdict, Wait, WaitKind

NOT_OPENED = "Slack did not open the window. Please click again."
SAY_SOMETHING = "Please choose or write something."

_KINDS: Mapping[Purpose, WaitKind] = {"words": "question", "change": "plan", "deny": "approval"}
_VERDICT: Mapping[Purpose, Verdict] = {"words": "", "change": "change", "deny": "deny"}


class Windows:
    """The listeners behind the buttons that open a window, and behind the windows."""

    def __init__(self, *, me: Identity, deciding: Deciding, whispers: Whispers, answers: Answers, clock: Clock) -> None:
        self._me, self._deciding, self._whispers, self._answers, self._clock = me, deciding, whispers, answers, clock

    def register(self, app: App) -> None:
        app.action(WORDS)(self.words)
        app.action(CHANGE)(self.change)
        app.action(DENY)(self.deny)
        app.view_submission(ANSWER)(self.sent)

    def words(self, ack: Ack, body: Mapping[str, Any]) -> None:
        self._open(ack, body, "words")

    def change(self, ack: Ack, body: Mapping[str, Any]) -> None:
        self._open(ack, body, "change")

    def deny(self, ack: Ack, body: Mapping[str, Any]) -> None:
        self._open(ack, body, "deny")

    def _open(self, ack: Ack, body: Mapping[str, Any], purpose: Purpose) -> None:
        """Nothing has to be durable yet, and what entitles us to open a window is good for 3 seconds only."""
        ack()
        click = Click.of(body, self._me)
        found = self._deciding.ask(click.value, Hand(click.user, click.foreign), (_KINDS[purpose],))
        if isinstance(found, Wait):
            view = answer_window(found, Errand(Target.of(found), purpose, click.url), click.values)
            found = Decision("" if self._whispers.open(view, user=click.user, trigger=click.trigger) else NOT_OPENED)
        self._answers.follow(found, click.user, click.url, click.channel, click.root)

    def sent(self, ack: Ack, body: Mapping[str, Any]) -> None:
        """The window closes once its answer is durable, stays while it cannot be, and says what else became of it."""
        view, user = body["view"], body["user"]
        try:
            errand = Errand.parse(str(view.get("private_metadata") or ""))
        except ValueError:
            ack(response_action="update", view=window(UNKNOWN_FORM))
            return
        hand = Hand(user["id"], is_foreign(user.get("team_id"), self._me))
        make = partial(self._made, errand.purpose, hand.user, view)
        decision = self._deciding.take(str(errand.target), hand, (_KINDS[errand.purpose],), make)
        errors = _errors(decision, view)
        if errors:
            ack(response_action="errors", errors=errors)
            return
        if decision.told:
            ack(response_action="update", view=marked_window(decision.told))
        else:
            ack()
        told = Decision(taken=decision.taken, over=decision.over, ring=decision.ring)
        at = errand.target.thread
        self._answers.follow(told, hand.user, errand.url, at.channel, at.root)

    def _made(self, purpose: Purpose, user: str, view: Mapping[str, Any], wait: Wait) -> Answer | Missing:
        values = values_of(view)
        if purpose != "words":
            words = said_in(wait, 0, values)
            if purpose == "change" and not words:
                return Missing(SAY_SOMETHING)
            return Answer(wait.id, user, self._clock.now(), "button", (), _VERDICT[purpose], words)
        given, asked = given_in(wait, values), in_window(wait, view)
        lacking = tuple(n for n, one in enumerate(given) if n in asked and not one.choices and not one.words)
        if lacking or not asked:
            return Missing(SAY_SOMETHING, lacking)
        return Answer(wait.id, user, self._clock.now(), "button", given)


def _errors(decision: Decision, view: Mapping[str, Any]) -> dict[str, str]:
    """What stands beside the inputs of a window that stays open: their ids, each with a sentence."""
    inputs = input_ids(view)
    if decision.again:
        return dict.fromkeys(inputs[:1], decision.told)
    if decision.missing is None:
        return {}
    numbers = {str(number) for number in decision.missing.questions}
    beside = [name for name in inputs if name.split(".")[1:2] and name.split(".")[1] in numbers]
    return dict.fromkeys(beside or inputs[:1], decision.missing.told)
