"""Keeps a run's reply up to date while the run works: whole states, coalesced, on a thread of its own."""

from __future__ import annotations

import logging

from store.errors import ControlFlow, StoreUnavailableError
from store.ports import ReplyError
from worker.post import Post
from worker.progress import Progress
from worker.services import Services

log = logging.getLogger(__name__)

IDLE_EDIT = 15.0
"""Seconds after which the elapsed time is shown anew although nothing else changed."""


class Showing:
    """Posts the reply at once, then edits it when something changed.

    Slack's edits are one budget for the whole workspace: each run at work paces itself by how many there are, and
    what it would have shown meanwhile is dropped, never queued.
    Trouble with Slack never troubles the run: what could not be shown here is owed to the delivery.
    """

    def __init__(self, services: Services, team: str, post: Post, progress: Progress) -> None:
        self._services, self._team, self._post, self._progress = services, team, post, progress
        self._changed = services.threads.event()
        self._over = services.threads.event()
        self._task = services.threads.start("showing", self._show)
        progress.changed = self._wake

    def finish(self) -> None:
        """Stop showing; returns once no call of ours to Slack is under way."""
        self._over.set()
        self._progress.changed = lambda: None
        self._changed.set()
        self._task.join()

    def _wake(self) -> None:
        self._changed.set()

    def _show(self) -> None:
        try:
            self._post.ensure(self._progress.view())
            while not self._over.is_set():
                self._changed.wait(IDLE_EDIT)
                self._changed.clear()
                self._edit()
        except ReplyError as error:
            log.warning("the reply cannot be shown while the run works: %s", error)
        except (ControlFlow, StoreUnavailableError) as error:
            log.info("the reply is not shown any more by this process: %s", error)

    def _edit(self) -> None:
        if self._over.is_set():
            return
        workspace, least = self._services.store.workspace, self._services.limits.edit_interval
        turn = workspace.take_edit(self._team, urgent=False)
        pause = turn.wait
        if not pause:
            pause = max(least, least * turn.active)
            try:
                self._post.edit(self._progress.view())
            except ReplyError as error:
                if error.kind not in ("busy", "lost"):
                    raise
                if error.retry_after:
                    workspace.pause_edits(self._team, error.retry_after)
                    pause = error.retry_after
        else:
            self._changed.set()
        self._over.wait(pause)
