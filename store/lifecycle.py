"""What a run may become: the only table of which status may follow which."""

from __future__ import annotations

from typing import Literal, get_args

Status = Literal["queued", "running", "waiting", "suspended", "parked", "completed", "failed", "aborted", "healed"]
STATUSES: tuple[Status, ...] = get_args(Status)

ParkReason = Literal["fruitless", "unknown", "spending", "credentials", "limit", "fault"]
"""Why only a person can move a parked run on; a closed list."""

FOLLOWS: dict[Status, frozenset[Status]] = {
    "queued": frozenset({"running", "parked", "aborted"}),
    "running": frozenset({"waiting", "suspended", "parked", "completed", "failed", "aborted", "healed"}),
    "waiting": frozenset({"running", "parked", "failed", "aborted"}),
    "suspended": frozenset({"running", "parked", "aborted", "healed"}),
    "parked": frozenset({"queued", "running", "failed", "aborted", "healed"}),
    "completed": frozenset(),
    "failed": frozenset(),
    "aborted": frozenset(),
    "healed": frozenset(),
}

SETTLED: frozenset[Status] = frozenset(status for status, after in FOLLOWS.items() if not after)


def may_follow(before: Status, after: Status) -> bool:
    """Whether a run that is `before` may become `after`; it may stay `running` or `waiting` across tenures."""
    return after in FOLLOWS[before] or before == after in ("running", "waiting")
