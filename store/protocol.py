"""The store as its callers see it: six short tables of verbs.

Everybody may admit, stop and look. Only the owner of a lease may commit, and only through one door. There is one
implementation, `store.redis`; over fakeredis it is the same code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from store.glance import Glance, Origin
from store.lease import Claim, Commit, Committed, Lease, Mailbox, Renewal, StopReason
from store.news import News
from store.submission import Receipt, Submission
from store.wait import Answer, Wait

Person = Literal["member", "guest", "foreign", "bot", "gone"]
Stopping = Literal["stopping", "again", "over", "known"]
OrderVerb = Literal["resume", "heal"]
Ordered = Literal["ordered", "again", "not_parked", "over"]
Whose = Literal["any", "asker", "thread"]
"""Which messages are for us: any; those of who started something in the thread before; all, once anybody did."""
Amended = Literal["amended", "news", "known", "unknown"]


@dataclass(frozen=True, slots=True)
class Head:
    """A thread at a glance. lease_left and until_look: seconds; owner is empty while nobody works on it."""

    thread: str
    status: str
    run: str
    owner: str
    lease_left: float
    queued: int
    due: Sequence[str]
    rest: Sequence[str]
    deaths: int
    length: int


@dataclass(frozen=True, slots=True)
class Retracted:
    """ring: whether the thread is to be rung. dropped: inputs that nobody had taken, oldest first."""

    ring: bool
    dropped: Sequence[Submission] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a listing; an empty page with a cursor still has more behind it."""

    threads: Sequence[str]
    cursor: str | None


class Admissions(Protocol):
    """Input and stops, from anyone."""

    def admit(self, submission: Submission, *, whose: Whose = "any") -> Receipt | None:
        """Take one message, once.

        None where it is not for us, or its thread is muted: its key stays unused. `any` heeds no mute.
        `AdmissionConflictError` when the key stands for another input.
        """

    def amend(self, thread: str, news: News, files: Sequence[str] = ()) -> Amended:
        """A message was edited: an input not yet taken is taken as edited, else the change is news to the thread.

        `known`: this edit, or a later one, came before. `unknown`: it is no message of this thread's.
        """

    def retract(self, thread: str, ts: str, by: str, *, burn: bool = False) -> bool:
        """A message was deleted: withdrawn if nobody took it yet, else its run is asked to stop while it is open.

        Whether the thread is to be rung. burn: one that was never taken cannot be taken after this either.
        """

    def retract_thread(self, thread: str, by: str) -> Retracted:
        """A thread's first message was deleted, and with it the thread: `retract` for everything in it."""

    def mute(self, thread: str, ts: str, *, on: bool) -> bool:
        """From that ts on the thread's messages without a mention are not for us, or are again.

        Whether this word is heard for the first time.
        """

    def abandon(self, submission: Submission) -> bool:
        """Give up an admission nobody took yet, and free its key; whether there was one."""

    def outcome(self, team: str, run: str) -> dict[str, Any] | None:
        """How a run ended, once it did: status, text, usage, error."""

    def origins(self, team: str, runs: Sequence[str]) -> Mapping[str, Origin]:
        """Where these runs came from, as far as that is kept: by run."""

    def runs_of(self, team: str, user: str, limit: int = 50) -> Sequence[str]:
        """A person's latest runs, the newest first; at most 50 are kept."""

    def stoppable(self, message: Submission, *, whose: Whose) -> str:
        """The run that a stop word in this message means: the thread's open one, else the one that is next.

        "" where there is none, where it began only after that was said, or where the thread was muted then, which
        `any` does not heed.
        """

    def stop(self, thread: str, run: str, by: str, why: StopReason = "", message: Submission | None = None) -> Stopping:
        """Ask a run to stop; stored when this returns. `over`: it is settled, or the thread does not know it.

        message: the message that asks for it; its admission key is used up, so that it is no run's input as well.
        `known`: it came before.
        """

    def order(self, thread: str, run: str, verb: OrderVerb, by: str) -> Ordered:
        """Ask that a parked run goes on (`resume`) or is closed without an answer (`heal`); stored on return."""

    def withdraw(self, thread: str, by: str, why: StopReason = "") -> Sequence[Submission]:
        """Drop every message of the thread that nobody took yet; each gets an aborted outcome."""


class Leases(Protocol):
    """Who works on a thread."""

    def claim(self, thread: str, owner: str) -> Claim:
        """Own the thread, or `RunLeaseHeldError`."""

    def renew(self, lease: Lease) -> Renewal:
        """Keep it; answers what waits."""

    def signals(self, lease: Lease, timeout: float) -> list[str]:
        """Block until somebody signals the owner (`stop`, `mail`) or `timeout` seconds passed."""

    def release(self, lease: Lease, *, idle: bool, look_again: float = 0.0, counted: bool = False) -> Mailbox | None:
        """Let go. With `idle` only if nothing is left, else the mailbox answers and the lease is still ours."""

    def bury(self, owner_prefix: str) -> list[str]:
        """End every lease of a process that its parent saw die; the threads it held."""


class Log(Protocol):
    """The truth: what was recorded, in order."""

    def read(self, thread: str, start: int = 0) -> list[str]: ...

    def commit(self, lease: Lease, commit: Commit) -> Committed:
        """One transition in one round trip, once, however often its answer is lost."""


class Inventory(Protocol):
    """What is owed."""

    def owed(self, team: str, *, cursor: str | None = None, limit: int = 100) -> Page: ...

    def count(self, team: str) -> int:
        """How many threads are owed."""

    def head(self, thread: str) -> Head | None: ...

    def glances(self, threads: Sequence[str]) -> Sequence[Glance | None]:
        """What is noted of each of these threads, in two round trips; None where nothing is known of one."""

    def sweep(self, team: str, limit: int, rings: int) -> list[str]:
        """Look at up to `limit` threads whose time has come, mend their index, and answer those to ring."""

    def look(self, thread: str) -> bool:
        """Repair one thread's index at once; whether it should be rung."""

    def teams(self) -> list[str]: ...

    def seen_worker(self, team: str, worker: str) -> None: ...

    def last_worker(self, team: str) -> float | None:
        """Seconds since any worker was seen, or None."""


SlackCall = Literal["edit", "post", "read", "status", "session"]
"""Kinds of calls that Slack counts, each with a budget of its own."""


@dataclass(frozen=True, slots=True)
class Turn:
    """wait: seconds until it may be asked for again, 0 when it was taken. active: runs at work.

    trial: Slack refused our token before; if this call works, it takes it again. id: for `end_turn`.
    """

    wait: float
    active: int
    trial: bool = False
    id: str = ""


Taking = Literal["taken", "voted", "known", "answered", "late", "over", "unknown", "ignored"]
"""What became of an answer. taken: it decides. voted: it counts, but more have to approve. known: this very message or
vote came before. answered: another came first. late: its deadline has passed. over: its run cannot take it any more.
ignored: it was said in a muted thread."""


@dataclass(frozen=True, slots=True)
class Taken:
    """how: what became of an answer. wait: what was asked, None where unknown. answer: the one that decides, if any.

    votes: how many approve, with this one.
    """

    how: Taking
    wait: Wait | None = None
    answer: Answer | None = None
    votes: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wait as it stands: open, or answered or over with the answer that decided."""

    wait: Wait
    state: Literal["open", "answered", "over"]
    answer: Answer | None = None


class Waits(Protocol):
    """What runs wait for: anyone may look and answer; only the owner opens and closes them."""

    def answer(self, thread: str, answer: Answer, message: Submission | None = None) -> Taken:
        """Take an answer, once; durable when this returns.

        message: the message that is the answer; its admission key is used up with it, so that it is never a run's
        input as well, however often it arrives.
        """

    def look(self, thread: str, wait: str) -> Waiting | None:
        """One wait of a thread, also after it is over, for as long as its thread is kept."""

    def open_in(self, thread: str) -> Sequence[Wait]:
        """What the thread waits for now, in the order in which it was asked."""

    def find(self, team: str, wait: str) -> Waiting | None:
        """An open wait of the workspace by its id alone."""

    def open(self, team: str, *, cursor: str | None = None, limit: int = 100) -> WaitPage:
        """Every open wait of the workspace, in no order; a page may be empty and have one behind it."""

    def open_to(self, team: str, who: Sequence[str], *, limit: int) -> Waitlist:
        """Open waits that one of these may answer (`Wait.addressees`), the newest first."""

    def recall(self, team: str, *, unseen: float, limit: int) -> Sequence[str]:
        """Ask that open cards which nobody looked after for `unseen` seconds are looked for in their threads.

        At most `limit` waits, the longest unseen first; each counts as looked after from now on. Answers the threads
        to ring.
        """


@dataclass(frozen=True, slots=True)
class WaitPage:
    """Part of a listing of open waits; cursor: where it goes on, None at its end."""

    waits: Sequence[Wait]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Waitlist:
    """The first of some open waits; more: how many there are besides, at most."""

    waits: Sequence[Wait]
    more: int


class Workspace(Protocol):
    """Small facts per workspace."""

    def spent_today(self, team: str) -> int: ...

    def spent(self, team: str, days: int) -> Sequence[int]:
        """Micro-dollars of the last so many UTC days, today first; 40 days are kept."""

    def calls(self, team: str) -> Mapping[SlackCall, tuple[int, int]]:
        """Calls to Slack by kind: made within the last minute, and how many may be; posts count by channel."""

    def chosen(self, team: str, name: str) -> str | None:
        """A setting that was changed while we run."""

    def all_chosen(self, team: str) -> Mapping[str, str]:
        """Every setting that was changed while we run."""

    def choose(self, team: str, name: str, value: str | None) -> None:
        """Change a setting for every process from now on; None: as it was set at the start."""

    def state(self, team: str, name: str, last: int = 100) -> list[str]:
        """The newest `last` entries of a tool state list, oldest first."""

    def person(self, team: str, user: str) -> Person | None: ...

    def know(self, team: str, people: dict[str, Person]) -> None: ...

    def take_turn(self, team: str, call: SlackCall, holder: str, *, urgent: bool, place: str = "") -> Turn:
        """Take one call out of the workspace's budget, or a place in the line for it.

        holder: who asks; it keeps its place while it asks again in time. place: the channel, for posts.
        """

    def end_turn(self, team: str, call: SlackCall, turn: Turn, place: str = "") -> None:
        """The call was answered, or given up: only now it is known that it reached Slack no later than this."""

    def pause_turns(self, team: str, call: SlackCall, seconds: float, place: str = "") -> None:
        """Slack asked for a pause: nobody of ours makes such a call for so long."""

    def bar(self, team: str) -> None:
        """Slack refuses our token: from now on somebody tries once a minute, and nobody else calls."""

    def unbar(self, team: str) -> None:
        """Slack takes our token again."""

    def recent(self, team: str, since: float) -> list[str]:
        """Threads with an admission after `since` (wall-clock seconds), at most two days back; oldest first."""

    def caught_up(self, team: str) -> tuple[float, float] | None:
        """From when until when nothing said in Slack was missed, in wall-clock seconds; None before the first start."""

    def catch_up_to(self, team: str, at: float) -> None:
        """Note that nothing was missed until then; it never goes back."""

    def refuse_once(self, team: str, user: str) -> bool:
        """True the first time in a day: then say it."""


@dataclass(frozen=True, slots=True)
class Store:
    """All six, over one server."""

    admissions: Admissions
    leases: Leases
    log: Log
    inventory: Inventory
    workspace: Workspace
    waits: Waits
