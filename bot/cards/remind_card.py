"""The short post that reminds of what is still open: edits notify nobody, this does. Pure."""

from __future__ import annotations

from bot.cards.ask_shown import shown_wait
from bot.cards.ask_words import NAME, essence, named, somebody, until
from bot.cards.card import Block, Card
from bot.cards.text import one_line
from store.view import RunView

_ASKED = 300


def remind_card(view: RunView) -> Card:
    """Whom it waits for, for what, and until when. ValueError where the view is about no wait."""
    if view.ask is None:
        raise ValueError(f"the view of run {view.run} is about nothing that is asked")
    wait = shown_wait(view.ask.wait)
    asked = essence(wait) or NAME[wait.kind]
    whom = named(wait) or somebody(wait.asker)
    text = f"{whom} this still waits above: {one_line(asked, _ASKED)}"
    lines = [text, *([line] if (line := until(wait)) else [])]
    blocks: list[Block] = [{"type": "section", "text": {"type": "mrkdwn", "text": "\n".join(lines)}}]
    return Card(text, blocks)
