"""What a tool asks of people."""

from __future__ import annotations

from dataclasses import dataclass

from store.wait import ANYBODY, Answerers, Question, WaitKind


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked, before it is a wait. seconds: until it is too late, 0 for no deadline."""

    kind: WaitKind
    title: str
    questions: tuple[Question, ...] = ()
    steps: tuple[str, ...] = ()
    call: str = ""
    arguments: str = ""
    answerers: Answerers = ANYBODY
    seconds: float = 0.0
