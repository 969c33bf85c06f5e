"""A wake: a hint, in RQ's queue, that somebody should try to claim a thread."""

from __future__ import annotations

import logging
from typing import Any

from rq import Queue
from rq.worker import BaseWorker, WorkerStatus

QUEUE = "everthread"
"""The only queue: a process that listens to two loses jobs when it is killed between them."""
SERIALIZER = "json"
WORK = "worker.process.job.work"
WAKE_TTL = 3600
"""Seconds a wake that nobody took stays: the sweep rings again anyway."""
FAILURE_TTL = 3600

log = logging.getLogger(__name__)


class Wake:
    """Rings through RQ. redis: a client in bytes, as patient as its caller may be."""

    def __init__(self, redis: Any) -> None:
        self._queue = queue(redis)

    def ring(self, thread: str) -> bool:
        """Whether the hint was left. It never raises: what is owed is in the store, and the sweep rings for it."""
        try:
            self._queue.enqueue_call(
                WORK, args=(thread,), timeout=-1, result_ttl=0, failure_ttl=FAILURE_TTL, ttl=WAKE_TTL
            )
        except Exception as error:
            log.warning("wake not left thread=%s cause=%r", thread, str(error) or type(error).__name__)
            return False
        return True


def queue(redis: Any) -> Queue:
    return Queue(QUEUE, connection=redis, serializer=SERIALIZER)


def free_workers(redis: Any) -> int:
    """How many workers of all pools say they are idle; for a sweep that has no pool of its own."""
    workers = BaseWorker.all(queue=queue(redis), serializer=SERIALIZER)
    return sum(worker.get_state() in (WorkerStatus.IDLE, WorkerStatus.STARTED) for worker in workers)
