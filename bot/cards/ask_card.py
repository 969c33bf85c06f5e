"""The card of what a run waits for: a question, a plan, an approval; open, over, or moved down the thread. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cards.ask_button import (
    APPROVE,
    CHANGE,
    CHOOSE,
    DENY,
    REJECT,
    SEND,
    WORDS,
    Target,
    actions,
    button,
)
from bot.cards.ask_form import is_button_row, item, listing, needs_list, pick, takes_words
from bot.cards.ask_shown import shown_ask
from bot.cards.ask_words import NAME, ending, essence, given, named, place, until, who_may
from bot.cards.card import FALLBACK_BYTES, Block, Card, context, markdown, section
from bot.cards.fences import head
from bot.cards.text import clip, harmless, in_bytes, one_line
from store.redaction import masked_text
from store.view import AskView, RunView, StepState
from store.wait import SHOWN, Answer, Question, Wait

MOST_INLINE = 5
"""More questions than this are answered in a window."""
_TEXT, _OVER_TEXT, _LEAST_TEXT = 6_000, 1_500, 400
"""Characters of a paragraph alone on an open card, on one that is over, and of each of many."""
_ANSWER, _CALL, _SAID = 2_500, 1_000, 300
_STEPS, _STEP_ROOM, _LEAST_STEP = 40, 2_400, 24
_SHOWN = 20
"""Questions that are listed; what is beyond them stands in the window alone."""

_SIGN: Mapping[StepState, str] = {"todo": "○", "doing": "▸", "done": "✓", "left": "○"}
_VOID = "The run could not take this answer any more. It is kept, and nothing was started."
_MOVED = "↓ Asked again further down in this thread."
_HINT = "Or reply in this thread."


def ask_card(view: RunView, *, elsewhere: bool = False) -> Card:
    """The card of `view.ask`. elsewhere: it does not stand in the run's thread, where a reply would be an answer.

    ValueError where the view is about no wait.
    """
    if view.ask is None:
        raise ValueError(f"the view of run {view.run} is about nothing that is asked")
    ask = shown_ask(view.ask)
    match ask.state:
        case "open":
            return _open(ask.wait, elsewhere=elsewhere)
        case "over":
            return _over(ask)
        case "moved":
            return Card(_fallback(ask.wait, _MOVED), [*_heading(ask.wait, _OVER_TEXT), context(_MOVED)])


def _open(wait: Wait, *, elsewhere: bool) -> Card:
    where = place(wait) if elsewhere else _HINT if wait.takes_words else ""
    lines = [line for line in (where, who_may(wait), until(wait)) if line]
    return Card(_fallback(wait, ask=named(wait)), [*_asked(wait), *map(_marked, lines)])


def _asked(wait: Wait) -> list[Block]:
    match wait.kind:
        case "question":
            return _questions(wait)
        case "plan":
            return [*_heading(wait, _TEXT), *_plan(wait), _decide(wait)]
        case "approval":
            return [*_heading(wait, _OVER_TEXT), *_call(wait, SHOWN), _decide(wait)]


def _over(ask: AskView) -> Card:
    wait, answer = ask.wait, ask.answer
    ended = ending(wait, answer)
    blocks = _heading(wait, _OVER_TEXT)
    if wait.kind == "approval":
        blocks += _call(wait, _OVER_TEXT)
    elif ask.steps:
        blocks.append(context(_followed(ask)))
    elif wait.kind == "plan":
        blocks += _plan(wait)
    said = masked_text(_said(wait, answer)) if answer is not None else ""
    if said:
        blocks.append(section(clip(said, _ANSWER)))
    blocks.append(_marked(ended))
    if ask.void:
        blocks.append(context(_VOID))
    return Card(_fallback(wait, f"{ended} {one_line(said, _SAID)}".strip()), blocks)


def _heading(wait: Wait, room: int) -> list[Block]:
    """What it is about: the title, and of one question its text."""
    texts = [wait.title, *(question.text for question in wait.questions[:1] if len(wait.questions) == 1)]
    text = "\n\n".join(dict.fromkeys(text.strip() for text in texts if text.strip()))
    return _paragraph(text or f"{NAME[wait.kind]}.", room)


def _questions(wait: Wait) -> list[Block]:
    """Buttons for one short choice, inputs for others, a window for what takes more room than that."""
    blocks = _heading(wait, _TEXT if len(wait.questions) == 1 else _OVER_TEXT)
    target = Target.of(wait)
    wordy = [button(WORDS, "Answer in words", target)] if any(map(takes_words, wait.questions)) else []
    if len(wait.questions) == 1 and is_button_row(wait.questions[0]):
        return [*blocks, *_described(wait.questions[0]), actions(*_choices(wait), *wordy)]
    inline = len(wait.questions) <= MOST_INLINE and all(question.choices for question in wait.questions)
    shown = wait.questions[:_SHOWN]
    room = max(_LEAST_TEXT, _TEXT // max(1, len(shown)))
    for number, question in enumerate(shown):
        blocks += _question(wait, number, question, room, inline=inline)
    if inline:
        return [*blocks, actions(button(SEND, "Submit", target, "primary"), *wordy)]
    label = "Answer in words" if len(wait.questions) == 1 else "Answer"
    return [*blocks, actions(button(WORDS, label, target, "primary"))]


def _question(wait: Wait, number: int, question: Question, room: int, *, inline: bool) -> list[Block]:
    """One of them: its text where the heading does not say it, its choices, and the input to pick them."""
    text = question.text.strip() if len(wait.questions) > 1 else ""
    if question.choices and (not inline or needs_list(question)):
        text = f"{text}\n\n{listing(question)}".strip()
    blocks = _paragraph(text, room)
    if inline:
        blocks.append(pick(wait, number, "Choose any" if question.several else "Choose one"))
    return blocks


def _choices(wait: Wait) -> list[Block]:
    target = Target.of(wait)
    labels = [choice.label for choice in wait.questions[0].choices]
    return [button(f"{CHOOSE}.{number}", label, target) for number, label in enumerate(labels)]


def _described(question: Question) -> list[Block]:
    """The choices in words, where a button does not say it all."""
    if not any(choice.description.strip() for choice in question.choices):
        return []
    return [section(clip(listing(question), _ANSWER))]


def _plan(wait: Wait) -> list[Block]:
    return _paragraph("\n".join(item(number, step) for number, step in enumerate(wait.steps, 1)), _TEXT)


def _call(wait: Wait, room: int) -> list[Block]:
    """The exact call, and its arguments as far as they fit; their secrets are masked already."""
    blocks = [_code(wait.call, _CALL)] if wait.call.strip() else []
    if wait.arguments.strip():
        blocks.append(_code(wait.arguments, room))
        if (left := len(harmless(wait.arguments)) - room) > 0:
            blocks.append(context(f"{left:,} more characters are in the file below."))
    return blocks


def _decide(wait: Wait) -> Block:
    target = Target.of(wait)
    approve = button(APPROVE, "Approve", target, "primary")
    if wait.kind == "approval":
        return actions(approve, button(DENY, "Deny", target, "danger"))
    return actions(approve, button(CHANGE, "Ask for changes", target), button(REJECT, "Reject", target, "danger"))


def _followed(ask: AskView) -> str:
    """The steps of an approved plan, each with where it is."""
    room = max(_LEAST_STEP, _STEP_ROOM // max(1, min(_STEPS, len(ask.steps))))
    lines = [
        f"{_SIGN[state]} {one_line(step, room) or '…'}{' (not done)' if state == 'left' else ''}"
        for step, state in ask.steps[:_STEPS]
    ]
    more = len(ask.steps) - _STEPS
    return "\n".join([*lines, *([f"… {more} more"] if more > 0 else [])])


def _said(wait: Wait, answer: Answer) -> str:
    """What was answered, as it was said."""
    found = list(map(given, answer.given))
    if len(found) > 1:
        asked = [question.text for question in wait.questions]
        found = [f"{' '.join(text.split())[:200]} → {said or '–'}" for text, said in zip(asked, found, strict=False)]
    return "\n".join(part for part in (*found, answer.words.strip()) if part)


def _paragraph(text: str, room: int) -> list[Block]:
    return [markdown(head(harmless(text), room))] if text.strip() else []


def _marked(line: str) -> Block:
    """A small line in Slack's markup; its parts are escaped already."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": line}]}


def _code(text: str, room: int) -> Block:
    """Text as it is, in a frame that nothing in it can close."""
    shown = harmless(text)
    shown = shown if len(shown) <= room else shown[:room]
    inside: Block = {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": harmless(shown)}]}
    return {"type": "rich_text", "elements": [inside]}


def _fallback(wait: Wait, ended: str = "", *, ask: str = "") -> str:
    """What a notification says. ended, ask: in Slack's markup, and short."""
    asked = wait.call.strip() or essence(wait)
    before, after = ": ".join(filter(None, (ask, NAME[wait.kind]))), f" ({ended})" if ended else ""
    room = FALLBACK_BYTES - in_bytes(before) - in_bytes(after) - 2
    said = clip(" ".join(asked.split()), room, in_bytes)
    return ": ".join(filter(None, (before, said))) + after
