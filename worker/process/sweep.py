"""The sweep: rings for what is owed and nobody works on. It runs nothing itself."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from store.errors import EverthreadError
from store.ports import Event
from store.protocol import Store

PAGE = 32
RINGS_PER_FREE_WORKER = 2
UNSEEN, RECALLS = 6 * 3600.0, 1
"""Seconds after which an open question's card is looked for though nothing connected, and how many a pass: each costs
one reading call to Slack, of which a workspace has 50 a minute."""

log = logging.getLogger(__name__)


class Sweep:
    """One pass after the other over every workspace.

    ring: leaves a wake. free: workers that could take one now. alive: whether this pool has workers; then it is
    seen, under `name`. teams: workspaces to be seen in before anybody wrote there.
    """

    def __init__(
        self,
        store: Store,
        ring: Callable[[str], bool],
        free: Callable[[], int],
        *,
        alive: Callable[[], bool] = lambda: False,
        name: str = "",
        teams: Sequence[str] = (),
    ) -> None:
        self._store, self._ring, self._free = store, ring, free
        self._alive, self._name, self._teams = alive, name, teams
        self._said = ""

    def run(self, stop: Event, interval: float) -> None:
        """Pass at once, then every `interval` seconds until `stop` is set."""
        self.once()
        while not stop.wait(interval):
            self.once()

    def once(self) -> int:
        """One pass; how many threads were rung. A fault of one workspace leaves the others their turn."""
        rings = left = RINGS_PER_FREE_WORKER * self._free()
        try:
            teams = sorted({*self._store.inventory.teams(), *self._teams})
        except EverthreadError as error:
            self._say(str(error))
            return 0
        for team in teams:
            try:
                left -= self._pass(team, left)
            except Exception as error:  # a sweep that ends takes every recovery with it
                self._say(f"{team}: {error}")
            else:
                self._said = ""
        return rings - left

    def _pass(self, team: str, rings: int) -> int:
        if self._alive():
            self._store.inventory.seen_worker(team, self._name)
        # What is asked for here is owed from now on, so this pass or the next one rings for it.
        self._store.waits.recall(team, unseen=UNSEEN, limit=RECALLS)
        threads = self._store.inventory.sweep(team, PAGE, rings)
        return sum(self._ring(thread) for thread in threads)

    def _say(self, cause: str) -> None:
        """Once per cause in a row, not every two seconds."""
        if cause != self._said:
            self._said = cause
            log.warning("sweep could not look cause=%r", cause)
