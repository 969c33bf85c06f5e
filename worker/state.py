"""A thread's runs, as its records tell them.

Folding is the only reading of a log: a tenure folds once, then adds what it commits itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from store.errors import EvidenceError
from store.lifecycle import Status
from store.ports import Usage
from store.record import OVER, Record
from store.stepkey import MODEL, REPLY, StepKey
from store.submission import Submission
from store.wait import Answer, Wait

Boundary = Literal["preparing", "asking", "working", "waiting", "unknown", "settling"]
"""preparing: admitted, not started. asking: a model call is due. working: its calls are. waiting: for a person.
unknown: an effect of the open turn is in doubt. settling: the outcome is there, its delivery may not be."""


@dataclass(frozen=True, slots=True)
class CommittedTurn:
    """One model answer and the outcome of each of its calls, in the answer's order."""

    model: Record
    results: tuple[Record, ...]


@dataclass(slots=True)
class Asked:
    """A wait of the run, and how it ended. void: the answer came, but the run could not take it any more."""

    wait: Wait
    answer: Answer | None = None
    void: bool = False


@dataclass(slots=True)
class RunState:
    """One run: what it started with, its committed turns, and the steps of the turn that is open.

    The record of a call that was marked says only what its mark did not.

    base: records of the thread before this run's own start. open: the latest record of each step, by key.
    waits: what it asked of people, by wait id, in the order in which it asked.
    kept and repeated: steps that later tenures found done, and those they had to do again.
    """

    start: Record
    base: int
    turns: list[CommittedTurn] = field(default_factory=list)
    open: dict[str, Record] = field(default_factory=dict)
    posts: dict[str, Record] = field(default_factory=dict)
    waits: dict[str, Asked] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    cost: int = 0
    steps_done: int = 0
    restarts: int = 0
    resumptions: int = 0
    parkings: int = 0
    kept: int = 0
    repeated: int = 0
    cut_calls: int = 0
    call_ids: set[str] = field(default_factory=set)
    settled: Record | None = None
    delivered: Record | None = None
    parked: Record | None = None
    resumed_since_parked: bool = False

    @property
    def id(self) -> str:
        return self.start.run

    @property
    def input(self) -> Submission:
        return Submission.from_mapping(self.start.body["input"])

    @property
    def definition(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.start.body["definition"]
        return found

    @property
    def status(self) -> Status:
        """Where the run stands, as far as records tell: they do not say that it is suspended or queued."""
        if self.settled is not None:
            status: Status = self.settled.body["status"]
            return status
        if self.parked is not None and not self.resumed_since_parked:
            return "parked"
        return "waiting" if self.open_waits else "running"

    @property
    def open_waits(self) -> list[Wait]:
        """What it waits for now, in the order in which it was asked."""
        return [asked.wait for asked in self.waits.values() if asked.answer is None]

    @property
    def ended_at(self) -> float:
        """When it settled or was parked last; 0 while it works."""
        ended = self.settled or self.parked
        return 0.0 if ended is None else ended.at

    @property
    def boundary(self) -> Boundary:
        """The last boundary that was made durable."""
        if self.settled is not None:
            return "settling"
        if any(record.state == "interrupted" for record in self.open.values()):
            return "unknown"
        if self.open_waits:
            return "waiting"
        if any(record.state == "done" for record in self.attempts):
            return "working"
        return "asking"

    @property
    def attempts(self) -> list[Record]:
        """The open turn's model attempts, oldest first."""
        turn = len(self.turns)
        found: list[Record] = []
        while (record := self.open.get(str(StepKey(self.id, turn, MODEL, len(found))))) is not None:
            found.append(record)
        return found

    def __post_init__(self) -> None:
        at = self.start.at
        self._expect_model(at)
        reply = StepKey(self.id, 0, REPLY)
        self.posts[str(reply)] = Record("reply", reply, "pending", at, {"part": "reply"})

    def add(self, record: Record) -> None:
        """Take one record into account; records come in the order of the log."""
        match record.kind:
            case "model" | "tool":
                self._add_step(record)
            case "turn":
                self._commit_turn(record)
            case "reply":
                self.posts[str(record.key)] = record
            case "wait":
                self._add_wait(record)
            case "resumed":
                self.resumptions += 1
                self.resumed_since_parked = True
                self.restarts += bool(record.body["restart"])
                self.kept = record.body["kept"]
                self.repeated += record.body["repeated"]
            case "settled":
                if record.body["status"] == "parked":
                    self.parked, self.parkings = record, self.parkings + 1
                    self.resumed_since_parked = False
                else:
                    self.settled = record
            case "delivered":
                self.delivered = record
            case "start":
                raise EvidenceError(f"run {self.id} starts twice")

    def _add_wait(self, record: Record) -> None:
        if record.state == "pending":
            wait = Wait.from_mapping(record.body["wait"])
            self.waits.setdefault(wait.id, Asked(wait))
            return
        asked = self.waits.get(record.body["answer"]["wait"])
        if asked is None:
            raise EvidenceError(f"run {self.id} has an answer to a question that it did not ask")
        asked.answer, asked.void = Answer.from_mapping(record.body["answer"]), bool(record.body.get("void"))

    def _add_step(self, record: Record) -> None:
        mark = self.open.get(str(record.key))
        if mark is not None and record.kind == "tool":
            body = {**mark.body, **record.body}
            record = Record(record.kind, record.key, record.state, record.at, body, record.digest)
        self.open[str(record.key)] = record
        if record.kind == "tool":
            self.call_ids.add(record.key.call)
        if record.state in OVER:
            self.steps_done += record.kind == "tool" or record.state == "done"
            self.cut_calls += bool(record.body.get("cut_off"))
        if (usage := record.body.get("usage")) is not None:
            self.usage += Usage(*usage)
            self.cost += record.body.get("cost", 0)

    def _commit_turn(self, record: Record) -> None:
        named = {step.digest: step for step in self.open.values()}
        try:
            turn = CommittedTurn(named[record.body["model"]], tuple(named[result] for result in record.body["results"]))
        except KeyError as missing:
            raise EvidenceError(
                f"turn {record.key.turn} of run {self.id} builds on {missing}, which is not there"
            ) from None
        self.turns.append(turn)
        self.open.clear()
        self._expect_model(record.at)

    def _expect_model(self, at: float) -> None:
        """The start of a run, and each boundary, is itself the mark that the next model call begins."""
        key = StepKey(self.id, len(self.turns), MODEL)
        self.open[str(key)] = Record("model", key, "pending", at)


def fold(records: Iterable[Record]) -> dict[str, RunState]:
    """Every run of a thread, in the order in which they started."""
    runs: dict[str, RunState] = {}
    for position, record in enumerate(records):
        if record.kind == "start" and record.run not in runs:
            runs[record.run] = RunState(record, position)
        elif record.run in runs:
            runs[record.run].add(record)
        else:
            raise EvidenceError(f"run {record.run} has a record but no start")
    return runs
