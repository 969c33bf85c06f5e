"""What a script's arguments say, for people and for conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from store.stepkey import MODEL, StepKey
from store.values import decode

FIXED_ARGUMENTS = 11
"""Arguments of `commit.lua` before its counted groups."""
WIDTHS = (3, 2, 2, 2, 1, 2, 2, 1, 1, 5, 4)
"""How many arguments a row of each counted group has; the empty groups at the end are left out."""
RECORDS, HEAD, DUE, DONE, CLOSED = 0, 1, 2, 4, 10


@dataclass(frozen=True, slots=True)
class Committed:
    """One commit. records: `(step key, state)`; calls: the tool behind each call id that a model's answer in it asks
    for; head: the thread's fields that it set; due, done: what is owed from now on, and no more; closed: waits that
    are over."""

    run: str
    records: tuple[tuple[StepKey, str], ...]
    calls: Mapping[str, str]
    head: Mapping[str, str]
    due: tuple[str, ...]
    done: tuple[str, ...]
    closed: tuple[str, ...]

    @property
    def words(self) -> str:
        """Which steps reached which state: `model.done tool.pending`."""
        return " ".join(f"{_kind(key)}.{state}" for key, state in self.records)

    def over(self) -> int:
        """How many model and tool steps it proves done."""
        return sum(state in ("done", "failed") and _kind(key) in (MODEL, "tool") for key, state in self.records)


def committed(arguments: Sequence[str]) -> Committed:
    """From the ARGV of `commit.lua`."""
    groups = list(_groups(arguments))
    records, calls = [], dict[str, str]()
    for written, state, raw in groups[RECORDS]:
        key = StepKey.parse(written)
        records.append((key, state))
        if key.call == MODEL and state == "done":
            calls |= _asked_for(raw)
    due, done, closed = (tuple(row[0] for row in groups[at]) for at in (DUE, DONE, CLOSED))
    head = {row[0]: row[1] for row in groups[HEAD]}
    return Committed(arguments[2], tuple(records), calls, head, due, done, closed)


def _groups(arguments: Sequence[str]) -> Iterator[list[Sequence[str]]]:
    """The rows of each counted group."""
    at = FIXED_ARGUMENTS
    for width in WIDTHS:
        count = int(arguments[at]) if at < len(arguments) else 0
        at += 1
        yield [arguments[at + width * n : at + width * (n + 1)] for n in range(count)]
        at += width * count


def thread_of(key: str) -> str:
    """The thread whose key this is: `everthread:{T1}:t:C1:1.2:head` is T1/C1/1.2."""
    _, team, _, channel, root, _ = key.split(":", 5)
    return f"{team.strip('{}')}/{channel}/{root}"


def _asked_for(raw: str) -> dict[str, str]:
    content = decode(raw).get("content", ())
    return {block["id"]: block["name"] for block in content if block.get("type") == "tool_use"}


def _kind(key: StepKey) -> str:
    if key.call == MODEL or key.call.startswith("#"):
        return key.call
    return "wait" if "/" in key.call else "tool"
