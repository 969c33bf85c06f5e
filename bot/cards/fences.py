"""Cutting Markdown without leaving a code fence open."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(
    r"(?P<lead>[ \t>]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<mark>`{3,32}|~{3,32})(?P<info>.*)", re.DOTALL
)
_INFO, _LEAD = 32, 12
CLOSING_ROOM = 1 + _LEAD + 32
"""Characters that closing a fence takes at most."""
_ROOM = 160
"""What closing and reopening a fence and a note about the cut may need: two leads and marks, an info, the note."""


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence: its mark, the language behind it, and the quotation it stands in."""

    mark: str
    info: str
    lead: str = ""

    @property
    def opening(self) -> str:
        return f"{self.lead}{self.mark}{self.info}\n"

    @property
    def closing(self) -> str:
        return f"{self.lead}{self.mark}"


def open_fence(text: str, fence: Fence | None = None) -> Fence | None:
    """The fence that is open where `text` ends; `fence` is the one that is open where it begins."""
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line)
        if match is None:
            continue
        mark, info = match["mark"], match["info"].strip()
        if fence is None:
            if mark[0] not in info:  # else it is code within a line, or longer than any real fence
                lead = match["lead"][:_LEAD] if ">" in match["lead"][:_LEAD] else ""
                fence = Fence(mark, info[:_INFO], lead)
        elif mark.startswith(fence.mark) and not info:
            fence = None
    return fence


def closed(text: str) -> str:
    """`text` with its open fence, if any, closed."""
    fence = open_fence(text)
    if fence is None:
        return text
    return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{fence.closing}"


def like_fence(line: str) -> bool:
    """Whether a line would open or close a fence."""
    return _FENCE.fullmatch(line) is not None


def tail(text: str, limit: int) -> str:
    """The end of `text` within `limit` characters, from a line's start where one is near, fences whole."""
    if len(whole := closed(text)) <= limit:
        return whole
    start = len(text) - (limit - _ROOM)
    line = text.find("\n", start, start + (limit - _ROOM) // 2) + 1
    start = line or start
    fence = open_fence(text[:start])
    return closed(f"…\n{fence.opening if fence else ''}{text[start:]}")


def head(text: str, limit: int) -> str:
    """The start of `text` within `limit` characters, cut at a paragraph, and how much is missing."""
    if len(whole := closed(text)) <= limit:
        return whole
    kept = text[: boundary(text, limit - _ROOM)].rstrip()
    return f"{closed(kept)}\n\n(cut: {len(text) - len(kept)} more characters)"


def boundary(text: str, limit: int) -> int:
    """Where best to cut at `limit` or before it: a paragraph, a line, a word, a character."""
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, limit // 2, limit)
        if at > 0:
            return at
    return limit
