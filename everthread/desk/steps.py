"""A run's steps, each put together from its mark and its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everthread.desk.words import line
from store.record import OVER, Record, State
from store.stepkey import MODEL, StepKey

KINDS = ("model", "tool", "wait", "turn")
_ASKED = {"plan": "a plan to be approved", "approval": "an approval"}
_STATES: Mapping[str, str] = {
    "pending": "begun",
    "left": "left to be entered again",
    "interrupted": "cut off",
}


@dataclass(frozen=True, slots=True)
class Step:
    """began, at: of its first and its latest record, in wall-clock seconds. body: of both. last: the place of
    its latest record."""

    kind: str
    key: StepKey
    state: State
    began: float
    at: float
    body: Mapping[str, Any]
    last: int

    @property
    def took(self) -> float | None:
        return self.at - self.began if self.state in OVER else None

    @property
    def what(self) -> str:
        """In one line: `model call 1`, `charge 5`."""
        match self.kind:
            case "turn":
                return f"turn {self.key.turn + 1}"
            case "wait":
                return _ASKED.get(self.body.get("wait", {}).get("kind", ""), "a question to people")
            case "model":
                tries = f", try {self.key.attempt + 1}" if self.key.attempt else ""
                return f"model call {self.key.turn + 1}{tries}"
            case _:
                return line(str(self.body.get("title", "a call")), 80)

    @property
    def stands(self) -> str:
        """Where it is, in words."""
        if self.kind == "wait":
            return "asked" if self.state == "pending" else "answered"
        return _STATES.get(self.state, self.state)


def steps_of(records: Sequence[Record], run: str) -> list[Step]:
    """In the order in which they began; a model call begins where its turn does, or the run."""
    found: dict[str, Step] = {}
    begins = 0.0
    for place, record in enumerate(records):
        if record.run != run:
            continue
        if record.kind in ("start", "resumed"):
            begins = record.at
        if record.kind not in KINDS:
            continue
        key = str(record.key)
        known = found.get(key)
        if known is None:
            began = begins if record.kind == "model" else record.at
            found[key] = Step(record.kind, record.key, record.state, began, record.at, dict(record.body), place)
        else:
            found[key] = replace(
                known, state=record.state, at=record.at, body={**known.body, **record.body}, last=place
            )
        if record.kind == "turn" or record.key.call == MODEL:
            begins = record.at
    return list(found.values())


def last_step(steps: Sequence[Step]) -> Step | None:
    """The model call, tool call or question that was recorded last."""
    return max((step for step in steps if step.kind != "turn"), key=lambda step: step.last, default=None)
