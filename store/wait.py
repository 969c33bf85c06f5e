"""A durable wait: what a run asks of people, who may answer, and the answer.

A wait's id follows from its step key, so asking again finds the same wait with any answer given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from store.stepkey import StepKey
from store.thread import ThreadId
from store.values import decode, digest, encode

WaitKind = Literal["question", "plan", "approval"]
How = Literal["button", "words", "deadline", "aside", "stopped"]
"""How a wait ended: a click or a form, a message in the thread, nobody in time, set aside for a thread that must go on,
its run was stopped."""
Verdict = Literal["", "approve", "change", "reject", "deny"]
"""What became of a plan or an approval; empty for questions."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose: what the button says, and a line about it."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. several: more than one choice may be taken. words: free text is an answer, too.

    default: what counts as the answer when the deadline passes; empty: nothing does.
    """

    text: str
    choices: tuple[Choice, ...] = ()
    several: bool = False
    words: bool = False
    default: str = ""

    def as_body(self) -> dict[str, Any]:
        return {**asdict(self), "choices": [asdict(choice) for choice in self.choices]}

    @classmethod
    def from_mapping(cls, found: Mapping[str, Any]) -> Question:
        choices = tuple(Choice(one["label"], one.get("description", "")) for one in found.get("choices", ()))
        return cls(
            found["text"],
            choices,
            bool(found.get("several")),
            bool(found.get("words")),
            found.get("default", ""),
        )


@dataclass(frozen=True, slots=True)
class Answerers:
    """Who may answer. by: `asker`, `channel` (everybody who may use the bot there), or user and group ids.

    quorum: how many people have to approve; the first denial decides alone. not_asker: the asker may not approve
    what was asked for them.
    """

    by: tuple[str, ...] = ("channel",)
    quorum: int = 1
    not_asker: bool = False

    def as_body(self) -> dict[str, Any]:
        return {"by": list(self.by), "quorum": self.quorum, "not_asker": self.not_asker}

    @classmethod
    def from_mapping(cls, found: Mapping[str, Any]) -> Answerers:
        return cls(tuple(found.get("by", ("channel",))), int(found.get("quorum", 1)), bool(found.get("not_asker")))


SHOWN = 2_500
"""Characters of an approval's arguments that its card shows; longer ones are beside it whole, as a file."""
ANYBODY = Answerers()
"""Everybody who may use the bot in the thread's channel."""


@dataclass(frozen=True, slots=True)
class Wait:
    """What a run waits for.

    key: of the step that waits. questions: of a question. steps: of a plan. call: the line of a tool call, and
    `arguments` its masked arguments as JSON, of an approval. asked, deadline, remind: wall-clock seconds; 0 is none.
    """

    id: str
    run: str
    thread: str
    key: str
    kind: WaitKind
    asker: str
    title: str
    asked: float
    questions: tuple[Question, ...] = ()
    steps: tuple[str, ...] = ()
    call: str = ""
    arguments: str = ""
    answerers: Answerers = ANYBODY
    deadline: float = 0.0
    remind: float = 0.0

    @property
    def takes_words(self) -> bool:
        """Whether a message in the thread can be the answer: one question that takes free text."""
        return self.kind == "question" and len(self.questions) == 1 and self.questions[0].words

    @property
    def addressees(self) -> tuple[str, ...]:
        """Who finds it among what waits for them: people, groups, and the channel where everybody there may answer."""
        asker = () if self.answerers.not_asker else (self.asker,)
        named = {"asker": asker, "channel": (ThreadId.parse(self.thread).channel,)}
        return tuple(dict.fromkeys(who for name in self.answerers.by for who in named.get(name, (name,))))

    def as_body(self) -> dict[str, Any]:
        """Itself as plain JSON values."""
        plain = {
            "questions": [question.as_body() for question in self.questions],
            "steps": list(self.steps),
            "answerers": self.answerers.as_body(),
        }
        names = ("id", "run", "thread", "key", "kind", "asker", "title", "asked", "call", "arguments", "deadline")
        return {name: getattr(self, name) for name in (*names, "remind")} | plain

    def to_json(self) -> str:
        return encode(self.as_body())

    @classmethod
    def from_json(cls, raw: str) -> Wait:
        return cls.from_mapping(decode(raw))

    @classmethod
    def from_mapping(cls, found: Mapping[str, Any]) -> Wait:
        names = ("id", "run", "thread", "key", "kind", "asker", "title", "asked", "call", "arguments", "deadline")
        return cls(
            **{name: found[name] for name in (*names, "remind")},
            questions=tuple(map(Question.from_mapping, found.get("questions", ()))),
            steps=tuple(found.get("steps", ())),
            answerers=Answerers.from_mapping(found.get("answerers", {})),
        )


@dataclass(frozen=True, slots=True)
class Given:
    """What was given for one question: the labels chosen, and words."""

    choices: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a wait ended. by: user id, empty where nobody did. at: wall-clock seconds.

    given: per question, in order. verdict and words: of a plan or an approval, with the reason or the wish.
    """

    wait: str
    by: str
    at: float
    how: How
    given: tuple[Given, ...] = ()
    verdict: Verdict = ""
    words: str = ""

    def as_body(self) -> dict[str, Any]:
        given = [{"choices": list(one.choices), "words": one.words} for one in self.given]
        plain = {"wait": self.wait, "by": self.by, "at": self.at, "how": self.how}
        return {**plain, "given": given, "verdict": self.verdict, "words": self.words}

    def to_json(self) -> str:
        return encode(self.as_body())

    @classmethod
    def from_json(cls, raw: str) -> Answer:
        return cls.from_mapping(decode(raw))

    @classmethod
    def from_mapping(cls, found: Mapping[str, Any]) -> Answer:
        given = tuple(Given(tuple(one.get("choices", ())), one.get("words", "")) for one in found.get("given", ()))
        names = ("wait", "by", "at", "how", "verdict", "words")
        return cls(**{name: found[name] for name in names}, given=given)


def wait_id(key: StepKey) -> str:
    """The id of the wait of this step: `w` and 16 hex digits."""
    return "w" + digest(str(key))[:16]
