"""A message as it is sent: blocks, and the text that stands in for them in notifications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]

FALLBACK_BYTES = 3_800
"""chat.update refuses 4,000 bytes of escaped text, also beside blocks (docs.slack.dev chat.update)."""

MARKDOWN_CHARACTERS = 11_500
"""All markdown blocks of a message hold 12,000, and about 13,200 were refused in all (slackapi/bolt-js#2509)."""


@dataclass(frozen=True, slots=True)
class Card:
    """text is never empty, escaped, and within `FALLBACK_BYTES`."""

    text: str
    blocks: list[Block]


def plain(text: str) -> Block:
    """A text object without any formatting; `text` is escaped already."""
    return {"type": "plain_text", "text": text, "emoji": False}


def context(text: str) -> Block:
    """One small grey line or a few."""
    return {"type": "context", "elements": [plain(text)]}


def section(text: str) -> Block:
    """One plain paragraph."""
    return {"type": "section", "text": plain(text)}


def markdown(text: str) -> Block:
    """Markdown as the model writes it; `text` is harmless already."""
    return {"type": "markdown", "text": text}
