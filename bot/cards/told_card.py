"""A word to the asker alone, when the place they asked in takes no posts any more. Pure."""

from __future__ import annotations

import re

from bot.cards.card import FALLBACK_BYTES, MARKDOWN_CHARACTERS, Block, Card, context, markdown, section
from bot.cards.fences import head
from bot.cards.text import clip, harmless, in_bytes, one_line
from bot.cards.words import ENDING
from store.thread import ThreadId
from store.view import RunView

_CHANNEL = re.compile(r"[CG][A-Z0-9]+", re.ASCII)


def told_card(view: RunView) -> Card:
    """Where it was, how it ended, and as much of the answer as one message holds."""
    channel = ThreadId.parse(view.thread).channel
    place = f"in <#{channel}>" if _CHANNEL.fullmatch(channel) else "in a thread"
    text = f"What you asked {place} is over, but I cannot show it there."
    blocks: list[Block] = [{"type": "section", "text": {"type": "mrkdwn", "text": text}}]
    if view.form == "whole" and view.text.strip():
        blocks.append(markdown(head(harmless(view.text), MARKDOWN_CHARACTERS)))
    if note := view.note.strip() or (ENDING.get(view.status, "") if not view.text.strip() else ""):
        blocks.append(section(clip(note, 600)))
    blocks.append(context(f"run {one_line(view.run, 80)}"))
    said = "\n\n".join(part for part in (view.text.strip(), note) if part)
    return Card(f"{text}\n\n{clip(said, FALLBACK_BYTES - 200, in_bytes)}".strip(), blocks)
