"""What RQ calls: one thread's name comes in, and the store says the rest."""

from __future__ import annotations

import logging
from collections.abc import Callable

Work = Callable[[str], object]
"""Work on a thread until nothing is left there, or it is not ours."""

log = logging.getLogger(__name__)


class _Bench:
    """This process' work, built by the first job that needs it: after the fork, so that no socket is shared."""

    make: Callable[[], Work] | None = None
    work: Work | None = None


def equip(make: Callable[[], Work]) -> None:
    """Say how this process gets its services; called once in each process, after the fork."""
    _Bench.make, _Bench.work = make, None


def work(thread: str) -> None:
    """Work on `thread`. Raises nothing: a failure is logged, the run stays owed, and the sweep rings again."""
    try:
        if _Bench.work is None:
            if _Bench.make is None:
                raise RuntimeError("this process was not equipped to work: start it with `everthread worker`")
            _Bench.work = _Bench.make()
        _Bench.work(thread)
    except BaseException:  # RQ would keep the traceback in Redis and nobody would read it
        log.exception("work failed thread=%s", thread)
