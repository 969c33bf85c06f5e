"""Whether people in Slack see all of what a run said, however it was cut into posts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_INVISIBLE = "\N{ZERO WIDTH SPACE}"
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def is_whole(text: str, shown: Sequence[str]) -> bool:
    """Whether everything in `text` stands in `shown`, in order.

    Left out of account are white space, fences, which are closed and opened again where a text is cut, and the headers
    that a table gets again.
    """
    wanted, there = _letters(text), _letters("\n".join(shown))
    if wanted in there:
        return True
    left = iter(there)
    return all(letter in left for letter in wanted)


def is_fenced(text: str) -> bool:
    """Whether every fence that is opened is closed."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.fullmatch(line)
        if found is None:
            continue
        if not fence:
            fence = found[1] if "`" not in found[2] or found[1][0] == "~" else ""
        elif found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return not fence


def _letters(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return "".join(_unfenced(text.replace(_INVISIBLE, "").split("\n")))


def _unfenced(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        if _FENCE.fullmatch(line) is None:
            yield "".join(line.split())
