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
    """One commit. records: `(step key, state, tool)`; head: the thread's fields that it set."""

    run: str
    records: tuple[tuple[StepKey, str, str], ...]
    head: Mapping[str, str]

    @property
    def words(self) -> str:
        """Which steps reached which state: `model.done tool.pending`."""
        return " ".join(f"{_kind(key)}.{state}" for key, state, _ in self.records)

    def over(self) -> int:
        """How many model and tool steps it proves done."""
        return sum(state in ("done", "failed") and not key.call.startswith("#") for key, state, _ in self.records)


def committed(arguments: Sequence[str]) -> Committed:
    """From the ARGV of `commit.lua`."""
    at = FIXED_ARGUMENTS
    records = []
    for n in range(int(arguments[at])):
        written, state, raw = arguments[at + 1 + 3 * n : at + 4 + 3 * n]
        key = StepKey.parse(written)
        tool = "" if key.call == MODEL or key.call.startswith("#") else str(decode(raw).get("name", ""))
        records.append((key, state, tool))
    at += 1 + 3 * len(records)
    fields = int(arguments[at])
    head = {arguments[at + 1 + 2 * n]: arguments[at + 2 + 2 * n] for n in range(fields)}
    return Committed(arguments[2], tuple(records), head)


def thread_of(key: str) -> str:
    """The thread whose key this is: `everthread:{T1}:t:C1:1.2:head` is T1/C1/1.2."""
    _, team, _, channel, root, _ = key.split(":", 5)
    return f"{team.strip('{}')}/{channel}/{root}"


def _kind(key: StepKey) -> str:
    return key.call if key.call == MODEL or key.call.startswith("#") else "tool"
