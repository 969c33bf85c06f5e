"""A tenure's one way out: every commit and every call to the outside passes its lease here."""

from __future__ import annotations

from collections.abc import Callable, Set

from store.errors import RunStopped, StaleEpochError, StoreUnavailableError, TenureOver
from store.lease import Commit, Lease, Stop
from store.ports import Cut
from worker.services import Services

MARGIN = 1.0
"""Seconds before the lease's end after which no call begins: clocks are read before the call leaves."""
RENEW_BELOW = 6.0
"""Seconds of lease left under which the store is asked before a call to the outside begins."""
RETRY_PAUSE = 0.2


def _nobody_asks(_queued: int) -> None:
    """Where no run is at work."""


class Door:
    """Holds the lease of one tenure. Safe to use from several threads; refuses everything once closed.

    stops: who asked to stop which run. cuts: the streams that run now, each with its run. queued: told at each
    renewal how many inputs wait. spent: micro-dollars of the workspace today, as of the last commit. fruitless: earlier
    tenures died here, so the first progress has to reset their count. contested: an earlier owner may live on, unknown
    to us.
    """

    def __init__(
        self, services: Services, lease: Lease, stops: dict[str, Stop], spent: int, *, fruitless: bool
    ) -> None:
        self._services, self.lease = services, lease
        self.stops, self.spent = stops, spent
        self.cuts: dict[Cut, str] = {}
        self.queued: Callable[[int], None] = _nobody_asks
        self._fruitless = fruitless
        self.contested = False
        self._closed = False
        self._lost: StaleEpochError | None = None

    @property
    def lost(self) -> bool:
        return self._lost is not None

    def close(self) -> None:
        """From now on stragglers of this tenure reach nobody."""
        self._closed = True

    def lose(self, error: StaleEpochError) -> None:
        """The lease is somebody else's: everything after this is refused, also what is running now."""
        self._lost = error
        self._cut()

    def stop_of(self, run: str) -> Stop | None:
        return self.stops.get(run)

    def hear(self, stops: dict[str, Stop]) -> None:
        """Take note of who asked to stop what; the stream of a run that is to stop is cut at once."""
        if fresh := stops.keys() - self.stops.keys():
            self.stops.update(stops)
            self._cut(fresh)

    def check(self, run: str) -> None:
        """Nothing new may start for this run when the tenure is over, its lease lost, or somebody pressed Stop."""
        self.check_lease()
        if run in self.stops:
            raise RunStopped(run)

    def commit(self, commit: Commit) -> None:
        """Make one transition durable; an answer that is lost is asked for again while the lease lasts."""
        while True:
            self.check_lease()
            commit.progress = commit.progress and self._fruitless
            try:
                done = self._services.store.log.commit(self.lease, commit)
                self._fruitless = self._fruitless and not commit.progress
            except StaleEpochError as error:
                self.lose(error)
                raise
            except StoreUnavailableError:
                if self._left() < MARGIN:
                    raise
                self._services.threads.sleep(RETRY_PAUSE)
            else:
                if done.spent is not None:
                    self.spent = done.spent
                if done.stop is not None:
                    self.hear({done.stop.run: done.stop})
                return

    def renew(self) -> None:
        self.check_lease()
        try:
            renewal = self._services.store.leases.renew(self.lease)
        except StaleEpochError as error:
            self.lose(error)
            raise
        self.hear(dict(renewal.stops))
        self.queued(renewal.queued)

    def allowance(self, wanted: float) -> float:
        """Seconds a call to the outside may take, at most `wanted`: it ends before the lease does."""
        self.check_lease()
        if self._left() < RENEW_BELOW:
            self.renew()
        left = self._left() - MARGIN
        if left <= 0:
            error = StaleEpochError(self.lease.thread, self.lease.epoch)
            self.lose(error)
            raise error
        return min(wanted, left)

    def _cut(self, of: Set[str] | None = None) -> None:
        for cut, run in list(self.cuts.items()):
            if of is None or run in of:
                cut.fire()

    def _left(self) -> float:
        return self.lease.until - self._services.clock.boottime()

    def check_lease(self) -> None:
        """Raise what ended this tenure, if anything did."""
        if self._closed:
            raise TenureOver(self.lease.thread)
        if self._lost is not None:
            raise self._lost
