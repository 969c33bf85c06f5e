"""What is filled in to answer a question, in a message or in a window, and what it says when it is sent. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.cards.card import Block, plain
from bot.cards.text import one_line
from store.wait import Choice, Given, Question, Wait

PICK, SAY = "everthread_pick", "everthread_say"
"""Action ids of what is picked and of what is written."""
MOST_BUTTONS, LONGEST_BUTTON = 5, 40
"""More choices than this, or longer ones, are picked from a list."""
_LIST, _MENU = 10, 100
"""Options of radio buttons and checkboxes; of a menu (slack_sdk, docs.slack.dev)."""
_OPTION, _TYPED = 75, 3_000


def is_button_row(question: Question) -> bool:
    """Whether a button for each choice will do."""
    short = all(len(one_line(choice.label, _OPTION)) <= LONGEST_BUTTON for choice in question.choices)
    return bool(question.choices) and not question.several and len(question.choices) <= MOST_BUTTONS and short


def takes_words(question: Question) -> bool:
    """Whether words are an answer; where there is nothing to choose they always are."""
    return question.words or not question.choices


def needs_list(question: Question) -> bool:
    """Whether an option has no room for what is said of its choice."""
    texts = [text for choice in question.choices for text in (choice.label, choice.description)]
    return len(question.choices) > _MENU or any(len(text) > _OPTION for text in texts)


def listing(question: Question) -> str:
    """Every choice with its description, a line each, as the model wrote them."""
    return "\n".join(item(number, _line(choice)) for number, choice in enumerate(question.choices, 1))


def item(number: int, text: str) -> str:
    """One line of a numbered list; what would open a code fence in it is broken."""
    line = f"{number}. {' '.join(text.split())}"
    return line.replace("```", "`\N{ZERO WIDTH SPACE}``").replace("~~~", "~\N{ZERO WIDTH SPACE}~~")


def pick(wait: Wait, number: int, label: str, picked: tuple[int, ...] = (), *, optional: bool = False) -> Block:
    """The input in which the choices of this question are picked; label: ours."""
    question = wait.questions[number]
    listed = needs_list(question)
    options = [_option(at, choice, listed=listed) for at, choice in enumerate(question.choices[:_MENU])]
    kind = ("checkboxes" if question.several else "radio_buttons") if len(options) <= _LIST else "static_select"
    if kind == "static_select" and question.several:
        kind = "multi_static_select"
    element: Block = {"type": kind, "action_id": PICK, "options": options}
    if "select" in kind:
        element["placeholder"] = plain("Choose")
    initial = [options[at] for at in picked if at < len(options)]
    if initial:
        element |= {"initial_options": initial} if question.several else {"initial_option": initial[0]}
    return _input(pick_block(wait, number), label, element, optional=optional)


def say(wait: Wait, number: int, label: str, *, optional: bool = False) -> Block:
    """The input in which an answer is written; label: escaped already."""
    element: Block = {"type": "plain_text_input", "action_id": SAY, "multiline": True, "max_length": _TYPED}
    return _input(say_block(wait, number), label, element, optional=optional)


def pick_block(wait: Wait, number: int) -> str:
    return f"{wait.id}.{number}.pick"


def say_block(wait: Wait, number: int) -> str:
    return f"{wait.id}.{number}.say"


def picked_in(wait: Wait, number: int, values: Mapping[str, Any]) -> tuple[int, ...]:
    """The numbers of the choices that are picked; values: `state.values` of a payload, which may be anything."""
    state = _state(values, pick_block(wait, number), PICK)
    one, several = state.get("selected_option"), state.get("selected_options")
    found = several if isinstance(several, list) else [one]
    texts = [option.get("value") for option in found if isinstance(option, Mapping)]
    count = len(wait.questions[number].choices) if number < len(wait.questions) else 0
    numbers = sorted({int(text) for text in texts if isinstance(text, str) and text.isdecimal() and text.isascii()})
    return tuple(at for at in numbers if at < count)


def said_in(wait: Wait, number: int, values: Mapping[str, Any]) -> str:
    """The words that are written for this question."""
    value = _state(values, say_block(wait, number), SAY).get("value")
    return value.strip() if isinstance(value, str) else ""


def given_in(wait: Wait, values: Mapping[str, Any]) -> tuple[Given, ...]:
    """What is given for each question, in order."""
    return tuple(
        Given(
            tuple(question.choices[at].label for at in picked_in(wait, number, values)),
            said_in(wait, number, values),
        )
        for number, question in enumerate(wait.questions)
    )


def missing(given: tuple[Given, ...]) -> tuple[int, ...]:
    """The numbers of the questions for which nothing is given."""
    return tuple(number for number, one in enumerate(given) if not one.choices and not one.words)


def _option(at: int, choice: Choice, *, listed: bool) -> Block:
    """listed: it stands above in full, under its number."""
    label = f"{at + 1}. {choice.label}" if listed else choice.label
    option: Block = {"text": plain(one_line(label, _OPTION) or "…"), "value": str(at)}
    described = one_line(choice.description, _OPTION)
    return {**option, "description": plain(described)} if described else option


def _line(choice: Choice) -> str:
    return f"{choice.label}: {choice.description}" if choice.description.strip() else choice.label


def _input(block: str, label: str, element: Block, *, optional: bool) -> Block:
    found: Block = {"type": "input", "block_id": block, "label": plain(label), "element": element}
    return {**found, "optional": True} if optional else found


def _state(values: Mapping[str, Any], block: str, action: str) -> Mapping[str, Any]:
    inside = values.get(block)
    found = inside.get(action) if isinstance(inside, Mapping) else None
    return found if isinstance(found, Mapping) else {}
