"""The desk from outside: what the command line needs of it, and nothing that only a bot or a worker needs."""

from __future__ import annotations

from everthread.desk.desk import OperatorsDesk
from everthread.desk.target import team_of
from everthread.settings import Settings
from store.redis import open_store
from store.redis.connection import for_bot, for_bot_wakes
from store.system import SystemClock, SystemIds

_DAY = 86_400.0


def desk_of(settings: Settings, team: str) -> OperatorsDesk:
    """team: the workspace, "" where there is only one. `UnknownTargetError`, or `StoreUnavailableError` within 2 s."""
    url = settings.redis_url.get_secret_value() if settings.redis_url else ""
    verify, clock = settings.verify_tls, SystemClock()
    redis = for_bot(url, verify=verify)
    store = open_store(redis, clock, SystemIds(), lease=settings.lease, keep=settings.keep_days * _DAY)

    def ring(thread: str) -> None:
        from worker.process.wake import Wake  # only an order rings

        Wake(for_bot_wakes(url, verify=verify)).ring(thread)

    return OperatorsDesk(store, team_of(store, team), clock, settings, ring)
