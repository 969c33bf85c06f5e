"""The one reply of a run: what it does, its calls, its text, a way to stop it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cards.button import drop_button, stop_button, waiting
from bot.cards.card import FALLBACK_BYTES, MARKDOWN_CHARACTERS, Block, Card, context, markdown, section
from bot.cards.fences import tail
from bot.cards.layout import PLAIN_CHARACTERS, Layout, layout
from bot.cards.text import clip, harmless, in_bytes, one_line
from bot.cards.words import ENDING, NOW, minutes
from store.lifecycle import SETTLED
from store.redaction import masked_text
from store.view import CallState, CallView, RunView

# Together with the text these stay below what Slack takes for a whole message.
_DOING, _CALL, _CALLS, _NOTE, _FOOTER = 120, 90, 8, 600, 300

_SIGN: Mapping[CallState, str] = {
    "pending": "○",
    "running": "▸",
    "done": "✓",
    "failed": "✗",
    "interrupted": "?",
}


def reply_card(view: RunView) -> Card:
    """The message that shows the whole of `view`, or as much of it as its form allows."""
    if view.form == "notice":
        return _notice(view)
    return _settled(view) if view.status in SETTLED else _at_work(view)


def _at_work(view: RunView) -> Card:
    status, note = _status_line(view), _note(view)
    blocks: list[Block] = [context(status)]
    if view.calls:
        blocks.append(context(_call_list(view.calls)))
    if view.text.strip():
        blocks.append(markdown(tail(harmless(view.text), MARKDOWN_CHARACTERS)))
    if note:
        blocks.append(section(clip(note, _NOTE)))
    if view.queued:
        wait = "waits" if view.queued == 1 else "wait"
        blocks.append(context(f"{waiting(view.queued)} {wait}"))
    blocks.append(stop_button(view))
    return Card(_fallback(_plain_status(view), note or view.text), blocks)


def _settled(view: RunView) -> Card:
    note = _note(view)
    laid = layout(view)
    blocks: list[Block] = []
    if laid.texts and view.form == "plain":
        blocks.append(section(clip(view.text.strip(), PLAIN_CHARACTERS)))
    elif laid.texts:
        blocks.append(markdown(laid.texts[0]))
    if pointer := _pointer(view, laid):
        blocks.append(context(pointer))
    if note:
        blocks.append(section(clip(note, _NOTE)))
    if view.footer.strip():
        blocks.append(context(one_line(view.footer, _FOOTER)))
    if view.status == "aborted" and view.queued:
        blocks.append(drop_button(view))
    return Card(_fallback(view.text, note), blocks)


def _pointer(view: RunView, laid: Layout) -> str:
    """Where the rest of the text is."""
    if len(laid.texts) > 1:
        return f"1 of {len(laid.texts)} · goes on below"
    if laid.filed:
        return f"The whole answer ({len(view.text):,} characters) is in the file below."
    if laid.left_out and laid.texts:
        return f"{laid.left_out:,} more characters could not be shown here."
    return f"Slack refused to show this answer ({laid.left_out:,} characters)." if laid.left_out else ""


def _notice(view: RunView) -> Card:
    """One sentence without any blocks: what Slack takes when it takes nothing else."""
    kept = f"Slack refused to show the answer ({len(view.text):,} characters). It is kept as run {view.run}."
    return Card(_fallback(kept if view.text.strip() else "", _note(view) or NOW[view.status]), [])


def _note(view: RunView) -> str:
    """The sentence that explains a run which did not simply complete."""
    if view.note.strip():
        return view.note.strip()
    if view.status == "completed" and view.text.strip():
        return ""
    return ENDING.get(view.status, "")


def _plain_status(view: RunView) -> str:
    doing = masked_text(view.doing.strip()) or NOW[view.status]
    parts = [doing[0].upper() + doing[1:]]
    if view.status != "waiting":  # it is not written again while it waits, so the time would stand still
        parts.append(minutes(view.elapsed))
    if view.resumed:
        parts.append("resuming")
    return " · ".join(parts)


def _status_line(view: RunView) -> str:
    return one_line(_plain_status(view), _DOING)


def _call_list(calls: tuple[CallView, ...]) -> str:
    """The latest calls, a line each."""
    shown = calls[-_CALLS:]
    before = len(calls) - len(shown)
    lines = [f"… {before} before"] if before else []
    return "\n".join([*lines, *map(_call_line, shown)])


def _call_line(call: CallView) -> str:
    badge = ""
    if call.state == "interrupted":
        badge = " (may or may not have happened)"
    elif call.resumed and call.state in ("pending", "running"):
        badge = " (resuming)"
    return f"{_SIGN[call.state]} {one_line(masked_text(call.title), _CALL) or 'a call'}{badge}"


def _fallback(*parts: str) -> str:
    said = "\n\n".join(part.strip() for part in parts if part.strip())
    return clip(said, FALLBACK_BYTES, in_bytes)
