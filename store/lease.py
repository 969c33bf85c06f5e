"""Who works on a thread now, and until when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from store.news import News
from store.submission import Submission
from store.values import decode, encode
from store.wait import Answer, Wait

Ended = Literal["released", "dead", "lapsed"]
"""How the tenure before this one ended."""
StopReason = Literal["", "deleted"]


@dataclass(slots=True)
class Lease:
    """One owner's fenced time on a thread.

    epoch: number and nonce, so that equal numbers never match after a rollback. until: CLOCK_BOOTTIME seconds
    at which it lapses, counted from before the request that got it was sent. seen: the longest log its owner saw.
    """

    thread: str
    owner: str
    epoch: str
    until: float
    seen: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Somebody asked to stop a run. at: wall-clock seconds. why: empty, or `deleted` with the message that asked."""

    run: str
    by: str
    at: float
    why: StopReason = ""

    def to_json(self) -> str:
        return encode({"run": self.run, "by": self.by, "at": self.at, "why": self.why})

    @classmethod
    def from_json(cls, raw: str) -> Stop:
        found = decode(raw)
        return cls(found["run"], found["by"], found["at"], found.get("why", ""))


@dataclass(frozen=True, slots=True)
class Mailbox:
    """What is to be done in a thread: inputs not yet taken, oldest first, what is due or rests, stops by run.

    news: what changed after it was taken, oldest first; it is owed to nobody. letters: what people sent to the owner:
    `answer:<wait>`, `again:<wait>`, `order:<run>`. now: wall-clock seconds of the store when it was read.
    """

    inputs: tuple[Submission, ...]
    due: Mapping[str, str]
    rest: Mapping[str, str]
    stops: Mapping[str, Stop]
    news: tuple[News, ...] = ()
    letters: Mapping[str, str] = field(default_factory=dict)
    now: float = 0.0


@dataclass(frozen=True, slots=True)
class Renewal:
    """A kept lease: the stops that wait, by run, and how many inputs wait."""

    stops: Mapping[str, Stop]
    queued: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A won claim: the lease, the thread as it was found, and how the tenure before it ended.

    waiting: whether the open run waits for people. pause: why a suspended run was left, `restart` or `outage`. deaths:
    tenures in a row that died or lapsed without a new record. active: seconds the open run was worked on.
    since_takeover: seconds since a lease was last taken from an owner not known dead, or None.
    """

    lease: Lease
    status: str
    run: str
    waiting: bool
    pause: str
    ended: Ended
    deaths: int
    active: float
    mailbox: Mailbox
    spent: int
    since_takeover: float | None


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit's answer: the log's length, the stop that waits, micro-dollars of today where it spent any."""

    length: int
    stop: Stop | None
    spent: int | None


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of a wait. over: its run could not take the answer. unanswered: only if nobody answered meanwhile."""

    answer: Answer
    over: bool = False
    unanswered: bool = False


@dataclass(slots=True)
class Commit:
    """One transition, done whole or not at all.

    records: `(key, state, json)`. head: fields of the thread to set. due/rest: items to put; done: items to take
    away. taken: the input that these records move into the log, refused with `InputChangedError` unless it is the
    oldest and stands as it was read. heard: keys of the news told with it. spend: micro-dollars. state: `(name, value)`
    appended to the workspace's tool state. outcome: `(run, json)` of a settlement. progress: whether it proves
    that the run got further. settles: the run's end by itself, refused with `StopWonError` when a stop came first.
    forget_steps: the run is over, so its marks and its stop go. anew: a run's active time starts here.
    read: letters that are dealt with. opened: waits that are asked now. closed: waits that are over, each refused with
    `AnsweredError` where it says that nobody answered but somebody did.
    """

    run: str

    records: list[tuple[str, str, str]] = field(default_factory=list)
    head: dict[str, str] = field(default_factory=dict)
    due: dict[str, str] = field(default_factory=dict)
    rest: dict[str, str] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    taken: list[Submission] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    spend: int = 0
    state: list[tuple[str, str]] = field(default_factory=list)
    outcome: tuple[str, str] | None = None
    progress: bool = True
    settles: bool = False
    forget_steps: bool = False
    anew: bool = False
    read: list[str] = field(default_factory=list)
    opened: list[Wait] = field(default_factory=list)
    closed: list[Closing] = field(default_factory=list)
