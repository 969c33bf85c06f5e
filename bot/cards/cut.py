"""Where to cut a long Markdown text: at paragraphs, then lines, sentences, spaces, between characters last."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.cards.fences import Fence, like_fence, open_fence
from bot.cards.table import Table, goes_on, table_at

_SENTENCE = re.compile(r"[.!?…][\"')\]*_”’]*(?=\s)|[。！？]")
_JOINING = frozenset("\u200d\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Joiner, variation selectors and skin tones: they belong to the character before them."""
_STEPS = 64
_LINE = 1_000
"""Characters of a line that are looked at to tell what it is."""

_PARAGRAPH, _LINE_END, _GAP_WITHIN, _LINE_WITHIN = range(4)
"""How good a line's end is to cut at; the last two lie inside a fence or a table."""


@dataclass(slots=True)
class _Lines:
    """The line ends of a window, each with how good it is; those inside a table with that table."""

    ranks: dict[int, int] = field(default_factory=dict)
    tables: dict[int, Table] = field(default_factory=dict)
    table: Table | None = None
    since: int = 0
    """Where the table began that is open at the window's end."""


def cut(text: str, begin: int, room: int, fence: Fence | None, table: Table | None) -> tuple[int, Table | None]:
    """Where to cut after at most `room` characters, and the table that is cut in two there, if any.

    fence, table: what is open at `begin`; that line is not blank. A table is cut only where it does not fit into
    `room` by itself.
    """
    end = begin + room
    lines = _read(text, begin, end, fence, table)
    at = _best(text, begin, end, lines)
    if lines.table is not None and begin < lines.since < at and _length(text, lines.since, room) <= room:
        return lines.since, None
    return at, lines.tables.get(at)


def _best(text: str, begin: int, end: int, lines: _Lines) -> int:
    half = begin + (end - begin) // 2
    late = [(rank, -at) for at, rank in lines.ranks.items() if at >= half]
    if late:
        return -min(late)[1]
    for at in (*_sentences(text, half, end), *_spaces(text, half, end)):
        if not _begins_fence(text, at):
            return at
    return max(lines.ranks, default=0) or _between_characters(text, begin, end)


def _read(text: str, begin: int, end: int, fence: Fence | None, table: Table | None) -> _Lines:
    lines = _Lines(table=table, since=begin)
    at, within = begin, 2 if table else 0
    while (stop := text.find("\n", at, end)) >= 0:
        line, following = text[at:stop], stop + 1
        was, fence = fence, open_fence(line, fence)
        if was is None and fence is None:
            if lines.table is not None and not goes_on(line):
                lines.table = None
            if lines.table is None and (begun := table_at(line, _line(text, following))) is not None:
                lines.table, lines.since, within = begun, at, 0
                lines.ranks[at] = _PARAGRAPH
        else:
            lines.table = None
            if was is None:
                lines.ranks[at] = _PARAGRAPH
        within += 1
        rank = _rank(was, fence, lines.table, within, not line.strip())
        if rank is not None:
            lines.ranks[following] = rank
            if lines.table is not None:
                lines.tables[following] = lines.table
        at = following
    lines.ranks.pop(begin, None)
    return lines


def _rank(was: Fence | None, fence: Fence | None, table: Table | None, within: int, blank: bool) -> int | None:
    """How good the end of a line is; None where no cut may be: behind a fence's or a table's first lines."""
    if fence is not None:
        return None if was is None else _GAP_WITHIN if blank else _LINE_WITHIN
    if table is not None:
        return None if within <= 2 else _LINE_WITHIN
    return _PARAGRAPH if blank or was is not None else _LINE_END


def _line(text: str, at: int) -> str:
    stop = text.find("\n", at, at + _LINE)
    return text[at : stop if stop >= 0 else at + _LINE]


def _length(text: str, at: int, most: int) -> int:
    """The length of the table at `at`; only whether it is more than `most` matters beyond that."""
    end = at
    while end - at <= most and end < len(text):
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        if not goes_on(text[end:stop]):
            break
        end = stop + 1
    return end - at


def _sentences(text: str, half: int, end: int) -> Iterator[int]:
    yield from reversed([match.end() for match in _SENTENCE.finditer(text, half, end)])


def _spaces(text: str, half: int, end: int) -> Iterator[int]:
    at = end
    for _ in range(_STEPS):
        at = text.rfind(" ", half, at)
        if at <= 0:
            return
        yield at


def _between_characters(text: str, begin: int, end: int) -> int:
    """The nearest place at or before `end` that tears no character apart and begins no fence."""
    for at in range(end, max(begin + 1, end - _STEPS), -1):
        torn = unicodedata.combining(text[at]) or text[at] in _JOINING or text[at - 1] == "\u200d"
        if not torn and not _begins_fence(text, at):
            return at
    return end


def _begins_fence(text: str, at: int) -> bool:
    """Whether what follows a cut within a line would look like a fence."""
    return like_fence(_line(text, at).lstrip())
