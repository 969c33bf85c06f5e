"""What a run does right now, for the people who watch; never part of the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from store.lifecycle import Status
from store.ports import Clock, Delta
from store.record import Record
from store.stepkey import StepKey
from store.view import CallState, CallView, RunView
from worker.call import Call
from worker.prompt import text_of
from worker.state import RunState

DONE_POST_AFTER = 60.0
"""Seconds after which a finished run says so in a post of its own, because edits do not notify (REPLY-1)."""


class Progress:
    """One run's live state: text so far, calls and what is going on. `changed()` is called after every change.

    active_before: seconds earlier tenures worked on this run. `await_reply()` returns once its reply was tried to post.
    """

    def __init__(self, clock: Clock, state: RunState, *, active_before: float, resumed: bool, queued: int) -> None:
        self._clock, self._state = clock, state
        self._began, self._active_before = clock.boottime(), active_before
        self._resumed, self.queued = resumed, queued
        self._text = self._doing = ""
        self._running: set[str] = set()
        self._calls: dict[str, CallView] = {}
        self.changed: Callable[[], None] = lambda: None
        self.await_reply: Callable[[], None] = lambda: None
        for turn in state.turns:
            self._text = text_of(turn.model.body["content"]) or self._text
            self._see(turn.results)
        self._see([record for record in state.open.values() if record.kind == "tool"])

    @property
    def text(self) -> str:
        """The text so far: of the answer that streams, else of the last one."""
        return self._text

    def active(self) -> float:
        """Seconds the run has been worked on, over all its tenures."""
        return self._active_before + self._clock.boottime() - self._began

    def elapsed(self) -> float:
        """Wall-clock seconds since the run began."""
        return max(0.0, self._clock.now() - self._state.start.at)

    def wait_behind(self, queued: int) -> None:
        """So many messages wait for this run to end."""
        if queued != self.queued:
            self.queued = queued
            self.changed()

    def wants_done_post(self) -> bool:
        return self._state.restarts > 0 or bool(self._state.waits) or self.elapsed() > DONE_POST_AFTER

    def view(self, status: Status = "running") -> RunView:
        return RunView(
            run=self._state.id,
            thread=self._state.input.thread,
            asker=self._state.input.author,
            status=status,
            doing=self._doing,
            text=self._text,
            calls=tuple(self._calls.values()),
            elapsed=self.elapsed(),
            resumed=self._resumed,
            queued=self.queued,
        )

    def asking(self, key: StepKey) -> None:
        self._running.add(str(key))
        self._say("thinking")

    def retrying(self, reason: str, delay: float) -> None:
        self._say(f"{reason}, trying again in {delay:.0f} s")

    def heard(self, delta: Delta) -> None:
        """A piece of the answer that streams."""
        match delta.kind:
            case "text":
                self._text = delta.text if self._doing != "writing" else self._text + delta.text
                self._say("writing")
            case "thinking":
                self._say("thinking")
            case "call":
                self._say(f"preparing {delta.text}")

    def begin_batch(self, calls: Sequence[Call], records: Mapping[str, Record], *, resumed: bool) -> None:
        for call in calls:
            known = records.get(str(call.key))
            over = known is not None and known.state in ("done", "failed", "interrupted")
            if not over:
                self._calls[str(call.key)] = CallView(call.title, "pending", resumed)
        self._say("running tools" if len(calls) > 1 else f"running {calls[0].title}" if calls else "")

    def call_started(self, call: Call) -> None:
        self._running.add(str(call.key))
        self._set(call, "running")

    def call_over(self, call: Call, state: CallState) -> None:
        self._running.discard(str(call.key))
        self._set(call, state)

    def call_waits(self, call: Call) -> None:
        self._say(f"waiting: {call.title}")

    def call_left(self, call: Call) -> None:
        self._running.discard(str(call.key))

    def model_over(self, key: StepKey) -> None:
        self._running.discard(str(key))

    def is_running(self, key: StepKey) -> bool:
        """Whether this step is under way in this process right now."""
        return str(key) in self._running

    def _set(self, call: Call, state: CallState) -> None:
        known = self._calls.get(str(call.key))
        self._calls[str(call.key)] = CallView(call.title, state, known is not None and known.resumed)
        self.changed()

    def _see(self, records: Sequence[Record]) -> None:
        states: dict[str, CallState] = {"left": "pending", "done": "done", "failed": "failed"}
        for record in records:
            state = states.get(record.state, "interrupted" if record.state == "interrupted" else "pending")
            self._calls[str(record.key)] = CallView(record.body["title"], state)

    def _say(self, doing: str) -> None:
        self._doing = doing
        self.changed()
