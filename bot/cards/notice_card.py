"""A card of its own that says why a run needs a person. Pure."""

from __future__ import annotations

from bot.cards.card import FALLBACK_BYTES, Card, context, section
from bot.cards.text import clip, in_bytes, one_line
from bot.cards.words import ENDING, NOW
from store.view import RunView


def notice_card(view: RunView) -> Card:
    """The run's note, and which run it is."""
    note = view.note.strip() or ENDING.get(view.status) or f"{NOW[view.status]}."
    blocks = [section(clip(note, 2_800)), context(f"run {one_line(view.run, 80)}")]
    return Card(clip(note, FALLBACK_BYTES, in_bytes), blocks)
