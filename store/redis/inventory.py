"""What is owed, and the sweep over it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from store.glance import Glance
from store.protocol import Head, Page
from store.redis.glances import glances
from store.redis.keyspace import TEAMS, thread_keys, workspace
from store.redis.scripts import Refused, Scripts, answered
from store.thread import ThreadId

log = logging.getLogger(__name__)

FIRST_RING_MS, MOST_RING_MS = 2_000, 60_000
"""A thread is rung again only after a delay that doubles from the first to the most (WORK-3)."""


class RedisInventory:
    """`store.protocol.Inventory` on Redis."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts
        self._redis = scripts.redis

    def owed(self, team: str, *, cursor: str | None = None, limit: int = 100) -> Page:
        owed = workspace(team, "owed")
        position, found = answered(lambda: self._redis.zscan(owed, int(cursor or 0), count=limit))
        return Page([str(thread) for thread, _ in found], str(position) if int(position) else None)

    def count(self, team: str) -> int:
        return int(answered(lambda: self._redis.zcard(workspace(team, "owed"))))

    def glances(self, threads: Sequence[str]) -> Sequence[Glance | None]:
        return glances(self._redis, threads)

    def head(self, thread: str) -> Head | None:
        head, order, due, rest, log = thread_keys(thread, "head", "order", "due", "rest", "log")

        def look() -> Any:
            with self._redis.pipeline(transaction=False) as together:
                together.hgetall(head)
                together.zcard(order)
                together.hkeys(due)
                together.hkeys(rest)
                together.llen(log)
                together.time()
                return together.execute()

        fields, queued, due_items, rest_items, length, (seconds, micros) = answered(look)
        if not fields and not queued:
            return None
        left = int(fields.get("lease", 0)) / 1000 - (int(seconds) + int(micros) / 1e6)
        run = fields.get("run", "")
        return Head(
            thread=thread,
            status=fields.get("status", "queued" if queued else ""),
            run=run,
            owner=fields.get("owner", ""),
            lease_left=max(0.0, left),
            queued=int(queued),
            due=due_items,
            rest=rest_items,
            deaths=int(fields.get("deaths", 0)),
            length=int(length),
        )

    def sweep(self, team: str, limit: int, rings: int) -> list[str]:
        owed = workspace(team, "owed")
        seconds, micros = answered(self._redis.time)
        now = int(seconds) * 1000 + int(micros) // 1000
        due = answered(lambda: self._redis.zrangebyscore(owed, "-inf", now, start=0, num=limit))
        to_ring: list[str] = []
        for thread in due:
            if len(to_ring) >= rings:
                break
            if self._look_safely(owed, str(thread), now):
                to_ring.append(str(thread))
        return to_ring

    def _look_safely(self, owed: str, thread: str, now: int) -> bool:
        """A thread whose keys are damaged is put off and stays owed; it never stops the others."""
        try:
            return self.look(thread)
        except (Refused, ValueError) as fault:
            log.error("thread=%s cannot be looked at: %s", thread, fault)
            later = {thread: now + MOST_RING_MS}
            answered(lambda: self._redis.zadd(owed, later))
            return False

    def look(self, thread: str) -> bool:
        team = ThreadId.parse(thread).team
        keys = [*thread_keys(thread, "head", "order", "due", "rest", "stops", "letters"), workspace(team, "owed")]
        return bool(self._scripts.run("look", keys, [thread, FIRST_RING_MS, MOST_RING_MS]) == "RING")

    def teams(self) -> list[str]:
        return sorted(answered(lambda: self._redis.smembers(TEAMS)))

    def seen_worker(self, team: str, worker: str) -> None:
        seconds, _ = answered(self._redis.time)
        key = workspace(team, "workers")

        def note() -> Any:
            with self._redis.pipeline(transaction=False) as together:
                together.zadd(key, {worker: int(seconds)})
                together.zremrangebyscore(key, "-inf", int(seconds) - 3600)
                return together.execute()

        answered(note)

    def last_worker(self, team: str) -> float | None:
        key = workspace(team, "workers")
        newest = answered(lambda: self._redis.zrange(key, -1, -1, withscores=True))
        if not newest:
            return None
        seconds, _ = answered(self._redis.time)
        return max(0.0, float(int(seconds) - newest[0][1]))
