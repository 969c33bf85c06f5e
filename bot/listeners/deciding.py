"""Taking an answer: who may give it, whether it decides, and what whoever gave it is told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bot.access import Access
from bot.cards.ask_button import Target
from bot.cards.ask_words import ending, gist, somebody
from bot.entitled import Entitled
from bot.identity import Identity
from bot.listeners.run_buttons import NO_LONGER_IN_USE, NOT_TAKEN
from store.errors import StoreUnavailableError
from store.ports import ReplyError
from store.protocol import Store, Taken
from store.wait import Answer, Wait, WaitKind

UNKNOWN = "I don't know this question any more."
LATE = "That came too late: the time for an answer is over."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Hand:
    """Whose hand it is that answers. foreign: the payload names another workspace."""

    user: str
    foreign: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """An answer that is not whole: a sentence, and the numbers of the questions without one."""

    told: str
    questions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of an answer.

    told: a sentence for whoever gave it, in Slack's markup; "" where the card says it all. taken: it decides. over:
    the wait and how it ended, where it is over. ring: the thread that has something to do. again: nothing became of it,
    and it may be given again. missing: what it lacks.
    """

    told: str = ""
    taken: bool = False
    over: tuple[Wait, Answer | None] | None = None
    ring: str = ""
    again: bool = False
    missing: Missing | None = None


Make = Callable[[Wait], "Answer | Missing"]


class Deciding:
    """One way for every button and window. Whatever it does is in the log as one line, without anybody's words."""

    def __init__(self, *, me: Identity, store: Store, access: Access, entitled: Entitled) -> None:
        self._me, self._store, self._access, self._entitled = me, store, access, entitled

    def take(self, value: str, hand: Hand, kinds: tuple[WaitKind, ...], make: Make) -> Decision:
        """Give the answer that `make` makes of the wait; durable when this returns. kinds: of which it may be."""

        def give(wait: Wait) -> Decision:
            answer = make(wait)
            if isinstance(answer, Missing):
                return Decision(answer.told, missing=answer)
            if why := self._entitled.refusal(wait, hand.user, answer.verdict):
                return self._refused(wait, hand, why)
            taken = self._store.waits.answer(wait.thread, answer)
            tell(wait, answer, taken)
            return meaning(taken, hand.user)

        return self._with(value, hand, kinds, give)

    def ask(self, value: str, hand: Hand, kinds: tuple[WaitKind, ...]) -> Wait | Decision:
        """The open wait that this hand may answer, or why not."""
        found: list[Wait] = []

        def keep(wait: Wait) -> Decision:
            found.append(wait)
            return Decision()

        decision = self._with(value, hand, kinds, keep)
        return found[0] if found else decision

    def _with(self, value: str, hand: Hand, kinds: tuple[WaitKind, ...], act: Callable[[Wait], Decision]) -> Decision:
        try:
            target = Target.parse(value)
        except ValueError:
            return Decision(NO_LONGER_IN_USE)
        if target.thread.team != self._me.team:
            return Decision(NO_LONGER_IN_USE)
        try:
            return self._with_wait(target, hand, kinds, act)
        except (StoreUnavailableError, ReplyError) as error:
            log.warning("an answer of %s to %s was not taken: %s", hand.user, target.wait, error)
            return Decision(NOT_TAKEN, again=True)

    def _with_wait(
        self, target: Target, hand: Hand, kinds: tuple[WaitKind, ...], act: Callable[[Wait], Decision]
    ) -> Decision:
        if why := self._access.refusal(hand.user, target.thread.channel, foreign=hand.foreign):
            log.info("thread=%s %s refused to %s", target.thread, target.wait, hand.user)
            return Decision(why)
        stands = self._store.waits.look(str(target.thread), target.wait)
        if stands is None:
            return Decision(UNKNOWN)
        wait = stands.wait
        if wait.kind not in kinds:
            return Decision(NO_LONGER_IN_USE)
        if stands.state != "open":
            return over(wait, stands.answer, hand.user)
        if why := self._entitled.refusal(wait, hand.user):
            return self._refused(wait, hand, why)
        return act(wait)

    def _refused(self, wait: Wait, hand: Hand, why: str) -> Decision:
        log.info("thread=%s run=%s %s refused to %s", wait.thread, wait.run, wait.id, hand.user)
        return Decision(why)


def tell(wait: Wait, answer: Answer, taken: Taken) -> None:
    """One line in the log for whoever has to know later who decided what."""
    decided = f"{answer.how} {answer.verdict}".strip()
    log.info(
        "thread=%s run=%s %s answered by %s (%s): %s", wait.thread, wait.run, wait.id, answer.by, decided, taken.how
    )


def meaning(taken: Taken, user: str) -> Decision:
    """What became of an answer, for whoever gave it."""
    wait = taken.wait
    if wait is None:
        return Decision(UNKNOWN)
    match taken.how:
        case "taken":
            return Decision(taken=True, over=(wait, taken.answer), ring=wait.thread)
        case "voted":
            return Decision(f"Counted: {taken.votes} of {wait.answerers.quorum} have approved.")
        case "known":
            return Decision(f"You approved this already: {taken.votes} of {wait.answerers.quorum} have.")
        case "late":
            return Decision(LATE, ring=wait.thread)
        case "answered" | "over":
            return over(wait, taken.answer, user)
        case "unknown" | "ignored":
            return Decision(UNKNOWN)


def over(wait: Wait, answer: Answer | None, user: str) -> Decision:
    """The wait was over before: how it ended."""
    if answer is None or answer.how not in ("button", "words"):
        told = f"This is over already. {ending(wait, answer)}" if answer is not None else "This is over already."
    else:
        said = f": {text}" if (text := gist(answer)) else ""
        whose = "You answered this already" if answer.by == user else f"Already answered by {somebody(answer.by)}"
        told = f"{whose}{said}"
    return Decision(told, over=(wait, answer), ring=wait.thread)
