"""What a script's arguments say, for people and for conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.stepkey import MODEL, StepKey
from store.values import decode

FIXED_ARGUMENTS = 11
"""Arguments of `commit.lua` before its counted groups."""


@dataclass(frozen=True, slots=True)
class Committed:
    """One commit. records: `(step key, state)`; calls: the tool behind each call id that a model's answer in it asks
    for; head: the thread's fields that it set."""

    run: str
    records: tuple[tuple[StepKey, str], ...]
    calls: Mapping[str, str]
    head: Mapping[str, str]

    @property
    def words(self) -> str:
        """Which steps reached which state: `model.done tool.pending`."""
        return " ".join(f"{_kind(key)}.{state}" for key, state in self.records)

    def over(self) -> int:
        """How many model and tool steps it proves done."""
        return sum(state in ("done", "failed") and not key.call.startswith("#") for key, state in self.records)


def committed(arguments: Sequence[str]) -> Committed:
    """From the ARGV of `commit.lua`."""
    at = FIXED_ARGUMENTS
    records = []
    calls: dict[str, str] = {}
    for n in range(int(arguments[at])):
        written, state, raw = arguments[at + 1 + 3 * n : at + 4 + 3 * n]
        key = StepKey.parse(written)
        records.append((key, state))
        if key.call == MODEL and state == "done":
            calls |= _asked_for(raw)
    at += 1 + 3 * len(records)
    fields = int(arguments[at]) if at < len(arguments) else 0
    head = {arguments[at + 1 + 2 * n]: arguments[at + 2 + 2 * n] for n in range(fields)}
    return Committed(arguments[2], tuple(records), calls, head)


def thread_of(key: str) -> str:
    """The thread whose key this is: `everthread:{T1}:t:C1:1.2:head` is T1/C1/1.2."""
    _, team, _, channel, root, _ = key.split(":", 5)
    return f"{team.strip('{}')}/{channel}/{root}"


def _asked_for(raw: str) -> dict[str, str]:
    content = decode(raw).get("content", ())
    return {block["id"]: block["name"] for block in content if block.get("type") == "tool_use"}


def _kind(key: StepKey) -> str:
    return key.call if key.call == MODEL or key.call.startswith("#") else "tool"
