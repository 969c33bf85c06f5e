"""Ends the leases of processes that died, and rings for the threads they held. Lives for milliseconds."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from store.errors import StoreUnavailableError
from store.protocol import Leases

log = logging.getLogger(__name__)


def bury(leases: Leases, ring: Callable[[str], bool], owners: Sequence[str]) -> int:
    """The number of threads freed. owners: what the dead processes' owner names begin with.

    With the store away nothing happens: the leases lapse by themselves.
    """
    freed = 0
    for owner in owners:
        try:
            threads = leases.bury(owner)
        except StoreUnavailableError as error:
            log.warning("leases of a dead worker not freed owner=%s cause=%r", owner, str(error))
            continue
        for thread in threads:
            ring(thread)
            log.info("lease of a dead worker freed thread=%s owner=%s", thread, owner)
        freed += len(threads)
    return freed
