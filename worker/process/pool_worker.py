"""One worker process of the pool: an RQ worker that runs jobs in its own process and ends when it is asked to."""

from __future__ import annotations

import copy
import logging
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.queue import Queue
from rq.timeouts import TimerDeathPenalty
from rq.utils import now

from worker.process.wake import SERIALIZER, queue

WORKER_TTL = 60
"""RQ blocks for 15 s less than this at a time; a worker that was killed is forgotten a minute later."""
JOB_TTL = 86_400
"""Nothing beats in RQ while a job runs here, so its entry must outlast any tenure; leases are what decides."""
MOST_MEGABYTES = 512

log = logging.getLogger(__name__)


class PoolWorker(SimpleWorker):
    """Takes wakes off the one queue, one after the other.

    redis: in bytes, patient. tell: called with True when a job begins and False when it ends. RQ's own schedulers,
    alarms and command channel stay off; a request to end only sets a flag, unless the process merely waits.
    """

    death_penalty_class = TimerDeathPenalty  # no alarm signal: jobs have no time limit in RQ
    log_result_lifespan = False

    def __init__(
        self,
        redis: Any,
        name: str,
        tell: Callable[[bool], None],
        most_megabytes: int = MOST_MEGABYTES,
    ) -> None:
        super().__init__(
            [queue(redis)],
            name=name,
            connection=redis,
            serializer=SERIALIZER,
            worker_ttl=WORKER_TTL,
            log_job_description=False,
        )
        self._tell, self._most_megabytes = tell, most_megabytes
        self._waits = False
        self.last_cleaned_at = now()  # type: ignore[assignment]  # the first wake is not kept waiting for a clean-up

    def request_stop(self, _signum: int, _frame: FrameType | None) -> None:
        """The handler of SIGTERM and SIGINT. A wake just taken off the queue may be lost: it was a hint."""
        self._stop_requested = True
        if self._waits:
            self._waits = False
            raise StopRequested

    def dequeue_job_and_maintain_ttl(
        self, timeout: int | None, max_idle_time: int | None = None
    ) -> tuple[Job, Queue] | None:
        self._waits = True
        try:
            if self._stop_requested:
                raise StopRequested
            return super().dequeue_job_and_maintain_ttl(timeout, max_idle_time)
        finally:
            self._waits = False

    def execute_job(self, job: Job, queue: Queue) -> None:
        before = threading.enumerate()
        self._tell(True)
        super().execute_job(job, queue)
        self._tell(False)
        if why := self._spent(before):
            log.warning("worker ends after this job why=%r", why)
            self._stop_requested = True

    def get_heartbeat_ttl(self, _job: Job, working_time: float = 0.0) -> int:  # noqa: ARG002 - RQ's signature
        return JOB_TTL

    def teardown(self) -> None:
        """Say goodbye, once: a server that is away must not hold up the end."""
        retry = copy.deepcopy(self.connection.get_retry())
        if retry is not None:
            retry.update_retries(0)
            self.connection.set_retry(retry)
        with suppress(Exception):
            super().teardown()  # type: ignore[no-untyped-call]

    def subscribe(self) -> None:
        """No thread and no connection for RQ's commands: a run is stopped through the store."""

    def _install_signal_handlers(self) -> None:
        """They are installed before, by `signals.watch`."""

    def _spent(self, before: Sequence[object]) -> str:
        """Why this process should not take another job, or ''."""
        strays = [t.name for t in threading.enumerate() if t not in before and _outlives(t)]
        if strays:
            return f"threads left behind: {', '.join(strays)}"
        if children := _children():
            return f"processes left behind: {children}"
        if (megabytes := _resident_megabytes()) > self._most_megabytes:
            return f"grew to {megabytes} MB"
        return ""


def _outlives(thread: threading.Thread) -> bool:  # noqa: TID251 - it looks at one, it starts none
    """A tool call that the tenure did not wait for, or a thread that a tool started; idle ones end at once."""
    if thread.name.startswith("call-"):
        thread.join(0.2)
        return thread.is_alive()
    return not thread.daemon


def _children() -> str:
    """The pids of this process' children, by /proc; '' where there are none or it cannot be told."""
    lists = Path("/proc/self/task").glob("*/children")
    return " ".join(pids for file in lists if (pids := file.read_text(encoding="ascii").strip()))


def _resident_megabytes() -> int:
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return 0
    pages = int(statm.read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20
