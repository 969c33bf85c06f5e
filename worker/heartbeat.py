"""Keeps a tenure's lease alive and hears what is signalled to its owner, on a thread of its own."""

from __future__ import annotations

import logging

from store.errors import ControlFlow, StoreUnavailableError
from worker.door import Door
from worker.services import Services

log = logging.getLogger(__name__)


class Heartbeat:
    """Blocks on the owner's signals and renews at each one, at the latest every `renewal` seconds.

    The release of the lease is itself a signal, so this thread ends with its tenure.
    """

    def __init__(self, services: Services, door: Door, lease_seconds: float) -> None:
        self._services, self._door, self._lease_seconds = services, door, lease_seconds
        self._over = False
        self._task = services.threads.start("heartbeat", self._beat)

    def finish(self) -> None:
        """Call it once the lease is released; waits a moment for the thread to end."""
        self._over = True
        self._task.join(0.5)

    def _beat(self) -> None:
        clock, limits = self._services.clock, self._services.limits
        while not self._over:
            began = clock.boottime()
            try:
                signals = self._services.store.leases.signals(self._door.lease, limits.renewal)
                if "over" in signals or self._over:
                    return
                self._door.renew()
            except StoreUnavailableError as error:
                log.warning("thread=%s the lease cannot be renewed: %s", self._door.lease.thread, error)
                self._services.threads.sleep(0.5)
            except ControlFlow as error:
                log.warning("thread=%s %s", self._door.lease.thread, error)
                return
            gap = clock.boottime() - began - limits.renewal
            if gap > self._lease_seconds / 2:
                log.warning(
                    "thread=%s something held this process for %.1f s, more than half a lease: "
                    "a tool that computes that long should be @tool(isolate=True)",
                    self._door.lease.thread,
                    gap,
                )
