"""A long text as a file says it: in pieces, of which some are repeated."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"\{n(?::(0\d))?\}")


def spelled(value: Any) -> str:
    """The text that `value` is: a text, or a list of pieces, each a text or `{repeat: …, times: n}`.

    In what is repeated `{n}` is its number, from 1, and `{n:04}` the same in four digits. ValueError says what is no
    piece.
    """
    if not isinstance(value, list):
        return str(value)
    return "".join(map(_piece, value))


def _piece(piece: Any) -> str:
    match piece:
        case str():
            return piece
        case {"repeat": str(text), "times": int(times), **rest} if not rest:
            return "".join(_numbered(text, n) for n in range(1, times + 1))
    raise ValueError(f"a piece of a text is a text, or {{repeat: a text, times: a number}}, not {piece!r}")


def _numbered(text: str, n: int) -> str:
    return _NUMBER.sub(lambda found: format(n, found[1] or ""), text)
