"""Open questions come back: on every connection their cards are looked for in their threads."""

from __future__ import annotations

import logging
from collections.abc import Callable

from store.errors import StoreUnavailableError
from store.protocol import Waits

MOST = 50
"""Cards that one connection asks for; the sweep asks for the others, in time."""

log = logging.getLogger(__name__)


class Recall:
    """Asks, and rings: whether a card is in view is for the owner of its thread to find out.

    unseen: seconds for which a card counts as looked after, however often we connect.
    """

    def __init__(self, team: str, waits: Waits, ring: Callable[[str], None], unseen: float) -> None:
        self._team, self._waits, self._ring, self._unseen = team, waits, ring, unseen
        self._seen = 0

    def look(self, connection: int) -> None:
        """connection: counts our connections to Slack, 0 while there is none. Each is looked at once."""
        if not connection or connection == self._seen:
            return
        try:
            threads = dict.fromkeys(self._waits.recall(self._team, unseen=self._unseen, limit=MOST))
        except StoreUnavailableError as error:
            log.info("open questions are looked for when the store is back: %s", error)
            return
        self._seen = connection
        for thread in threads:
            self._ring(thread)
        if threads:
            log.info("connected: open questions are looked for in %d threads", len(threads))
