"""One line of a thread's log.

Every record names its run, its step key and the state that step reached; `(key, state)` is the identity under which
a commit whose answer was lost is sent again and lands once. What a record builds on is named by digest, taken over
the stored bytes, so fields that this build does not know are kept as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from store.errors import EvidenceError, RecordTooLargeError, UnknownFormatError
from store.stepkey import StepKey
from store.values import decode, digest, form

FORMAT = 1
MAX_RECORD = 4 * 1024 * 1024
"""Bytes of one record's JSON (LOG-5)."""

Kind = Literal["start", "resumed", "model", "tool", "turn", "settled", "reply", "delivered", "wait"]
State = Literal["pending", "left", "done", "failed", "interrupted"]
OVER: frozenset[State] = frozenset({"done", "failed", "interrupted"})


@dataclass(frozen=True, slots=True)
class Record:
    """A step that reached `state`; `body` holds what is particular to its kind."""

    kind: Kind
    key: StepKey
    state: State
    at: float
    body: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""

    @property
    def run(self) -> str:
        return self.key.run


def stored(record: Record) -> tuple[Record, str]:
    """The record in the form it is handed on, named by its digest, and the JSON that is stored for it."""
    head = {"v": FORMAT, "kind": record.kind, "key": str(record.key), "state": record.state, "at": record.at}
    given = {**head, **record.body}
    whole, raw = form(given)
    if len(raw) > MAX_RECORD:
        raise RecordTooLargeError(f"the record of {record.key} has {len(raw):,} bytes; {MAX_RECORD:,} is the limit")
    body = record.body
    if whole is not given:
        body = {name: value for name, value in whole.items() if name not in head}
    return Record(record.kind, record.key, record.state, record.at, body, digest(raw)), raw


def read_log(thread: str, raws: Sequence[str]) -> list[Record]:
    """The records behind a stored log; nothing is guessed about one that cannot be read."""
    records = []
    for raw in raws:
        try:
            found = decode(raw)
            version = found.pop("v")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise EvidenceError(f"{thread} holds a record that is not readable JSON: {error}") from error
        if version != FORMAT:
            raise UnknownFormatError(thread, version)
        try:
            key = StepKey.parse(found.pop("key"))
            records.append(Record(found.pop("kind"), key, found.pop("state"), found.pop("at"), found, digest(raw)))
        except (KeyError, ValueError, TypeError) as error:
            raise EvidenceError(f"{thread} holds a damaged record: {error}") from error
    return records
