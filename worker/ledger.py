"""What a run is about to record, and what it has recorded.

A record may be staged, to leave with the next commit, or committed at once. Either way it counts for this process
as soon as it is handed over; if the process dies before its commit, nobody ever knew of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import Any

from store.errors import StopWonError
from store.lease import Commit
from store.record import Kind, Record, State, stored
from store.stepkey import StepKey
from store.values import encode
from worker.door import Door
from worker.services import Services
from worker.state import RunState


class Ledger:
    """One run's records within one tenure; safe to use from the run's tool threads."""

    def __init__(self, services: Services, door: Door, state: RunState) -> None:
        self._services, self._door, self._state = services, door, state
        self._lock = RLock()
        self._staged: list[tuple[Record, str]] = []
        self._rest: dict[str, str] = {}
        self._ops: list[tuple[str, str]] = []
        self._spend = 0

    def record(self, kind: Kind, key: StepKey, state: State, body: Mapping[str, Any]) -> Record:
        return Record(kind, key, state, self._services.clock.now(), body)

    def stage(self, record: Record, *, spend: int = 0, ops: Sequence[tuple[str, str]] = ()) -> Record:
        """Keep a record, what it costs and the tool state it staged for the next flush."""
        named, raw = stored(record)
        with self._lock:
            self._staged.append((named, raw))
            self._rest |= _unknown(named)
            self._spend += spend
            self._ops += ops
            self._state.add(named)
        return named

    def commit(self, record: Record, *, ops: Sequence[tuple[str, str]] = (), together: Commit | None = None) -> Record:
        """Make one record durable now, together with what else the commit says, beside whatever is staged."""
        named, raw = stored(record)
        commit = together or Commit(self._state.id)
        commit.records, commit.rest, commit.state = [_row(named, raw)], _unknown(named) | commit.rest, list(ops)
        self._door.commit(commit)
        with self._lock:
            self._state.add(named)
        return named

    def flush(self, ending: Commit | None = None) -> None:
        """Make everything staged durable in one commit, together with what `ending` says of the thread.

        `StopWonError` leaves all but the settlement staged: what was billed stays billed.
        """
        with self._lock:
            staged, rest, ops, spend = self._staged, self._rest, self._ops, self._spend
            self._staged, self._rest, self._ops, self._spend = [], {}, [], 0
        if not staged and ending is None:
            return
        commit = ending or Commit(self._state.id)
        commit.records = [_row(record, raw) for record, raw in staged]
        commit.spend, commit.state, commit.rest = spend, ops, rest | commit.rest
        try:
            self._door.commit(commit)
        except StopWonError:
            with self._lock:
                self._staged = [(record, raw) for record, raw in staged if record.kind != "settled"]
                self._rest, self._ops, self._spend = rest, ops, spend
                self._state.settled = None
            raise


def _row(record: Record, raw: str) -> tuple[str, str, str]:
    return str(record.key), record.state, raw


def _unknown(record: Record) -> dict[str, str]:
    """An interrupted call stays listed until somebody says what became of it."""
    if record.state != "interrupted":
        return {}
    return {f"unknown:{record.key}": encode({"run": record.run, "title": record.body["title"]})}
