"""A run at work: the steps the loop is made of.

Everything that touches the world is a step: recorded before the next begins, answered from its record when the run
is taken up again. Two commits a turn: the model's answer with the marks of the calls about to start, and the last
outcome with the turn's boundary and the mark of the next model call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock

from store.errors import ControlFlow, RunFailed, RunParked, RunStopped, RunSuspended, StopWonError, TenureOver
from store.ports import Reply
from store.record import OVER, Record
from store.stepkey import TURN, StepKey
from store.thread import ThreadId
from store.wait import Answer
from worker import ending
from worker.asking import ask_model
from worker.batch import Batch
from worker.call import Call, prepare
from worker.door import Door
from worker.drain import Drain
from worker.gate import open_gates, pass_gates
from worker.ledger import Ledger
from worker.progress import Progress
from worker.prompt import Message, Transcript, text_of
from worker.services import Services
from worker.state import RunState
from worker.tools.ask import Ask
from worker.tools.context import ToolContext
from worker.tools.execute import Outcome, execute
from worker.tools.tool import ToolError
from worker.unknown import resolve
from worker.waiting import ask_people, show_plan


@dataclass(frozen=True, slots=True)
class Turn:
    """One recorded model answer and its prepared calls; `final` when the run ends with it."""

    record: Record
    calls: Sequence[Call]

    @property
    def final(self) -> bool:
        return not self.calls and self.record.body["stop_reason"] != "pause_turn"

    @property
    def text(self) -> str:
        return text_of(self.record.body["content"])


class Run:
    """One run within one tenure. Its records are the truth; what it keeps besides them is bookkeeping."""

    def __init__(
        self,
        services: Services,
        door: Door,
        drain: Drain,
        state: RunState,
        history: Sequence[Message],
        progress: Progress,
        reply: Reply,
        *,
        resumed: bool,
    ) -> None:
        self.services, self.door, self.drain, self.state = services, door, drain, state
        self.transcript = Transcript(history, state)
        self.progress, self.reply = progress, reply
        self.ledger = Ledger(services, door, state)
        self._found = dict(state.open) if resumed else {}
        self._unsettled = 0
        self._left = False
        self._lock = Lock()
        self._limit = int(state.definition["max_concurrent_tools"])
        self._batch = Batch(services.threads, self._limit)

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def turn(self) -> int:
        return len(self.state.turns)

    def key(self, call: str, attempt: int = 0) -> StepKey:
        return StepKey(self.id, self.turn, call, attempt)

    def check(self) -> None:
        """Asked before every model and tool call: lease, stop, and whether the process is about to end."""
        self.door.check(self.id)
        if self.drain.begun:
            raise RunSuspended("the process is about to end")

    def check_limits(self) -> None:
        """The run's own limits and the workspace's daily spending stop."""
        definition = self.state.definition
        if self.turn >= definition["max_turns"]:
            raise RunFailed("max_turns", f"I stopped after {self.turn} turns, which is the limit of a run.")
        if self.progress.active() > definition["max_active"]:
            raise RunFailed("max_active", "I stopped because this run used up its time.")
        if self.services.limits.daily_spend <= self.door.spent:
            raise RunParked(
                "spending",
                "This workspace has reached its spending stop for today, so I paused here. Nothing is lost: "
                "an admin can raise EVERTHREAD_DAILY_SPEND and resume this run.",
            )

    def ask(self) -> Turn:
        """This turn's model answer, to be recorded with the marks of its calls; or the one that is recorded."""
        found = next((record for record in self.state.attempts if record.state == "done"), None)
        if found is not None:
            return self._turn(found)
        return self._turn(ask_model(self))

    def gate(self, calls: Sequence[Call]) -> list[Call]:
        """The calls as they may run: those that people decide about once they did, denied ones refused.

        An answer that is not recorded yet leaves here, in one commit: with what people are asked, or with the marks
        of the calls about to start.
        """
        open_gates(self, calls)
        passed = pass_gates(self, calls)
        if not any(str(call.key) in self.state.open for call in passed):
            for call in [call for call in passed if call.marked][: self._limit]:
                self.ledger.stage(self._mark(call))
        self.ledger.flush()
        return passed

    def map(self, work: Callable[[Call], Record], calls: Sequence[Call]) -> list[Record]:
        """Run the calls at once and wait for all; the last outcome leaves with the turn's boundary."""
        self._unsettled = sum(1 for call in calls if self._over(call) is None)
        self.progress.begin_batch(calls, self.state.open, resumed=self._unsettled < len(calls))
        if len(calls) == 1:
            return [work(calls[0])]
        return self._batch.map(work, calls, self._check_left)

    def step(self, call: Call, handler: Callable[[], Outcome]) -> Record:
        """One call as a step: its recorded outcome, or `handler()`'s once that is recorded."""
        if (over := self._over(call)) is not None:
            return over
        if self._cut_off(call) and (found := resolve(self, call)) is not None:
            state, said, _ = found
            self.progress.call_over(
                call, "failed" if state == "failed" else "done" if state == "done" else "interrupted"
            )
            return self._settle_call(self.ledger.record("tool", call.key, state, call.body() | said), [])
        self.check()
        known = self.state.open.get(str(call.key))
        if call.marked and (known is None or known.state == "left"):
            self.ledger.commit(self._mark(call))
        self.progress.call_started(call)
        try:
            state, body, ops = handler()
        except ControlFlow:
            self.progress.call_left(call)
            raise
        self.progress.call_over(call, "done" if state == "done" else "failed")
        said = {} if call.marked else call.body()
        return self._settle_call(self.ledger.record("tool", call.key, state, said | body), ops)

    def execute(self, call: Call) -> Outcome:
        """Run the call's handler, for as long as the person it acts for may use the agent."""
        at, asker = ThreadId.parse(self.state.input.thread), self.state.input.author
        if not self.services.may_use(at.team, asker, at.channel):
            refusal = {
                "name": "Refused",
                "message": "Not run: the person who asked may not use this agent any more.",
            }
            return "failed", {"error": refusal}, []
        return execute(call, self.context(call))

    def context(self, call: Call) -> ToolContext:
        """What the call's handler may know and do."""
        at, asker = ThreadId.parse(self.state.input.thread), self.state.input.author
        timeout = self.services.limits.slack_timeout
        return ToolContext(
            run=self.id,
            thread=self.state.input.thread,
            key=str(call.key),
            asker=asker,
            clock=self.services.clock,
            ending=self._ending,
            read_state=lambda name: self.services.store.workspace.state(at.team, name),
            read_thread=lambda limit: self.reply.history(limit, self.door.allowance(timeout)),
            read_attachment=lambda file: self.reply.attachment(file, self.door.allowance(timeout)),
            read_channel=lambda channel, limit: self.reply.channel(channel, asker, limit, self.door.allowance(timeout)),
            ask=partial(self._ask_people, call),
            show_plan=partial(show_plan, self),
        )

    def _ask_people(self, call: Call, name: str, ask: Ask) -> Answer:
        """What a tool asks of people; only one that is made of steps may be entered again for the answer."""
        if call.tool is None or not call.tool.composite:
            raise ToolError(f"{call.name} may not wait for people: declare it with @tool(composite=True)")
        self.progress.call_waits(call)
        return ask_people(self, call.key.nested(name), ask)

    def commit_turn(self, turn: Turn, results: Sequence[Record]) -> None:
        """The boundary: what the turn built on, by digest. It is also the mark that the next model call begins."""
        self._stage_boundary(turn, results)
        self.transcript.add(self.state.turns[-1])
        self.ledger.flush()

    def complete(self, turn: Turn) -> None:
        """The last answer and the settlement, in one commit."""
        reason = turn.record.body["stop_reason"]
        self._stage_boundary(turn, [])
        if reason == "refusal":
            raise RunFailed("refusal", "The model declined to answer this.")
        if reason == "model_context_window_exceeded":
            raise RunFailed("context", "This thread has grown too long for the model.")
        note = "" if reason != "max_tokens" else "The answer was cut at its length limit."
        try:
            ending.settle(self, "completed", text=turn.text, note=note)
        except StopWonError:
            raise RunStopped(self.id) from None

    def attend(self, work: Callable[[Run], None]) -> None:
        """Do the work on a thread of its own, so that a call that does not end holds up neither Stop nor shutdown."""
        attendant = Batch(self.services.threads, 1)
        try:
            attendant.map(work, [self], self._leave_stuck)
        finally:
            attendant.close()
            self._batch.close()

    def _leave_stuck(self) -> None:
        """Leave the work behind once the lease is gone, the stop's grace is over, or the process must end."""
        stop, now = self.door.stop_of(self.id), self.services.clock.now()
        why: ControlFlow | None = None
        if stop is not None and now - stop.at > self.services.limits.stop_grace:
            why = RunStopped(self.id)
        if self.drain.begun and self.drain.time_left <= 1.0:
            why = RunSuspended("the process ends before its calls do")
        if self.door.lost or why is not None:
            with self._lock:
                self._left = True
            self.door.check_lease()
        if why is not None:
            raise why

    def _check_left(self) -> None:
        """What was left behind records nothing any more."""
        if self._left:
            raise TenureOver(self.id)

    def _turn(self, answer: Record) -> Turn:
        return Turn(answer, prepare(self.id, self.turn, answer, self.services.agent, self.state.open))

    def _stage_boundary(self, turn: Turn, results: Sequence[Record]) -> None:
        evidence = {"model": turn.record.digest, "results": [result.digest for result in results]}
        self.ledger.stage(self.ledger.record("turn", self.key(TURN), "done", evidence))

    def _mark(self, call: Call) -> Record:
        return self.ledger.record("tool", call.key, "pending", call.body())

    def _over(self, call: Call) -> Record | None:
        record = self.state.open.get(str(call.key))
        return record if record is not None and record.state in OVER else None

    def _cut_off(self, call: Call) -> bool:
        """A mark that another tenure left, for a call that may not run twice, or not as it was defined then."""
        mark = self._found.get(str(call.key))
        if mark is None or mark.state != "pending":
            return False
        changed = call.tool is None or mark.body["tool"] != call.tool.digest
        return changed or mark.body["policy"] == "unsafe" or mark.body["fingerprint"] != call.fingerprint

    def _settle_call(self, record: Record, ops: list[tuple[str, str]]) -> Record:
        with self._lock:
            self._check_left()
            self._unsettled -= 1
            if self._unsettled == 0:
                return self.ledger.stage(record, ops=ops)
        return self.ledger.commit(record, ops=ops)

    def _ending(self) -> bool:
        """What a running call can see: that it reaches nobody any more, or shall come to its end."""
        over = self.progress.active() > self.state.definition["max_active"]
        return over or self.door.lost or self.drain.begun or self.door.stop_of(self.id) is not None
