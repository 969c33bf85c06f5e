"""Signs of life beside a run's reply: cheap, so that people see what it does also while edits are scarce."""

from __future__ import annotations

import logging

from store.errors import StoreUnavailableError
from store.ports import Clock, ReplyError, Sign
from store.view import RunView
from worker.post import Post

log = logging.getLogger(__name__)

LEAST = 3.0
"""Seconds between two status lines of one run."""
RENEW = 60.0
"""Seconds after which it is said again: Slack drops a status after two minutes."""


class Signs:
    """One run's signs. Whatever becomes of them never troubles the run, and what is lacking is not asked for again."""

    def __init__(self, clock: Clock, post: Post) -> None:
        self._clock, self._post = clock, post
        self._doing, self._status = "", ""
        self._said = -RENEW

    def show(self, view: RunView) -> None:
        """Say what is due, if anything is."""
        since = self._clock.boottime() - self._said
        if since >= RENEW or (since >= LEAST and view.doing != self._doing):
            self._doing, self._said = view.doing, self._clock.boottime()
            self._show("line", view)
        if view.status != self._status and self._show("session", view):
            self._status = view.status

    def end(self, view: RunView) -> None:
        """Say that the run is not at work any more."""
        self._show("line", view)
        self._show("session", view)

    def _show(self, sign: Sign, view: RunView) -> bool:
        """Whether it is shown, or can never be."""
        try:
            self._post.sign(sign, view)
        except (ReplyError, StoreUnavailableError) as error:
            log.debug("a sign of life is left out: %s", error)
            return False
        return True
