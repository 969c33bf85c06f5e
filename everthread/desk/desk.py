"""The operator's verbs over one workspace of a store: `store.desk.Desk` as the console and the bot use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from everthread.desk.effective import effective
from everthread.desk.inspection import inspect
from everthread.desk.listing import Listing
from everthread.desk.orders import Orders
from everthread.desk.reasons import why
from everthread.desk.subject import find
from everthread.settings import Settings
from store.desk import Done, Inspection, RunPage, Setting, Spending, WaitRows, Why
from store.ports import Clock
from store.protocol import Store

LISTEN = "listen:"
"""What a chosen listening mode is kept under, before its channel."""


class OperatorsDesk:
    """ring: wakes a worker for a thread, and never raises."""

    def __init__(
        self, store: Store, team: str, clock: Clock, settings: Settings, ring: Callable[[str], object]
    ) -> None:
        self._store, self._team, self._clock, self._settings = store, team, clock, settings
        self._listing = Listing(store, team, clock)
        self._orders = Orders(store, ring)

    def runs(self, *, cursor: str | None = None, limit: int = 20) -> RunPage:
        return self._listing.owed(cursor, limit)

    def runs_of(self, user: str, *, limit: int = 10) -> RunPage:
        return self._listing.of(user, limit)

    def waits_for(self, who: Sequence[str], *, limit: int = 10) -> WaitRows:
        return self._listing.waiting(who, limit)

    def why(self, target: str) -> Why:
        return why(find(self._store, self._team, target), self._clock.now(), self._settings.fruitless_resumes)

    def inspect(self, target: str) -> Inspection:
        return inspect(find(self._store, self._team, target), self._clock.now())

    def asker(self, target: str) -> str:
        return find(self._store, self._team, target).asker

    def stop(self, target: str, by: str) -> Done:
        return self._orders.stop(find(self._store, self._team, target), by)

    def resume(self, target: str, by: str, *, force: bool = False) -> Done:
        return self._orders.resume(find(self._store, self._team, target), by, force=force)

    def heal(self, target: str, by: str) -> Done:
        return self._orders.heal(find(self._store, self._team, target), by)

    def usage(self) -> Spending:
        today = datetime.fromtimestamp(self._clock.now(), UTC).date()
        spent = self._store.workspace.spent(self._team, today.day)
        days = tuple((str(today - timedelta(days=back)), micros) for back, micros in enumerate(spent))
        calls = self._store.workspace.calls(self._team).items()
        return Spending(
            limit=round(self._settings.daily_spend * 1_000_000),
            days=days,
            calls=tuple((kind, made, most) for kind, (made, most) in calls),
        )

    def settings(self) -> Sequence[Setting]:
        chosen = self._store.workspace.all_chosen(self._team).items()
        modes = {name.removeprefix(LISTEN): mode for name, mode in chosen if name.startswith(LISTEN)}
        return list(effective(self._settings, modes))

    def listening(self, channel: str) -> str | None:
        return self._store.workspace.chosen(self._team, LISTEN + channel)

    def listen(self, channel: str, mode: str | None) -> None:
        self._store.workspace.choose(self._team, LISTEN + channel, mode)
