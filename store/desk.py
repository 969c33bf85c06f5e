"""What those who run it are told and may do: plain records, without Slack and without a terminal.

Times are wall-clock seconds, 0 where there is none; `now` is when it was looked. Money is in micro-dollars. Texts of
people, models and tools are masked (`store.redaction`) and clamped; they are not escaped for any place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from store.errors import EverthreadError
from store.wait import WaitKind

Source = Literal["default", "environment", "chosen"]
"""Where a setting comes from; `chosen`: it was changed while we run."""
Did = Literal["done", "again", "not_now", "over"]
"""What became of an order: taken; taken before; it does not fit how the run stands; the run is settled."""


class UnknownTargetError(EverthreadError):
    """No thread, link or run id, or one that nothing is known of; the message says what may be given."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run in a list.

    status: a run's, or `delivering` (its answer is not shown yet), or `unknown` (an effect of it is in doubt).
    waits_for: in a few plain words, "" where it is over.
    """

    thread: str
    run: str
    status: str
    asker: str
    asked: float
    waits_for: str


@dataclass(frozen=True, slots=True)
class RunPage:
    """Some runs. cursor: where the list goes on. total: owed threads, or runs of a person that are not over."""

    rows: Sequence[RunRow]
    cursor: str | None
    total: int
    now: float


@dataclass(frozen=True, slots=True)
class WaitRow:
    """An open wait.

    who: ids of people and groups that may answer; empty: everybody in its channel. barred: who may not all the same.
    """

    id: str
    run: str
    thread: str
    kind: WaitKind
    title: str
    asker: str
    asked: float
    deadline: float
    who: tuple[str, ...]
    barred: str = ""


@dataclass(frozen=True, slots=True)
class WaitRows:
    """Some open waits, the newest first; more: how many there are besides, at most."""

    rows: Sequence[WaitRow]
    more: int
    now: float


@dataclass(frozen=True, slots=True)
class Means:
    """What a button, or a command, would do now."""

    button: str
    does: str


@dataclass(frozen=True, slots=True)
class Why:
    """How a run stands. says: a plain sentence each. means: what could be done. people: the ids in those sentences."""

    thread: str
    run: str
    status: str
    asker: str
    asked: float
    now: float
    says: tuple[str, ...]
    means: tuple[Means, ...]
    waits: tuple[WaitRow, ...]
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepRow:
    """One step. what: in one line. at: seconds after the run began. took: seconds, None while it is not over."""

    turn: int
    what: str
    state: str
    at: float
    took: float | None
    given: str
    got: str
    cost: int


@dataclass(frozen=True, slots=True)
class PostRow:
    """One message of a run: which part of it, where it stands, or "" where that is not recorded."""

    part: str
    state: str
    ts: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """A run as its records tell it, from its start to its end."""

    thread: str
    run: str
    status: str
    asker: str
    asked: float
    now: float
    asks: str
    model: str
    steps: tuple[StepRow, ...]
    waits: tuple[tuple[WaitRow, str], ...]
    """Each with how it ended, "" while it is open."""
    posts: tuple[PostRow, ...]
    tokens: int
    cost: int
    restarts: int
    footer: str


@dataclass(frozen=True, slots=True)
class Done:
    """What became of an order, in one plain sentence."""

    did: Did
    thread: str
    run: str
    says: str


@dataclass(frozen=True, slots=True)
class Spending:
    """What was spent by UTC day, today first and this month only; limit: what a day may cost.

    calls: of each kind, how many of Slack's calls a minute were made in the last one, and how many may be.
    """

    limit: int
    days: tuple[tuple[str, int], ...]
    calls: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it is in force; secrets are masked."""

    name: str
    value: str
    source: Source


class Desk(Protocol):
    """The verbs of those who run it. target: a thread as `team/channel/root`, a link to a message, or a run id.

    Every verb may raise `StoreUnavailableError`, those with a target `UnknownTargetError`.
    """

    def runs(self, *, cursor: str | None = None, limit: int = 20) -> RunPage:
        """What is owed in the workspace."""

    def runs_of(self, user: str, *, limit: int = 10) -> RunPage:
        """A person's latest runs, the newest first, over or not."""

    def waits_for(self, who: Sequence[str], *, limit: int = 10) -> WaitRows:
        """Open waits that one of these people, groups or channels may answer."""

    def why(self, target: str) -> Why:
        """What a run waits for, who holds it, its last step, what comes next, and what could be done."""

    def inspect(self, target: str) -> Inspection:
        """A run step by step."""

    def asker(self, target: str) -> str:
        """Who asked for that run, or ""."""

    def stop(self, target: str, by: str) -> Done:
        """End a run for good."""

    def resume(self, target: str, by: str, *, force: bool = False) -> Done:
        """Let a parked run go on; force: try a suspended one at once."""

    def heal(self, target: str, by: str) -> Done:
        """Close a parked run without an answer."""

    def usage(self) -> Spending: ...

    def settings(self) -> Sequence[Setting]: ...

    def listening(self, channel: str) -> str | None:
        """What was chosen for a channel while we run: `mentions`, `asked`, `all`; None: as it was set."""

    def listen(self, channel: str, mode: str | None) -> None:
        """Choose it; every process follows at once."""
