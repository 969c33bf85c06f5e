"""What a thread owes to Slack until it is shown: outcomes, cards, reminders, the word that a run waits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

from store.errors import RunSuspended
from store.lease import Commit
from store.ports import ReplyError
from worker.card import Card
from worker.delivery import deliver, final_view, refused_for_good
from worker.door import Door
from worker.ledger import Ledger
from worker.post import Post
from worker.progress import Progress
from worker.services import Services
from worker.signs import Signs
from worker.state import RunState

log = logging.getLogger(__name__)


class Outbox:
    """Shows what is due, in order; what Slack does not take now is postponed and never holds back the next run.

    posts: the replies that this tenure began, by run. rewrite_in: seconds until late edits of an owner we took over
    from cannot come any more.
    """

    def __init__(
        self,
        services: Services,
        door: Door,
        thread: str,
        runs: Mapping[str, RunState],
        posts: Mapping[str, Post],
        rewrite_in: Callable[[], float],
    ) -> None:
        self._services, self._door, self._thread, self._runs = services, door, thread, runs
        self._posts, self._rewrite_in = posts, rewrite_in
        self._postponed: dict[str, RunSuspended] = {}

    def bring(self, due: Mapping[str, str]) -> set[str]:
        """Show what is due and not postponed; the items that are shown now. Outcomes in the order of settlement."""
        kinds = {name: name.partition(":")[::2] for name in due if name not in self._postponed}
        settled = [about for kind, about in kinds.values() if kind == "delivery"]
        shown = set()
        for run in sorted(settled, key=lambda run: self._runs[run].ended_at):
            if self.deliver(self._runs[run]):
                shown.add(f"delivery:{run}")
        for name, (kind, about) in kinds.items():
            if kind in ("look", "card", "retire", "remind", "waiting") and self._try(
                name, partial(self._show, kind, about, due[name])
            ):
                shown.add(name)
        return shown

    def deliver(self, state: RunState) -> bool:
        """Show a run's end; False when Slack does not take it now."""
        reply = self._services.replies(self._thread, state.id)
        post = self._reply_of(state)
        if not self._try(
            f"delivery:{state.id}",
            lambda: deliver(self._services, self._door, state, reply, post, rewrite_in=self._rewrite_in()),
        ):
            return False
        if post.stands:
            Signs(self._services.clock, post).end(final_view(self._services, state))
        return True

    def only_postponed(self, due: Mapping[str, str]) -> RunSuspended | None:
        """Where nothing is due but what Slack does not take now: when the first of it is tried again."""
        if due and due.keys() <= self._postponed.keys():
            return min((self._postponed[name] for name in due), key=lambda pause: pause.look_again)
        return None

    def _try(self, name: str, show: Callable[[], None]) -> bool:
        try:
            show()
        except RunSuspended as pause:
            log.info("thread=%s %s is shown later: %s", self._thread, name, pause.reason)
            self._postponed[name] = pause
            return False
        return True

    def _show(self, kind: str, about: str, value: str) -> None:
        """A card, a reminder, or the reply of a run that waits; what can never be shown is owed no longer."""
        state = self._state_of(kind, about)
        if state is not None:
            try:
                if kind == "waiting":
                    self._say_waiting(state)
                elif kind == "look":
                    self._look_after(state, about)
                elif kind == "card":
                    self._card(state, about).show(int(value))
                elif kind == "retire":
                    self._card(state, about).retire(self._rewrite_in())
                else:
                    self._card(state, about).remind()
            except ReplyError as error:
                why = refused_for_good(error, self._services.limits.look_again)
                log.warning("thread=%s %s of %s cannot be shown: %s", self._thread, kind, about, why)
            else:
                return
        self._door.commit(Commit(about, done=[f"{kind}:{about}"], progress=False))

    def _look_after(self, state: RunState, wait: str) -> None:
        """A card that nobody comes across any more is owed once more, further down."""
        card = self._card(state, wait)
        commit = Commit(state.id, done=[f"look:{wait}"], progress=False)
        if state.waits[wait].answer is None and not card.is_in_view():
            commit.due = {f"card:{wait}": str(card.latest + 1)}
        self._door.commit(commit)

    def _card(self, state: RunState, wait: str) -> Card:
        return Card(self._services, self._door, state, self._services.replies(self._thread, state.id), wait)

    def _state_of(self, kind: str, about: str) -> RunState | None:
        if kind == "waiting":
            return self._runs.get(about)
        return next((state for state in self._runs.values() if about in state.waits), None)

    def _say_waiting(self, state: RunState) -> None:
        """The reply says that its run waits, while it does."""
        post = self._reply_of(state)
        if state.status == "waiting":
            progress = Progress(self._services.clock, state, active_before=0.0, resumed=False, queued=0)
            view = progress.view("waiting")
            post.edit(view)
            Signs(self._services.clock, post).end(view)
        self._door.commit(Commit(state.id, done=[f"waiting:{state.id}"], progress=False))

    def _reply_of(self, state: RunState) -> Post:
        found = self._posts.get(state.id)
        if found is None:
            reply = self._services.replies(self._thread, state.id)
            ledger = Ledger(self._services, self._door, state)
            found = Post(self._services, self._door, ledger, state, reply, "reply", mine=False)
        return found
