"""Catching up: what people said while nothing of ours listened is taken in as if it came now."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

from bot.heard import edited_at
from bot.history import History
from bot.identity import Identity
from store.errors import StoreUnavailableError
from store.ports import Clock, ReplyError, Threads
from store.protocol import Workspace

MARGIN = 600.0
"""Seconds before a gap that are read again: Slack tries for 6 minutes, so what came then may have failed."""
APART = 60.0
"""Seconds between two notes that nothing was missed, and, unless set otherwise, between two readings."""
POLL = 1.0

Json = dict[str, Any]
Deliver = Callable[[Json], bool]
"""Hands a payload to the listeners, as Slack does; whether it was acknowledged."""

log = logging.getLogger(__name__)


class CatchUp:
    """Notes until when nothing was missed, and reads Slack's history from there on after every connection.

    It has a thread of its own, so no acknowledgement waits for it. What was taken in before is known by its key, so
    it may read anything twice. deliver: set it to what hands a payload to the app. beside: set it to what else looks at
    our connections. apart: seconds between readings.
    """

    def __init__(
        self,
        me: Identity,
        workspace: Workspace,
        history: History,
        clock: Clock,
        threads: Threads,
        apart: float = APART,
    ) -> None:
        self._me, self._workspace, self._history = me, workspace, history
        self._clock, self._threads, self._apart = clock, threads, apart
        self.deliver: Deliver = _nowhere
        self.beside: Callable[[int], None] = _nothing
        self._over = threads.event()
        self._failing_since: float | None = None
        self._caught, self._not_before, self._noted = 0, 0.0, 0.0

    def missed(self) -> None:
        """A payload could not be taken: whoever sends it again may give up before it can."""
        self._failing_since = self._failing_since or self._clock.now()

    def start(self, connection: Callable[[], int]) -> None:
        """connection: counts our connections to Slack, 0 while there is none."""

        def watch() -> None:
            self.begin()
            while not self._over.wait(POLL):
                try:
                    now = connection()
                    self.beside(now)
                    self.look(now)
                except Exception:
                    self.missed()
                    log.exception("catching up failed; it is tried again")

        self._threads.start("catch-up", watch)

    def begin(self) -> None:
        """The first start of all begins the time in which nothing may be missed."""
        try:
            if self._workspace.caught_up(self._me.team) is None:
                self._workspace.catch_up_to(self._me.team, self._clock.now())
        except StoreUnavailableError as error:
            log.warning("what is said from now on may be missed until the store is back: %s", error)

    def stop(self) -> None:
        self._over.set()

    def look(self, connection: int) -> None:
        """Read the history where something may have been missed, not too often; else note that nothing was."""
        now = self._clock.boottime()
        if not connection:
            return
        if connection != self._caught or self._failing_since is not None:
            if now >= self._not_before:
                self._not_before = now + self._apart
                if self._read():
                    self._caught, self._noted = connection, now
        elif now >= self._noted + APART:
            self._noted = now
            self._note()

    def _note(self) -> None:
        try:
            self._workspace.catch_up_to(self._me.team, self._clock.now())
        except StoreUnavailableError:
            self.missed()

    def _read(self) -> bool:
        failing_since, self._failing_since = self._failing_since, None
        now, taken = self._clock.now(), 0
        try:
            known = self._workspace.caught_up(self._me.team)
            if known is not None:
                began, until = known
                since = max(began, min(until, failing_since or until) - MARGIN)
                for message in self._history.since(since):
                    if self._over.is_set():
                        return False
                    taken += 1
                    for event in _events(message, since):
                        if not self.deliver(self._payload(event)):
                            raise StoreUnavailableError(f"the message {message['ts']} could not be taken in")
            self._workspace.catch_up_to(self._me.team, now)
        except (StoreUnavailableError, ReplyError) as error:
            self._failing_since = failing_since or now
            log.warning("what was said meanwhile is read again later: %s", error)
            return False
        log.info("caught up with Slack's history: %d messages read", taken)
        return True

    def _payload(self, event: Json) -> Json:
        team = self._me.team
        return {
            "type": "event_callback",
            "team_id": team,
            "authorizations": [{"team_id": team, "user_id": self._me.user, "is_bot": True}],
            "event": event,
        }


def _nothing(_connection: int) -> None:
    return None


def _nowhere(_body: Json) -> bool:
    raise RuntimeError("a catch-up hands messages to an app: set `deliver` first")


def _events(message: Any, since: float) -> Iterator[Json]:
    """The events of a message that was said, and perhaps edited, while we were away."""
    channel = message["channel"]
    if (at := edited_at(message)) and float(at) > since:
        changed = {"type": "message", "subtype": "message_changed", "message": message}
        yield {**changed, "channel": channel, "ts": at, "event_ts": at, "hidden": True}
    yield {**message, "type": "message", "event_ts": message["ts"]}
