"""How a tenure takes up runs: an input is started as one, or an open one goes on where it stands."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from store.errors import EvidenceError, InputChangedError
from store.lease import Claim, Commit
from store.news import News
from store.ports import ReplyError, Said
from store.record import Record, stored
from store.stepkey import START, StepKey
from store.submission import Submission
from store.thread import ThreadId, ts_order
from store.values import digest_of
from worker import ending
from worker.door import Door
from worker.drain import Drain
from worker.post import Post
from worker.progress import Progress
from worker.prompt import Message, history
from worker.run import Run
from worker.services import Services
from worker.state import RunState, fold
from worker.surroundings import MOST_SAID, surroundings

log = logging.getLogger(__name__)


class Taking:
    """Makes the runs of one tenure.

    records: the thread's log as it was claimed. runs: its runs, to which started ones are added. posts: the reply of
    each run that was taken up here.
    """

    def __init__(
        self,
        services: Services,
        drain: Drain,
        door: Door,
        claim: Claim,
        records: Sequence[Record],
        runs: dict[str, RunState],
    ) -> None:
        self._services, self._drain, self._door, self._claim = services, drain, door, claim
        self._thread, self._records, self._runs = claim.lease.thread, records, runs
        self._contexts: dict[str, list[Message]] = {}
        self._last: Run | None = None
        self.posts: dict[str, Post] = {}

    def start(self, submission: Submission, news: Sequence[News], queued: int) -> Run | None:
        """Move an input from the mailbox to the log; the start is also the mark of the reply and the model call.

        queued: inputs behind it. None where it is not what comes next any more, so that the mailbox has to be read
        again.
        """
        run, definition = submission.run, self._services.agent.definition()
        before = list(self._runs.values())
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
        self._runs[run], self._contexts[run] = state, context
        self._last = self._make(state, context, queued, active_before=0.0, mine=True)
        return self._last

    def resume(self, state: RunState, queued: int) -> Run:
        """Take up an open run where it stands; `EvidenceError` where what it builds on is not what it was."""
        context = self._contexts.get(state.id)
        if context is None:
            context = history(fold(self._records[: state.base]).values(), state.definition)
        if digest_of(context) != state.start.body["context"]:
            raise EvidenceError(f"what run {state.id} of {self._thread} builds on has changed since it started")
        self._contexts[state.id] = context
        known = self._last if self._last is not None and self._last.id == state.id else None
        active = self._claim.active if known is None else known.progress.active()
        restart = self._last is None and (self._claim.ended != "released" or self._claim.pause == "restart")
        self._last = self._make(state, context, queued, active_before=active, resumed=restart)
        ending.resume(self._last, restart=restart)
        return self._last

    def close(self, state: RunState) -> Run:
        """A run that is only to be ended."""
        return self._make(state, [], 0, active_before=0.0)

    def _make(
        self,
        state: RunState,
        context: list[Message],
        queued: int,
        *,
        active_before: float,
        mine: bool = False,
        resumed: bool = False,
    ) -> Run:
        """mine: started here, so nobody can have posted its reply. resumed: a crash or a deploy came in between."""
        services = self._services
        progress = Progress(services.clock, state, active_before=active_before, resumed=resumed, queued=queued)
        reply = services.replies(self._thread, state.id)
        run = Run(services, self._door, self._drain, state, context, progress, reply, resumed=not mine)
        self.posts[state.id] = Post(services, self._door, run.ledger, state, reply, "reply", mine=mine)
        return run

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
