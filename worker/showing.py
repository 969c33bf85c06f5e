"""Keeps a run's reply up to date while the run works: whole states, coalesced, on a thread of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable

from store.errors import ControlFlow, StoreUnavailableError
from store.ports import Event, ReplyError
from store.view import RunView
from worker.post import Post
from worker.progress import Progress
from worker.services import Services
from worker.signs import LEAST, Signs

log = logging.getLogger(__name__)

IDLE_EDIT = 10.0
"""Seconds after which the reply is written anew although nothing changed: for the elapsed time, and over the late
edits of an owner that we took over from (LEASE-4)."""
BETWEEN_EDITS = 1.2
"""Seconds between two edits of one run, also while nobody else needs the budget."""
PASSING = ("busy", "lost", "credentials")
INSTANT = 0.001
FIRST = 5.0
"""Seconds for which what comes below the reply waits for it to be posted."""
PAUSE = 10.0
"""Seconds until it is tried again where nobody said when; a refused token is only tried once a minute anyway."""


class Showing:
    """Posts the reply at once, then edits it when something changed.

    Slack's edits are one budget for the whole workspace, so an edit may have to wait for its turn; what would have
    been shown meanwhile is dropped, never queued. Trouble with Slack never troubles the run: what could not be shown
    here is owed to the delivery.
    """

    def __init__(self, services: Services, post: Post, progress: Progress) -> None:
        self._services, self._post, self._progress = services, post, progress
        self._signs = Signs(services.clock, post)
        self._changed = services.threads.event()
        self._over = services.threads.event()
        self._tried = services.threads.event()
        self._task = services.threads.start("showing", self._show)
        progress.changed, progress.await_reply = self._wake, self._await_first

    def finish(self) -> None:
        """Stop showing; returns once no call of ours to Slack is under way."""
        self._over.set()
        self._progress.changed = lambda: None
        self._changed.set()
        self._task.join()

    def suspend(self) -> None:
        """Stop showing a run that goes on later, and say so beside its thread."""
        self.finish()
        if self._post.stands:
            self._signs.end(self._progress.view("suspended"))

    def _await_first(self) -> None:
        """Let the reply be posted first; where Slack takes its time nothing else is held back for long."""
        self._tried.wait(FIRST)

    def _wake(self) -> None:
        if not self._changed.is_set():
            self._changed.set()

    def _show(self) -> None:
        try:
            self._try(self._post.ensure)
            while not self._over.is_set():
                self._signs.show(self._progress.view())
                self._wait(self._changed, IDLE_EDIT)
                self._changed.clear()
                self._try(self._post.edit)
                self._wait(self._over, BETWEEN_EDITS)
        except ReplyError as error:
            log.warning("the reply cannot be shown while the run works: %s", error)
        except (ControlFlow, StoreUnavailableError) as error:
            log.info("the reply is not shown any more by this process: %s", error)
        finally:
            self._tried.set()

    def _try(self, show: Callable[[RunView], str]) -> None:
        """Show the run as it is, once Slack and the budget let us; each time it is asked, as it is then."""
        while not self._over.is_set():
            try:
                show(self._progress.view())
            except ReplyError as error:
                if error.kind not in PASSING:
                    raise
                self._tried.set()
                self._wait(self._over, error.retry_after or PAUSE)
            else:
                self._tried.set()
                return

    def _wait(self, event: Event, seconds: float) -> None:
        """Wait for it, or so long; meanwhile the signs of life say what the run does, once it has a reply."""
        until = self._services.clock.boottime() + seconds
        left = max(seconds, INSTANT)
        while left >= INSTANT and not event.wait(min(left, LEAST)):
            if self._post.stands:
                self._signs.show(self._progress.view())
            left = until - self._services.clock.boottime()
