"""A small window with a sentence or a message in it, as Slack's modals are made."""

from __future__ import annotations

from bot.cards.card import Block, Card, plain, section


def window(text: str) -> Block:
    """`text` is escaped already, and within 3,000 characters."""
    return _window(section(text))


def marked_window(text: str) -> Block:
    """The same for a sentence in Slack's markup, in which people have their names."""
    return _window({"type": "section", "text": {"type": "mrkdwn", "text": text}})


def card_window(card: Card) -> Block:
    """A message, where it cannot be shown in its thread."""
    return _window(*card.blocks)


def _window(*blocks: Block) -> Block:
    return {"type": "modal", "title": plain("Everthread"), "close": plain("Close"), "blocks": list(blocks)}
