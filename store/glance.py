"""A thread as it is noted beside its log: for those who run it, and for lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from store.lease import Stop
from store.submission import Submission
from store.wait import Wait


@dataclass(frozen=True, slots=True)
class Glance:
    """What is known of a thread without reading its log.

    run: the open run, of which `status` tells. pause: why it is suspended, `restart` or `outage`. until: wall-clock
    seconds at which a deadline or a reminder is due, 0 for never. owner: who holds the lease, for `held` seconds so far
    and for `lease_left` more. looked_at: seconds until the sweep looks at it, None where nothing is owed. inputs: the
    oldest that nobody took yet, of `queued` in all. due, rest, letters: as in `Mailbox`. waits: open ones, as asked.
    """

    thread: str
    status: str
    run: str
    pause: str
    until: float
    owner: str
    held: float
    lease_left: float
    looked_at: float | None
    deaths: int
    length: int
    queued: int
    inputs: tuple[Submission, ...]
    due: Mapping[str, str]
    rest: Mapping[str, str]
    stops: Mapping[str, Stop]
    letters: Mapping[str, str]
    waits: tuple[Wait, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a run came from: its thread, who asked, and when that arrived (wall-clock seconds)."""

    run: str
    thread: str
    author: str
    at: float
