"""A pool whose work is trivial: `python pool_process.py URL WORKERS GRACE`.

A thread named `…/hold` is held until the process drains, `…/ignore` until it is killed; any other ends at once.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading

from store.errors import RunLeaseHeldError
from store.redis import open_store
from store.redis.connection import for_tenure, for_wakes
from store.system import SystemClock, SystemIds, SystemThreads
from worker.drain import Drain
from worker.process import owner
from worker.process.job import Work
from worker.process.pool import Makers, Pool

clock, ids, threads = SystemClock(), SystemIds(), SystemThreads()


def main(url: str, workers: str, grace: str) -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(process)d %(levelname)s %(message)s")
    logging.getLogger("rq.worker").setLevel(logging.WARNING)

    def work_with(drain: Drain) -> Work:
        redis = for_tenure(url)
        store = open_store(redis, clock, ids)

        def work(thread: str) -> None:
            try:
                lease = store.leases.claim(thread, owner.token(ids)).lease
            except RunLeaseHeldError:
                redis.rpush("held", thread)
                return
            redis.rpush("began", json.dumps([thread, os.getpid(), clock.boottime()]))
            kind = thread.rpartition("/")[2]
            while (kind == "hold" and not drain.begun) or kind == "ignore":
                threads.sleep(0.002)
            if kind == "fail":
                raise RuntimeError("on purpose")
            if kind == "stray":
                threading.Timer(30, lambda: None).start()
            store.leases.release(lease, idle=False, look_again=60)
            redis.rpush("ended", json.dumps([thread, os.getpid(), clock.boottime()]))

        return work

    makers = Makers(lambda: for_wakes(url), lambda: open_store(for_tenure(url), clock, ids), work_with)
    return Pool(makers, clock, ids, threads, int(workers), float(grace), sweep_interval=0.2).run()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
