"""Text of the model and of tools, made harmless: it can mention nobody and break nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from store.values import clean

_ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"

# Whatever Slack takes for a mention or a command, and what a cut may leave of one: the other half may follow.
# `<!DOCTYPE html>`, `<!-- -->` and `List<@NonNull T>` are code to be copied.
_CONTROL = re.compile(
    r"<(?=[@#][A-Z0-9]+(?:[|>]|\Z)"
    r"|!(?!(?i:doctype|element|attlist|entity|notation)\b)[A-Za-z]"
    r"|[@#!]?\Z)",
    re.ASCII,
)
_BROADCAST = re.compile(r"(?<![\w.])@(?=(?i:here|channel|everyone|group)\b)", re.ASCII)

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def harmless(text: str) -> str:
    """`text` for a markdown block, where no escaping reaches code: mentions are broken by an invisible space.

    Pieces that were made harmless one by one are harmless together.
    """
    unmentioned = _CONTROL.sub("<" + _ZERO_WIDTH, clean(text))
    return _BROADCAST.sub("@" + _ZERO_WIDTH, unmentioned)


def escaped(text: str) -> str:
    """`text` for every other place: harmless, and with Slack's three characters escaped."""
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def clip(text: str, limit: int, size: Callable[[str], int] = len) -> str:
    """`escaped(text)` within `limit`, cut between characters and marked with `…`; `size` measures a piece."""
    whole = escaped(text)
    if size(whole) <= limit:
        return whole
    room = limit - size("…")
    kept: list[str] = []
    for character in harmless(text):
        piece = _ENTITIES.get(character, character)
        room -= size(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept) + "…"


def in_bytes(text: str) -> int:
    """The length Slack counts for the text of an update: bytes of UTF-8."""
    return len(text.encode())


def one_line(text: str, limit: int) -> str:
    """`clip` of the text with every run of white space, line ends too, made one space."""
    return clip(" ".join(text.split()), limit)
