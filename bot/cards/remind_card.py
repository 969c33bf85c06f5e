"""The short post that reminds of what is still open: edits notify nobody, this does. Pure."""

from __future__ import annotations

from bot.cards.ask_shown import shown_wait
from bot.cards.ask_words import NAME, ending, essence, named, somebody, until
from bot.cards.card import Block, Card
from bot.cards.text import one_line
from store.view import RunView

_ASKED = 300


def remind_card(view: RunView) -> Card:
    """Whom it waits for, for what, and until when, or how that ended. ValueError where it is about no wait."""
    if view.ask is None:
        raise ValueError(f"the view of run {view.run} is about nothing that is asked")
    wait = shown_wait(view.ask.wait)
    asked = one_line(essence(wait) or NAME[wait.kind], _ASKED)
    if view.ask.state == "over":
        text = f"This is no longer open: {asked}"
        return Card(text, [_section(f"{text}\n{ending(wait, view.ask.answer)}")])
    whom = named(wait) or somebody(wait.asker)
    text = f"{whom} this still waits above: {asked}"
    lines = [text, *([line] if (line := until(wait)) else [])]
    return Card(text, [_section("\n".join(lines))])


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}
