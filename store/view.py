"""What a run looks like from outside, at one moment: the input of every rendering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from store.lifecycle import Status

CallState = Literal["pending", "running", "done", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class CallView:
    """One tool call: its one-line description and where it is."""

    title: str
    state: CallState
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class RunView:
    """A whole state of one run's reply; rendering it is pure.

    doing: what it does now, in a few words ("thinking", "running charge"). elapsed: seconds.
    footer: the last line of a settled run, already in words. queued: messages held back behind this run.
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
