"""The short post that tells the asker: edits notify nobody, this does. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.cards.card import Block, Card
from bot.cards.text import one_line
from bot.cards.words import minutes
from store.lifecycle import Status
from store.view import RunView

_WORD: Mapping[Status, str] = {
    "completed": "done",
    "failed": "this failed",
    "aborted": "stopped",
    "healed": "closed without an answer",
    "parked": "this needs a person",
    "waiting": "this waits for you",
}
_PERSON = re.compile(r"[UW][A-Z0-9]+", re.ASCII)


def done_card(view: RunView) -> Card:
    """`@asker done · 2:13`: the one text that mentions somebody, and only the asker."""
    asker = f"<@{view.asker}>" if _PERSON.fullmatch(view.asker) else one_line(view.asker, 80)
    text = f"{asker} {_WORD.get(view.status, 'still working')} · {minutes(view.elapsed)}".strip()
    block: Block = {"type": "section", "text": {"type": "mrkdwn", "text": text}}
    return Card(text, [block])
