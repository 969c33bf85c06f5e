"""One part of a run's reply: posted once, found again after a crash, edited on.

A post is an effect like any other: a mark, the call, the outcome. Slack gives posts no idempotency key, so a mark
without an outcome means looking for the message by its metadata before anything is posted again. A file is uploaded
where nobody sees it, then its mark names it, then it is shown: a crash in between shows that same file.
"""

from __future__ import annotations

from dataclasses import replace

from store.ports import Part, Reply, ReplyError, Sign, is_file
from store.record import Record
from store.stepkey import StepKey
from store.view import RunView
from worker.door import Door
from worker.ledger import Ledger
from worker.services import Services
from worker.state import RunState

LOOK_AT = (1.0, 3.0, 8.0)
"""Seconds after the mark at which a post whose answer was lost is looked for (REPLY-2)."""
SIGN_SECONDS = 2.0
SOON, TURNS = 1.5, 3
"""Seconds until its turn that a post waits out, so many times: a channel takes one a second."""


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
        # What a known end left recorded is the only one; a frozen process may still post, or a post be on its way.
        self._doubtful = not mine and (door.contested or not self.stands)

    @property
    def stands(self) -> bool:
        """Whether it was posted, as far as is recorded."""
        mark = self._latest()
        return mark is not None and mark.state == "done"

    def ensure(self, view: RunView) -> str:
        """The ts of the standing message: recorded, adopted, or posted now."""
        mark, known = self._latest(), True
        if mark is None:
            mark, known = self._mark(view), False
            self._doubtful = False
        if mark.state == "done":
            return str(mark.body.get("ts", ""))
        if not self._mine and (found := self._look_for(mark, view)):
            return self._adopt(mark, found)
        self._mine = False
        try:
            return self._post(mark, view)
        except ReplyError as error:
            if error.kind != "gone" or not is_file(self._part) or not known:
                raise
        return self._post(self._mark(view), view)

    def show(self, view: RunView) -> str:
        """Make the part stand and show `view`, whatever stands already; returns its ts."""
        mark = self._latest()
        stands = mark is not None and mark.state == "done" and "ts" in mark.body
        return self.edit(view) if stands and self._part != "told" else self.ensure(view)

    def edit(self, view: RunView) -> str:
        """Make the message show `view`; one that a person deleted is posted once more."""
        ts = self.ensure(view)
        try:
            self._reply.edit(ts, view, self._allowance(), self._part)
        except ReplyError as error:
            if error.kind != "gone":
                raise
            self._mark(view)
            ts = self.ensure(view)
        return ts

    def amend(self, view: RunView) -> str:
        """Make what stands of this part show `view`, and post nothing; its ts, "" where nothing stands."""
        ts = self.standing(view)
        if not ts:
            return ""
        try:
            self._reply.edit(ts, view, self._allowance(), self._part)
        except ReplyError as error:
            if error.kind == "gone":
                return ""
            raise
        return ts

    def standing(self, view: RunView) -> str:
        """The ts of the message, recorded or found again, "" where there is none; posts nothing."""
        mark = self._latest()
        if mark is not None and mark.state == "done":
            return str(mark.body.get("ts", ""))
        if mark is None or self._mine or not (found := self._look_for(mark, view)):
            return ""
        return self._adopt(mark, found)

    def withdraw(self) -> None:
        """Take away what stands of this part: the text is shown in another form."""
        mark = self._latest()
        if mark is None:
            return
        ts = str(mark.body.get("ts", ""))
        for standing in [ts] if ts else self._reply.find(self._part, self._state.start.at, self._allowance()):
            self._reply.delete(standing, self._allowance())

    def retire_twins(self, ts: str) -> None:
        """Delete every other standing message of this part; only where one may exist."""
        if not self._doubtful:
            return
        found = self._reply.find(self._part, self._state.start.at, self._allowance())
        kept = ts or next(iter(found), "")
        for other in found:
            if other != kept:
                self._reply.delete(other, self._allowance())

    def sign(self, sign: Sign, view: RunView) -> bool:
        """Show a sign of life beside the thread; whether the workspace has it."""
        return self._reply.sign(sign, view, min(SIGN_SECONDS, self._allowance()))

    def _mark(self, view: RunView) -> Record:
        """The mark of one more attempt; a file is uploaded before it, so that the mark can name it."""
        latest = self._latest()
        attempt = 0 if latest is None else latest.key.attempt + 1
        file = self._reply.upload(view, self._allowance()) if is_file(self._part) else ""
        self._mine = True
        return self._ledger.commit(self._record(attempt, "pending", file=file))

    def _post(self, mark: Record, view: RunView) -> str:
        shown = replace(view, file=str(mark.body.get("file", "")))
        try:
            ts = self._in_turn(shown)
        except ReplyError as error:
            self._mine = error.kind == "busy"  # then it was surely not posted, and need not be looked for
            if error.kind != "lost":
                raise
            self._doubtful = True
            if found := self._look_for(mark, view):
                return self._adopt(mark, found)
            ts = self._reply.post(self._part, shown, self._allowance())
        return self._settle(mark, ts)

    def _in_turn(self, view: RunView) -> str:
        """Posted now; where the channel's next turn comes within moments it is waited for: nothing was called yet.

        It may come some milliseconds later than was said, for a post counts from its answer.
        """
        for _ in range(TURNS):
            try:
                return self._reply.post(self._part, view, self._allowance())
            except ReplyError as error:
                if error.code != "budget" or not error.retry_after or error.retry_after > SOON:
                    raise
                self._services.threads.sleep(error.retry_after)
        return self._reply.post(self._part, view, self._allowance())

    def _look_for(self, mark: Record, view: RunView) -> list[str]:
        """Our own messages with this run and part: looked for now, and again until 8 s after the mark."""
        now = self._services.clock.now
        waits = [max(0.0, mark.at + after - now()) for after in LOOK_AT]
        waited = 0.0
        for wait in sorted({0.0, *waits}):
            self._services.threads.sleep(wait - waited)
            waited = wait
            if found := self._reply.find(self._part, self._state.start.at, self._allowance(), view.asker):
                return found
        return []

    def _adopt(self, mark: Record, found: list[str]) -> str:
        for twin in found[1:] if self._part != "told" else ():
            self._reply.delete(twin, self._allowance())
        return self._settle(mark, found[0])

    def _settle(self, mark: Record, ts: str) -> str:
        self._ledger.commit(self._record(mark.key.attempt, "done", ts=ts, file=str(mark.body.get("file", ""))))
        return ts

    def _record(self, attempt: int, state: str, **known: str) -> Record:
        key = StepKey(self._state.id, 0, f"#{self._part}", attempt)
        body = {"part": self._part} | {name: value for name, value in known.items() if value}
        return self._ledger.record("reply", key, "done" if state == "done" else "pending", body)

    def _latest(self) -> Record | None:
        mine = [record for record in self._state.posts.values() if record.key.call == f"#{self._part}"]
        return max(mine, key=lambda record: record.key.attempt, default=None)

    def _allowance(self) -> float:
        return self._door.allowance(self._services.limits.slack_timeout)
