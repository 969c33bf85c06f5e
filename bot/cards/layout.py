"""How the text of a run that is over is laid out: in the reply, in posts behind it, or in a file. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from bot.cards.card import MARKDOWN_CHARACTERS
from bot.cards.chunk import chunks
from bot.cards.text import escaped, harmless
from store.lifecycle import SETTLED
from store.ports import Part
from store.values import clean
from store.view import RunView

LATER: tuple[Part, ...] = ("reply.2", "reply.3")
"""The posts behind the reply; a text that takes more goes into a file."""
SHRUNK_CHARACTERS, PLAIN_CHARACTERS = 3_000, 2_800


@dataclass(frozen=True, slots=True)
class Layout:
    """texts: Markdown for the reply and the posts behind it. filed: the whole text goes into a file.

    left_out: characters that stand in no post.
    """

    texts: tuple[str, ...]
    filed: bool = False
    left_out: int = 0


def layout(view: RunView) -> Layout:
    """What goes where, for the view's form."""
    text = harmless(view.text)
    if not text.strip() or view.form == "notice":
        return Layout((), left_out=len(text.strip()))
    if view.form == "file":
        return Layout((), not view.fileless, len(text))
    if view.form == "plain":
        left_out = max(0, len(escaped(text)) - PLAIN_CHARACTERS)
        return Layout((text,), bool(left_out) and not view.fileless, left_out)
    most, limit = (1 + len(LATER), MARKDOWN_CHARACTERS) if view.form == "whole" else (1, SHRUNK_CHARACTERS)
    found = list(islice(chunks(text, limit), most + 1))
    if len(found) <= most:
        return Layout(tuple(chunk.text for chunk in found))
    return Layout((found[0].text,), not view.fileless, len(text) - len(found[0].piece))


def parts(view: RunView) -> Sequence[Part]:
    """What the text takes behind the reply; nothing while the run is at work."""
    if view.status not in SETTLED:
        return ()
    laid = layout(view)
    return ("file",) if laid.filed else LATER[: max(0, len(laid.texts) - 1)]


def file_name(run: str, wait: str = "") -> str:
    """The name by which a run's file is found again; wait: the one whose call's input it holds."""
    return f"input-{wait}.json" if wait else f"answer-{run}.md"


def file_text(view: RunView) -> bytes:
    """The whole text, as it was said, or the masked input of the call that is asked about: a file mentions nobody."""
    return clean(view.text if view.ask is None else view.ask.wait.arguments).encode()
