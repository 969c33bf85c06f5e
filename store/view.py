"""What a run looks like from outside, at one moment: the input of every rendering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from store.lifecycle import Status
from store.wait import Answer, Wait

CallState = Literal["pending", "running", "done", "failed", "interrupted"]

Form = Literal["whole", "shrunk", "plain", "file", "notice"]
"""How an outcome is shown. After `whole`, each is for when Slack refuses the one before it for good."""


@dataclass(frozen=True, slots=True)
class CallView:
    """One tool call: its one-line description and where it is."""

    title: str
    state: CallState
    resumed: bool = False


CardState = Literal["open", "over", "moved"]
StepState = Literal["todo", "doing", "done", "left"]


@dataclass(frozen=True, slots=True)
class AskView:
    """A wait as its card shows it.

    state: `moved` where a newer card stands below in the thread. answer: how it ended. steps: of a plan, each with
    where it is once it was approved. void: the answer came, but its run could not take it.
    """

    wait: Wait
    state: CardState
    answer: Answer | None = None
    steps: tuple[tuple[str, StepState], ...] = ()
    void: bool = False


@dataclass(frozen=True, slots=True)
class RunView:
    """A whole state of one run's reply; rendering it is pure.

    doing: what it does now, in a few words ("thinking", "running charge"). elapsed: seconds.
    footer: the last line of a settled run, already in words. queued: messages held back behind this run.
    form: how it is shown. file: the uploaded file with the whole text, once there is one. fileless: there can be none.
    ask: what the card at hand is about; None for every other part.
    """

    run: str
    thread: str
    asker: str
    status: Status
    doing: str = ""
    text: str = ""
    calls: tuple[CallView, ...] = ()
    elapsed: float = 0.0
    resumed: bool = False
    queued: int = 0
    footer: str = ""
    note: str = ""
    form: Form = "whole"
    file: str = ""
    fileless: bool = False
    ask: AskView | None = None
