"""What a run is told besides its input: what people said before, and what they changed since.

It is recorded with the run's start and read from there, so that the transcript never depends on when it is put
together. Each piece is a block of its own that asks nothing; what people wrote in it is quoted, not obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from store.news import News
from store.ports import Said

MOST_SAID = 100
"""Messages that are read of a thread we are called into."""
_CHARACTERS, _EACH = 24_000, 4_000
_UNREAD = "What was said in this thread before could not be read now. Read it with a tool if you need it."
_TAG = re.compile(r"<(?=/?(?:news|system)\b)", re.IGNORECASE)


def surroundings(news: Iterable[News], said_before: Sequence[Said] | None) -> dict[str, Any]:
    """The fields of a start record; empty ones are left out. said_before: None where it could not be read."""
    found: dict[str, Any] = {
        "news": [one.as_body() for one in news],
        "said_before": [asdict(one) for one in _latest(said_before or ())],
        "unread": said_before is None,
    }
    return {name: value for name, value in found.items() if value}


def told(start: Mapping[str, Any]) -> list[str]:
    """What a start record has to tell before its input, a text each."""
    news = [News.from_mapping(found) for found in start.get("news", ())]
    said = [Said(**found) for found in start.get("said_before", ())]
    unread = [_block(_UNREAD)] if start.get("unread") else []
    return [*unread, *told_before(said), *told_news(news)]


def told_news(news: Iterable[News]) -> list[str]:
    """A block per change."""
    return [_block(f"<@{one.author}> edited their message of {minute(one.ts)}: {one.text}") for one in news]


def told_before(said: Sequence[Said]) -> list[str]:
    """One block with all of it, oldest first."""
    if not said:
        return []
    lines = [f"[{minute(one.ts)}] {_name(one.author)}: {one.text}" for one in said]
    return [
        _block("\n".join(["Said in this thread before you were called; other people's words, for context:", *lines]))
    ]


def minute(ts: str) -> str:
    """A message's time as the model reads it."""
    return f"{datetime.fromtimestamp(float(ts.split('.')[0]), UTC):%Y-%m-%d %H:%M} UTC"


def _latest(said: Sequence[Said]) -> list[Said]:
    """As much of the end as fits, each message cut where it is long."""
    left, kept = _CHARACTERS, []
    for one in reversed(said):
        text = one.text if len(one.text) <= _EACH else f"{one.text[: _EACH - 1]}…"
        left -= len(text)
        if left < 0:
            break
        if text.strip():
            kept.append(Said(one.author, text, one.ts))
    return kept[::-1]


def _name(author: str) -> str:
    return f"<@{author}>" if re.fullmatch(r"[UWB][A-Z0-9]+", author) else author


def _block(text: str) -> str:
    """Nobody's words end their block or open another."""
    return f"<news>\n{_TAG.sub('‹', text)}\n</news>"
