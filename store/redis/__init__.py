"""The store on Redis or Valkey, and over fakeredis for tests: the same code."""

from __future__ import annotations

from redis import Redis

from store.ports import Clock, Ids
from store.protocol import Store
from store.redis.admissions import RedisAdmissions
from store.redis.inventory import RedisInventory
from store.redis.leases import RedisLeases
from store.redis.log import RedisLog
from store.redis.scripts import Scripts
from store.redis.waits import RedisWaits
from store.redis.workspace import RedisWorkspace

KEEP_FINISHED = 30 * 86_400.0


def open_store(
    redis: Redis,
    clock: Clock,
    ids: Ids,
    *,
    blocking: Redis | None = None,
    lease: float = 15.0,
    keep: float = KEEP_FINISHED,
) -> Store:
    """The store behind one connection pool; `blocking` is a second client whose reads may wait.

    lease: seconds. keep: seconds that a finished thread and its outcomes stay.
    """
    scripts = Scripts(redis)
    return Store(
        admissions=RedisAdmissions(scripts, clock, keep),
        leases=RedisLeases(scripts, clock, ids, blocking or redis, lease, keep),
        log=RedisLog(scripts, clock, keep),
        inventory=RedisInventory(scripts),
        workspace=RedisWorkspace(scripts, clock, ids),
        waits=RedisWaits(scripts),
    )
