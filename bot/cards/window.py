"""A small window with one sentence in it, as Slack's modals are made."""

from __future__ import annotations

from bot.cards.card import Block, plain, section


def window(text: str) -> Block:
    """`text` is escaped already, and within 3,000 characters."""
    return {"type": "modal", "title": plain("Everthread"), "close": plain("Close"), "blocks": [section(text)]}
