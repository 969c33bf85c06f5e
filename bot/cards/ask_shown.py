"""What is asked as people may see it: what a tool was given may hold a secret, and a card is seen by many. Pure."""

from __future__ import annotations

from dataclasses import replace

from store.redaction import masked_text
from store.view import AskView
from store.wait import Choice, Question, Wait


def shown_ask(ask: AskView) -> AskView:
    steps = tuple((masked_text(step), state) for step, state in ask.steps)
    return replace(ask, wait=shown_wait(ask.wait), steps=steps)


def shown_wait(wait: Wait) -> Wait:
    """The same wait with every secret in its texts masked; its arguments are masked where it is asked."""
    return replace(
        wait,
        title=masked_text(wait.title),
        questions=tuple(map(_question, wait.questions)),
        steps=tuple(map(masked_text, wait.steps)),
        call=masked_text(wait.call),
    )


def _question(question: Question) -> Question:
    choices = tuple(Choice(masked_text(one.label), masked_text(one.description)) for one in question.choices)
    return replace(question, text=masked_text(question.text), choices=choices)
