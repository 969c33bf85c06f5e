"""One run, or the most pressing one of a thread, with all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from everthread.desk.target import locate
from store.desk import UnknownTargetError
from store.errors import EvidenceError, UnknownFormatError
from store.glance import Glance
from store.lease import Stop
from store.protocol import Store
from store.record import Record, read_log
from store.stepkey import StepKey
from store.submission import Submission
from store.wait import Wait
from worker.state import RunState, fold


@dataclass(frozen=True, slots=True)
class Subject:
    """state: None while nobody began it. submission: its input, where known. fault: why its log cannot be read."""

    thread: str
    run: str
    status: str
    glance: Glance
    records: tuple[Record, ...] = ()
    state: RunState | None = None
    submission: Submission | None = None
    fault: str = ""

    @property
    def asker(self) -> str:
        return self.submission.author if self.submission is not None else ""

    @property
    def asked(self) -> float:
        return self.submission.at if self.submission is not None else 0.0

    @property
    def is_open(self) -> bool:
        """Whether it is the run that the thread works on, or would."""
        return bool(self.run) and self.run == self.glance.run

    @property
    def waits(self) -> tuple[Wait, ...]:
        """What the run waits for people to answer, but for what is answered already."""
        return tuple(
            wait
            for wait in self.glance.waits
            if wait.run == self.run and f"answer:{wait.id}" not in self.glance.letters
        )

    @property
    def is_answered(self) -> bool:
        """Whether an answer is on its way to the run."""
        return any(letter.startswith("answer:") for letter in self.glance.letters)

    @property
    def stop(self) -> Stop | None:
        return self.glance.stops.get(self.run)


def find(store: Store, team: str, target: str) -> Subject:
    """The run that is meant; `UnknownTargetError` where there is none."""
    thread, run = locate(store, team, target)
    [glance] = store.inventory.glances([thread])
    if glance is None:
        raise UnknownTargetError(f"nothing is known of {thread}: nobody asked me there, or it was forgotten")
    records, runs, fault = _read(store, thread)
    run = run or most_pressing(glance) or (list(runs) or [""])[-1]
    state = runs.get(run)
    waiting = next((one for one in glance.inputs if one.run == run), None)
    if not run or (state is None and waiting is None and run != glance.run and not fault):
        raise UnknownTargetError(f"{thread} holds no run {run}" if run else f"nothing ran in {thread} yet")
    submission = state.input if state is not None else waiting
    return Subject(thread, run, status_of(glance, run, state), glance, records, state, submission, fault)


def most_pressing(glance: Glance) -> str:
    """The run of a thread that somebody means who names only the thread; "" where nothing is left to do."""
    resting = [item.partition(":") for item in glance.rest]
    parked = [about for kind, _, about in resting if kind in ("parked", "resume")]
    queued = [submission.run for submission in glance.inputs]
    settled = [item.partition(":")[2] for item in glance.due if item.startswith("delivery:")]
    doubtful = [StepKey.parse(about).run for kind, _, about in resting if kind == "unknown"]
    return next((run for run in (glance.run, *parked[-1:], *queued, *settled, *doubtful) if run), "")


def status_of(glance: Glance, run: str, state: RunState | None) -> str:
    if run == glance.run:
        return glance.status
    if {f"parked:{run}", f"resume:{run}"} & glance.rest.keys():
        return "parked"
    if state is None:
        return "queued"
    return "delivering" if f"delivery:{run}" in glance.due else state.status


def _read(store: Store, thread: str) -> tuple[tuple[Record, ...], Mapping[str, RunState], str]:
    """The log and its runs, or why this build cannot use them: then the rest is told all the same."""
    try:
        records = read_log(thread, store.log.read(thread))
        return tuple(records), fold(records), ""
    except (EvidenceError, UnknownFormatError) as error:
        return (), {}, str(error)
