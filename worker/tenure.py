"""One owner's fenced time on a thread: claim, work until nothing is left, release.

The one place that catches control flow.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from store.errors import (
    EvidenceError,
    InputChangedError,
    RunFailed,
    RunLeaseHeldError,
    RunParked,
    RunStopped,
    RunSuspended,
    StaleEpochError,
    StopWonError,
    StoreRegressedError,
    StoreUnavailableError,
    TenureOver,
    UnknownFormatError,
)
from store.lease import Claim, Commit, Mailbox, Stop
from store.ports import ReplyError, Said
from store.record import Record, read_log, stored
from store.stepkey import START, StepKey
from store.submission import Submission
from store.thread import ThreadId, ts_order
from store.values import digest_of
from worker import ending
from worker.delivery import REWRITE_AFTER, deliver, final_view
from worker.door import Door
from worker.drain import Drain
from worker.heartbeat import Heartbeat
from worker.ledger import Ledger
from worker.loop import work
from worker.post import Post
from worker.progress import Progress
from worker.prompt import Message, history
from worker.run import Run
from worker.services import Services
from worker.showing import Showing
from worker.signs import Signs
from worker.state import RunState, fold
from worker.surroundings import MOST_SAID, surroundings

log = logging.getLogger(__name__)

DELETED = "Stopped: the message that asked for this was deleted."
FAULT_PAUSE = 60.0
"""Seconds until a thread whose records this build cannot use is looked at again."""


def work_thread(thread: str, services: Services, drain: Drain, owner: str) -> None:
    """Own the thread, do everything that can be done in it, let it go. Held by somebody else: nothing happens."""
    if drain.begun:
        return
    try:
        claim = services.store.leases.claim(thread, owner)
    except RunLeaseHeldError as held:
        log.debug("thread=%s %s", thread, held)
        return
    Tenure(services, drain, claim).work()


class Tenure:
    """The thread as this owner found it, and its way through what is owed there."""

    def __init__(self, services: Services, drain: Drain, claim: Claim) -> None:
        self._services, self._drain, self._claim = services, drain, claim
        self._thread, self._mailbox = claim.lease.thread, claim.mailbox
        self._door = Door(services, claim.lease, dict(claim.mailbox.stops), claim.spent, fruitless=claim.deaths > 0)
        self._door.contested = claim.since_takeover is not None
        self._began = services.clock.boottime()
        self._runs: dict[str, RunState] = {}
        self._open = claim.run
        self._posts: dict[str, Post] = {}
        self._records: list[Record] = []
        self._judged = False
        self._postponed: dict[str, tuple[str, float]] = {}

    def work(self) -> None:
        """Everything until nothing is left, and the release, whatever happens in between."""
        lease_seconds = self._claim.lease.until - self._began
        heartbeat = Heartbeat(self._services, self._door, lease_seconds)
        try:
            self._guarded(self._work_all)
        finally:
            self._door.close()
            heartbeat.finish()

    def _guarded(self, everything: Callable[[], None]) -> None:
        try:
            everything()
        except (StaleEpochError, TenureOver) as lost:
            log.warning("%s", lost)
        except RunSuspended as pause:
            log.info("thread=%s suspended: %s", self._thread, pause.reason)
            self._let_go(look_again=pause.look_again)
        except (UnknownFormatError, EvidenceError, StoreRegressedError) as fault:
            log.error("thread=%s %s", self._thread, fault)
            self._let_go(look_again=FAULT_PAUSE)
        except StoreUnavailableError as fault:
            log.warning("thread=%s left to its lease: %s", self._thread, fault)
        except Exception:
            log.exception("thread=%s a fault of ours; the run stays owed and is tried again", self._thread)
            self._let_go(look_again=2.0 * 2 ** min(self._claim.deaths, 5), counted=True)

    def _let_go(self, *, look_again: float, counted: bool = False) -> None:
        try:
            self._services.store.leases.release(self._door.lease, idle=False, look_again=look_again, counted=counted)
        except (StaleEpochError, StoreUnavailableError) as error:
            log.warning("thread=%s not released, its lease will lapse: %s", self._thread, error)

    def _work_all(self) -> None:
        if self._door.lease.seen:
            self._records = read_log(self._thread, self._services.store.log.read(self._thread))
        self._runs = fold(self._records)
        while True:
            self._deliver_due()
            self._heed_stops()
            run = self._next_run()
            if run is None:
                mailbox = self._services.store.leases.release(self._door.lease, idle=True)
                if mailbox is None:
                    return
                self._take(mailbox)
                if self._only_postponed():
                    raise RunSuspended(*min(self._postponed.values(), key=lambda pause: pause[1]))
            else:
                self._execute(run)

    def _take(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._door.hear(dict(mailbox.stops))

    def _deliver_due(self) -> None:
        """Show what is settled and not shown yet, in the order in which it settled."""
        named = (item.partition(":") for item in self._mailbox.due)
        owed = {run for kind, _, run in named if kind == "delivery" and run not in self._postponed}
        for state in sorted((self._runs[run] for run in owed), key=lambda state: state.ended_at):
            if self._deliver(state):
                due = {name: value for name, value in self._mailbox.due.items() if name != f"delivery:{state.id}"}
                self._mailbox = replace(self._mailbox, due=due)

    def _heed_stops(self) -> None:
        """End parked runs that somebody stopped; forget stops of runs that are over."""
        queued = {submission.run for submission in self._mailbox.inputs}
        waiting = self._mailbox.stops  # as read together with the inputs: a stop heard since may be of a later input
        for stop in [stop for run, stop in waiting.items() if run != self._open and run not in queued]:
            if f"parked:{stop.run}" in self._mailbox.rest:
                state = self._runs[stop.run]
                self._stop(self._run(state, [], active_before=0.0, resumed=True), stop)
                self._deliver(state)
            else:
                self._door.commit(Commit(stop.run, progress=False, forget_steps=True))
            self._door.stops.pop(stop.run, None)
        kept = {run: stop for run, stop in waiting.items() if run == self._open or run in queued}
        self._mailbox = replace(self._mailbox, stops=kept)

    def _next_run(self) -> Run | None:
        """The open run, taken up again; else the oldest input, started as a run; else nothing."""
        if self._open:
            return self._resumed(self._runs[self._open])
        if not self._mailbox.inputs:
            return None
        if self._drain.begun:
            raise RunSuspended("the process is about to end")
        first, *later = self._mailbox.inputs
        self._mailbox = replace(self._mailbox, inputs=tuple(later))
        return self._started(first)

    def _started(self, submission: Submission) -> Run | None:
        """Move an input from the mailbox to the log; the start is also the mark of the reply and the model call.

        None where it is not what comes next any more, so that the mailbox has to be read again.
        """
        run, definition = submission.run, self._services.agent.definition()
        before, news = list(self._runs.values()), self._mailbox.news
        context = history(before, definition)
        body = {"input": submission.as_body(), "definition": definition, "context": digest_of(context)}
        body |= surroundings(news, self._said_before(submission) if not before else ())
        start, raw = stored(Record("start", StepKey(run, 0, START), "done", self._services.clock.now(), body))
        state = RunState(start, self._door.lease.seen)
        taking = Commit(
            run,
            records=[(str(start.key), start.state, raw)],
            head={"status": "running", "run": run},
            due={f"run:{run}": ""},
            taken=[submission],
            heard=[one.key for one in news],
            anew=True,
            progress=False,
        )
        try:
            self._door.commit(taking)
        except InputChangedError as changed:
            log.info("%s", changed)
            return None
        self._runs[run], self._open = state, run
        return self._run(state, context, active_before=0.0, resumed=False)

    def _said_before(self, submission: Submission) -> Sequence[Said] | None:
        """What people said in a thread that we are called into, read once, for its first run; None: Slack won't say."""
        if submission.ts == ThreadId.parse(self._thread).root:
            return ()
        reply = self._services.replies(self._thread, submission.run)
        try:
            said = reply.history(MOST_SAID, self._door.allowance(self._services.limits.slack_timeout))
        except ReplyError as error:
            log.warning("thread=%s what was said before is not known: %s", self._thread, error)
            return None
        return [one for one in said if ts_order(one.ts) < ts_order(submission.ts)]

    def _resumed(self, state: RunState) -> Run:
        before = fold(self._records[: state.base]).values()
        context = history(before, state.definition)
        if digest_of(context) != state.start.body["context"]:
            raise EvidenceError(f"what run {state.id} of {self._thread} builds on has changed since it started")
        run = self._run(state, context, active_before=self._claim.active, resumed=True)
        ending.resume(run, restart=self._claim.ended != "released" or self._claim.pause == "restart")
        return run

    def _run(self, state: RunState, context: list[Message], *, active_before: float, resumed: bool) -> Run:
        services = self._services
        progress = Progress(
            services.clock, state, active_before=active_before, resumed=resumed, queued=len(self._mailbox.inputs)
        )
        reply = services.replies(self._thread, state.id)
        run = Run(services, self._door, self._drain, state, context, progress, reply, resumed=resumed)
        self._posts[state.id] = Post(services, self._door, run.ledger, state, reply, "reply", mine=not resumed)
        return run

    def _check_fruitless(self) -> None:
        """Nobody works for ever on a run whose tenures die one after the other without getting anywhere."""
        if self._claim.deaths > self._services.limits.fruitless and not self._judged:
            raise RunParked(
                "fruitless",
                f"I was cut off {self._claim.deaths} times in a row at the same place, so I stopped trying. "
                "Nothing is lost: an operator can look at it and resume this run.",
            )

    def _execute(self, run: Run) -> None:
        post = self._posts[run.id]
        # What is stopped before it is shown may have to leave no trace in the thread.
        showing = None if self._door.stop_of(run.id) else Showing(self._services, post, run.progress)
        self._door.queued = run.progress.wait_behind
        try:
            try:
                self._check_fruitless()
                run.check()
                run.attend(work)
            except RunStopped:
                self._abort(run)
            except RunFailed as failed:
                try:
                    ending.settle(run, "failed", code=failed.code, note=failed.sentence)
                except StopWonError:
                    self._abort(run)
            except RunParked as parked:
                ending.park(run, parked.reason, parked.sentence)
            except RunSuspended:
                ending.leave(run)
                if showing is not None:
                    showing.suspend()
                raise
        finally:
            self._judged = True
            if showing is not None:
                showing.finish()
        self._open = ""
        # What people did meanwhile is read with the release, before anything else is taken.
        self._mailbox = replace(self._mailbox, inputs=(), stops={}, news=())
        self._deliver(run.state)

    def _abort(self, run: Run) -> None:
        """End a run that somebody stopped. Where its own settlement came second, nobody heard yet who it was."""
        if self._door.stop_of(run.id) is None:
            self._door.renew()
        self._stop(run, self._door.stop_of(run.id), _partial(run))

    def _stop(self, run: Run, stop: Stop | None, said: str = "") -> None:
        if stop is not None and stop.why == "deleted":
            ending.settle(run, "aborted", by=stop.by, why=stop.why, note=DELETED)
        else:
            ending.settle(run, "aborted", text=said, by=stop.by if stop else "")

    def _deliver(self, state: RunState) -> bool:
        """Show a run's end; False when Slack does not take it now."""
        reply = self._services.replies(self._thread, state.id)
        post = self._posts.get(state.id)
        if post is None:
            ledger = Ledger(self._services, self._door, state)
            post = Post(self._services, self._door, ledger, state, reply, "reply", mine=False)
        try:
            deliver(self._services, self._door, state, reply, post, rewrite_in=self._rewrite_in())
        except RunSuspended as pause:
            log.info("thread=%s run=%s is shown later: %s", self._thread, state.id, pause.reason)
            self._postponed[state.id] = (pause.reason, pause.look_again)
            return False
        if post.stands:
            Signs(self._services.clock, post).end(final_view(self._services, state))
        return True

    def _only_postponed(self) -> bool:
        """Nothing is left but deliveries that Slack does not take now: they never hold back the next run."""
        deliveries = {f"delivery:{run}" for run in self._postponed}
        due = set(self._mailbox.due)
        return bool(due) and due <= deliveries and not self._mailbox.inputs and not self._open

    def _rewrite_in(self) -> float:
        """Seconds until late edits of an owner we took over from cannot come any more; 0 where there is none."""
        if self._claim.since_takeover is None:
            return 0.0
        since = self._claim.since_takeover + self._services.clock.boottime() - self._began
        return max(0.0, REWRITE_AFTER - since)


def _partial(run: Run) -> str:
    """What a stopped answer had said before it was cut."""
    attempts = run.state.attempts
    return str(attempts[-1].body.get("partial", "")) if attempts else ""
