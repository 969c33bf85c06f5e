"""One owner's fenced time on a thread: claim, work until nothing is left, release.

The one place that catches control flow.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from store.errors import (
    EvidenceError,
    RunFailed,
    RunLeaseHeldError,
    RunParked,
    RunStopped,
    RunSuspended,
    RunUnknown,
    RunWaiting,
    StaleEpochError,
    StopWonError,
    StoreRegressedError,
    StoreUnavailableError,
    TenureOver,
    UnknownFormatError,
)
from store.lease import Claim, Commit, Mailbox, Stop
from store.record import read_log
from worker import ending
from worker.delivery import REWRITE_AFTER
from worker.door import Door
from worker.drain import Drain
from worker.heartbeat import Heartbeat
from worker.letters import Letters
from worker.loop import work
from worker.outbox import Outbox
from worker.run import Run
from worker.services import Services
from worker.showing import Showing
from worker.state import RunState, fold
from worker.taking import Taking

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
        self._open, self._waits = claim.run, claim.waiting
        self._judged = False

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
        services, door = self._services, self._door
        records = read_log(self._thread, services.store.log.read(self._thread)) if door.lease.seen else []
        self._runs = fold(records)
        self._taking = Taking(services, self._drain, door, self._claim, records, self._runs)
        self._letters = Letters(services, door, self._runs)
        self._outbox = Outbox(services, door, self._thread, self._runs, self._taking.posts, self._rewrite_in)
        while True:
            self._read_letters()
            self._bring_due()
            self._heed_stops()
            run = self._next_run()
            if run is None:
                mailbox = self._services.store.leases.release(self._door.lease, idle=True)
                if mailbox is None:
                    return
                self._take(mailbox)
                self._leave_postponed()
            else:
                self._execute(run)

    def _take(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._door.hear(dict(mailbox.stops))

    def _read_letters(self) -> None:
        """Take answers and orders into the log; the open run goes on where it has its answer."""
        heeded = self._letters.read(self._mailbox, self._open)
        due, rest = {**self._mailbox.due, **heeded.due}, {**self._mailbox.rest, **heeded.later}
        self._mailbox = replace(self._mailbox, letters={}, due=due, rest=rest)
        if heeded.goes_on:
            self._waits = False
        if heeded.reopened:
            self._open, self._waits = heeded.reopened, False
        for run, by in heeded.healed:
            healed = self._taking.close(self._runs[run])
            ending.settle(healed, "healed", by=by, beside=bool(self._open))
            self._outbox.deliver(healed.state)

    def _bring_due(self) -> None:
        shown = self._outbox.bring(self._mailbox.due)
        due = {name: value for name, value in self._mailbox.due.items() if name not in shown}
        self._mailbox = replace(self._mailbox, due=due)

    def _leave_postponed(self) -> None:
        """Nothing is left but what Slack does not take now: it never holds back the next run, nor a tenure."""
        pause = self._outbox.only_postponed(self._mailbox.due)
        if self._open:
            idle = self._waits and self._door.stop_of(self._open) is None
        else:
            idle = not self._mailbox.inputs and _reopening(self._mailbox) is None
        if pause is not None and idle and not self._mailbox.letters:
            raise pause

    def _heed_stops(self) -> None:
        """End parked runs that somebody stopped; forget stops of runs that are over."""
        queued = {submission.run for submission in self._mailbox.inputs}
        waiting = self._mailbox.stops  # as read together with the inputs: a stop heard since may be of a later input
        for stop in [stop for run, stop in waiting.items() if run != self._open and run not in queued]:
            if {f"parked:{stop.run}", f"resume:{stop.run}"} & self._mailbox.rest.keys():
                state = self._runs[stop.run]
                self._stop(self._taking.close(state), stop, beside=bool(self._open))
                self._outbox.deliver(state)
            else:
                self._door.commit(Commit(stop.run, progress=False, forget_steps=True))
            self._door.stops.pop(stop.run, None)
        kept = {run: stop for run, stop in waiting.items() if run == self._open or run in queued}
        self._mailbox = replace(self._mailbox, stops=kept)

    def _next_run(self) -> Run | None:
        """The open run, taken up again; else the oldest input, started as a run; else nothing."""
        if self._open:
            if self._waits and self._door.stop_of(self._open) is None:
                return None
            self._waits = False
            return self._taking.resume(self._runs[self._open], len(self._mailbox.inputs))
        if (item := _reopening(self._mailbox)) is not None:
            self._open = item.partition(":")[2]
            rest = {name: value for name, value in self._mailbox.rest.items() if name != item}
            self._mailbox = replace(self._mailbox, rest=rest)
            return self._taking.resume(self._runs[self._open], len(self._mailbox.inputs))
        if not self._mailbox.inputs:
            return None
        if self._drain.begun:
            raise RunSuspended("the process is about to end")
        first, *later = self._mailbox.inputs
        self._mailbox = replace(self._mailbox, inputs=tuple(later))
        run = self._taking.start(first, self._mailbox.news, len(later))
        self._open = "" if run is None else run.id
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
        post = self._taking.posts[run.id]
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
            except RunUnknown:
                ending.park(
                    run, "unknown", "A call was cut off, and nobody knows whether it happened. Please say so above."
                )
            except RunWaiting:
                ending.wait(run)
                self._waits = True
            except RunSuspended:
                ending.leave(run)
                if showing is not None:
                    showing.suspend()
                raise
        finally:
            self._judged = True
            if showing is not None:
                showing.finish()
        # What people did meanwhile is read with the release, before anything else is taken.
        self._mailbox = replace(self._mailbox, inputs=(), stops={}, news=())
        if not self._waits:
            self._open = ""
            rest = {name: value for name, value in self._mailbox.rest.items() if name != f"resume:{run.id}"}
            self._mailbox = replace(self._mailbox, rest=rest)
            self._outbox.deliver(run.state)

    def _abort(self, run: Run) -> None:
        """End a run that somebody stopped. Where its own settlement came second, nobody heard yet who it was."""
        if self._door.stop_of(run.id) is None:
            self._door.renew()
        self._stop(run, self._door.stop_of(run.id), _partial(run))

    def _stop(self, run: Run, stop: Stop | None, said: str = "", *, beside: bool = False) -> None:
        if stop is not None and stop.why == "deleted":
            ending.settle(run, "aborted", by=stop.by, why=stop.why, note=DELETED, beside=beside)
        else:
            ending.settle(run, "aborted", text=said, by=stop.by if stop else "", beside=beside)

    def _rewrite_in(self) -> float:
        """Seconds until late edits of an owner we took over from cannot come any more; 0 where there is none."""
        if self._claim.since_takeover is None:
            return 0.0
        since = self._claim.since_takeover + self._services.clock.boottime() - self._began
        return max(0.0, REWRITE_AFTER - since)


def _reopening(mailbox: Mailbox) -> str | None:
    """A parked run that somebody asked to go on, and that waits until the thread is free for it."""
    return next((name for name in mailbox.rest if name.startswith("resume:")), None)


def _partial(run: Run) -> str:
    """What a stopped answer had said before it was cut, else what the run said last."""
    attempts = run.state.attempts
    cut = str(attempts[-1].body.get("partial", "")) if attempts else ""
    return cut or run.progress.text
