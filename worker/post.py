"""One part of a run's reply: posted once, found again after a crash, edited on.

A post is an effect like any other: a mark, the call, the outcome. Slack gives posts no idempotency key, so a mark
without an outcome means looking for the message by its metadata before anything is posted again.
"""

from __future__ import annotations

from store.ports import Part, Reply, ReplyError
from store.record import Record
from store.stepkey import CARD, DONE, REPLY, StepKey
from store.view import RunView
from worker.door import Door
from worker.ledger import Ledger
from worker.services import Services
from worker.state import RunState

LOOK_AT = (1.0, 3.0, 8.0)
"""Seconds after the mark at which a post whose answer was lost is looked for (REPLY-2)."""
CALLS: dict[Part, str] = {"reply": REPLY, "done": DONE, "card": CARD}


class Post:
    """One part's message. `mine`: this tenure wrote the mark, so nobody can have posted it yet."""

    def __init__(
        self,
        services: Services,
        door: Door,
        ledger: Ledger,
        state: RunState,
        reply: Reply,
        part: Part,
        *,
        mine: bool,
    ) -> None:
        self._services, self._door, self._ledger, self._state = services, door, ledger, state
        self._reply, self._part, self._mine = reply, part, mine
        self._doubtful = not mine

    def ensure(self, view: RunView) -> str:
        """The ts of the standing message: recorded, adopted, or posted now."""
        mark = self._latest()
        if mark is None:
            mark = self._ledger.commit(self._record(0, "pending"))
            self._mine = True
        if mark.state == "done":
            return str(mark.body["ts"])
        if not self._mine and (found := self._look_for(mark)):
            return self._adopt(mark, found)
        self._mine = False
        return self._post(mark, view)

    def edit(self, view: RunView) -> str:
        """Make the message show `view`; one that a person deleted is posted once more."""
        ts = self.ensure(view)
        try:
            self._reply.edit(ts, view, self._allowance())
        except ReplyError as error:
            if error.kind != "gone":
                raise
            self._ledger.commit(self._record(self._next_attempt(), "pending"))
            self._mine = True
            ts = self.ensure(view)
        return ts

    def retire_twins(self, ts: str) -> None:
        """Delete every other standing message of this part; only where one may exist."""
        if not self._doubtful:
            return
        for other in self._reply.find(self._part, self._state.start.at, self._allowance()):
            if other != ts:
                self._reply.delete(other, self._allowance())

    def _post(self, mark: Record, view: RunView) -> str:
        try:
            ts = self._reply.post(self._part, view, self._allowance())
        except ReplyError as error:
            if error.kind != "lost":
                raise
            self._doubtful = True
            if found := self._look_for(mark):
                return self._adopt(mark, found)
            ts = self._reply.post(self._part, view, self._allowance())
        return self._settle(mark, ts)

    def _look_for(self, mark: Record) -> list[str]:
        """Our own messages with this run and part: looked for now, and again until 8 s after the mark."""
        now = self._services.clock.now
        waits = [max(0.0, mark.at + after - now()) for after in LOOK_AT]
        waited = 0.0
        for wait in sorted({0.0, *waits}):
            self._services.threads.sleep(wait - waited)
            waited = wait
            if found := self._reply.find(self._part, self._state.start.at, self._allowance()):
                return found
        return []

    def _adopt(self, mark: Record, found: list[str]) -> str:
        for twin in found[1:]:
            self._reply.delete(twin, self._allowance())
        return self._settle(mark, found[0])

    def _settle(self, mark: Record, ts: str) -> str:
        self._ledger.commit(self._record(mark.key.attempt, "done", ts))
        return ts

    def _record(self, attempt: int, state: str, ts: str = "") -> Record:
        key = StepKey(self._state.id, 0, CALLS[self._part], attempt)
        body = {"part": self._part} | ({"ts": ts} if ts else {})
        return self._ledger.record("reply", key, "done" if state == "done" else "pending", body)

    def _latest(self) -> Record | None:
        mine = [record for record in self._state.posts.values() if record.key.call == CALLS[self._part]]
        return max(mine, key=lambda record: record.key.attempt, default=None)

    def _next_attempt(self) -> int:
        latest = self._latest()
        return 0 if latest is None else latest.key.attempt + 1

    def _allowance(self) -> float:
        return self._door.allowance(self._services.limits.slack_timeout)
