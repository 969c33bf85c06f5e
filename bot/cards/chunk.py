"""A long text in pieces that can be read one by one: nothing is lost, no fence stays open. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.cards.cut import cut
from bot.cards.fences import CLOSING_ROOM, Fence, open_fence
from bot.cards.table import Table
from bot.cards.text import harmless

_BLANK = re.compile(r"\s*")
_WIDER = 2
"""A piece may begin with a broadcast that was none within its word, and end with half a mention: a character each."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A slice of the text, and how it is shown.

    The pieces of all chunks joined are the text. opening, closing: what the cuts around it made necessary: a fence
    closed and opened again, a table's header repeated. body: the piece without the white space at its ends.
    """

    piece: str
    opening: str
    body: str
    closing: str

    @property
    def text(self) -> str:
        return f"{self.opening}{self.body}{self.closing}"


def chunks(text: str, limit: int) -> Iterator[Chunk]:
    """`text`, which is harmless already, in pieces that are shown within `limit` characters each (at least 400)."""
    start, last = 0, len(text.rstrip())
    fence: Fence | None = None
    table: Table | None = None
    while start < len(text):
        opening = _opening(fence, table, limit)
        begin = _ink(text, start, limit)
        if last - begin + len(opening) <= limit:
            whole = _chunk(text[start:], opening, text[begin:last])
            if len(whole.text) <= limit:
                yield whole
                return
        stop, table = cut(text, begin, limit - len(opening) - CLOSING_ROOM - _WIDER, fence, table)
        after = _after(text, stop)
        found = _chunk(text[start:after], opening, text[begin:stop])
        yield found
        start, fence = after, open_fence(found.opening + found.body)


def _chunk(piece: str, opening: str, between: str) -> Chunk:
    body = harmless(between.rstrip())
    fence = open_fence(opening + body)
    return Chunk(piece, opening, body, "" if fence is None else f"\n{fence.closing}")


def _opening(fence: Fence | None, table: Table | None, limit: int) -> str:
    opening = fence.opening if fence else table.opening if table else ""
    return opening if len(opening) <= limit // 4 else ""


def _ink(text: str, start: int, limit: int) -> int:
    """Where the piece begins to be shown: past blank lines, with its first line's indentation if it is no abyss."""
    end = _end_of_blank(text, start)
    line = text.rfind("\n", start, end) + 1 or start
    return end if end - line > limit // 8 else line


def _after(text: str, stop: int) -> int:
    """Where the next piece begins: past the blank lines or spaces at the cut, never into a line's indentation."""
    end = _end_of_blank(text, stop)
    line = text.rfind("\n", stop, end) + 1
    return end if end == len(text) or not line else line


def _end_of_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at
