"""Asking people in the thread: a card with buttons, and a run that waits without a process until somebody answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from store.wait import Answer, Answerers, Choice, Given, Question
from worker.tools.ask import Ask
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, tool

MOST_QUESTIONS, MOST_CHOICES = 5, 10

ASIDE = (
    "Nobody answered: <@{by}> set the question aside, because the thread went on to something else. "
    "Do not ask it again; finish with what you know."
)
LATE = "Nobody answered in time."


class Option(BaseModel):
    """One thing to choose."""

    model_config = ConfigDict(extra="forbid")

    label: Annotated[str, Field(min_length=1, max_length=75, description="what the button says, a few words")]
    description: Annotated[str, Field(max_length=300, description="one line about what it means")] = ""


class Asked(BaseModel):
    """One question."""

    model_config = ConfigDict(extra="forbid")

    question: Annotated[str, Field(min_length=1, max_length=2000)]
    choices: Annotated[list[Option], Field(max_length=MOST_CHOICES)] = []
    several: Annotated[bool, Field(description="whether more than one choice may be taken")] = False
    free_text: Annotated[bool, Field(description="whether words of their own are an answer, too")] = False
    default: Annotated[str, Field(max_length=75, description="the choice that counts if nobody answers in time")] = ""

    @model_validator(mode="after")
    def _can_be_answered(self) -> Asked:
        labels = [choice.label for choice in self.choices]
        if not labels and not self.free_text:
            raise ValueError("a question needs choices, or free_text=true")
        if len(set(labels)) < len(labels):
            raise ValueError("each choice needs a label of its own")
        if self.default and labels and self.default not in labels:
            raise ValueError(f"the default {self.default!r} is none of the choices")
        return self

    def as_question(self) -> Question:
        choices = tuple(Choice(choice.label, choice.description) for choice in self.choices)
        return Question(self.question, choices, self.several and bool(choices), self.free_text, self.default)


def ask_user_tool(answerers: Answerers, seconds: float) -> Tool:
    """answerers: who may answer. seconds: how long it waits where the model says nothing, 0 for ever."""

    @tool(name="ask_user", replay="safe", composite=True, title="asking: {title}")
    def ask_user(
        context: ToolContext,
        title: Annotated[str, Field(min_length=1, max_length=150, description="what it is about, one line")],
        questions: Annotated[list[Asked], Field(min_length=1, max_length=MOST_QUESTIONS)],
        minutes: Annotated[
            float, Field(ge=0, le=43_200, description="how long an answer helps; 0: however long it takes")
        ] = 0,
    ) -> str:
        """Ask the people in this thread when you cannot go on without them; returns what they answered.

        Give choices wherever you can, each with a line about what it means. Ask everything you need at once.
        """
        asked = tuple(question.as_question() for question in questions)
        ask = Ask("question", title, questions=asked, answerers=answerers, seconds=minutes * 60 or seconds)
        return worded(asked, context.ask("answer", ask))

    return ask_user


def worded(questions: tuple[Question, ...], answer: Answer) -> str:
    """An answer as the model reads it."""
    match answer.how:
        case "deadline":
            defaults = [
                f"{question.text}\n→ {question.default} (the default)" for question in questions if question.default
            ]
            return "\n\n".join([LATE, *defaults])
        case "aside":
            return ASIDE.format(by=answer.by)
        case _:
            pairs = zip(questions, answer.given, strict=False)
            return "\n\n".join(
                [f"<@{answer.by}> answered:", *(f"{ask.text}\n→ {_said(given)}" for ask, given in pairs)]
            )


def _said(given: Given) -> str:
    return "; ".join([*given.choices, *([given.words] if given.words else [])]) or "(nothing)"
