"""The buttons of a wait's card, and what they carry."""

from __future__ import annotations

from dataclasses import dataclass

from bot.cards.card import Block, plain
from bot.cards.text import one_line
from store.thread import ThreadId
from store.wait import Wait

CHOOSE = "everthread_choose"
"""Followed by `.` and the number of the choice, for every element of a block has an action id of its own."""
SEND, WORDS = "everthread_send", "everthread_words"
"""Action ids: send what was picked in the message; open a window to answer in words."""
APPROVE, CHANGE, REJECT, DENY = "everthread_approve", "everthread_change", "everthread_reject", "everthread_deny"
ASIDE = "everthread_aside"
"""Action id: close what a run asks without an answer, so that its thread goes on."""

LABEL = 75
"""Characters of a button's text (slack_sdk ButtonElement)."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a card's button is about; written `thread|run|wait`."""

    thread: ThreadId
    run: str
    wait: str

    def __str__(self) -> str:
        return f"{self.thread}|{self.run}|{self.wait}"

    @classmethod
    def of(cls, wait: Wait) -> Target:
        return cls(ThreadId.parse(wait.thread), wait.run, wait.id)

    @classmethod
    def parse(cls, value: str) -> Target:
        """ValueError where the value is not one of ours."""
        thread, run, wait = value.split("|")
        if not run or not wait or not value.isascii():
            raise ValueError(f"{value!r} is not a card's value: it is written thread|run|wait")
        return cls(ThreadId.parse(thread), run, wait)


def chosen(action: str) -> int:
    """The number of the choice that a button stands for; ValueError where it stands for none."""
    return int(action.removeprefix(f"{CHOOSE}."))


def button(action: str, label: str, target: object, style: str = "") -> Block:
    """label: of the model or ours; target: what it carries."""
    found: Block = {"type": "button", "action_id": action, "text": plain(one_line(label, LABEL) or "…")}
    return {**found, "value": str(target), **({"style": style} if style else {})}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}
