"""A post behind the reply, where the text goes on. Pure."""

from __future__ import annotations

from bot.cards.card import FALLBACK_BYTES, Card, context, markdown
from bot.cards.layout import layout
from bot.cards.text import clip, in_bytes
from store.view import RunView


def part_card(view: RunView, number: int) -> Card:
    """The post with this number; the reply is the first. IndexError where the text has no such part."""
    texts = layout(view).texts
    text = texts[number - 1]
    return Card(clip(text, FALLBACK_BYTES, in_bytes), [markdown(text), context(f"{number} of {len(texts)}")])
