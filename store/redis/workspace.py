"""Small facts per workspace: today's spending, tool state, what Slack says about people."""

from __future__ import annotations

from typing import Any, get_args

from redis import Redis

from store.ports import Clock
from store.protocol import Person
from store.redis.keyspace import DAY, PERSON_TTL, workspace
from store.redis.leases import spent_key
from store.redis.scripts import answered

PEOPLE: tuple[Person, ...] = get_args(Person)


class RedisWorkspace:
    """`store.protocol.Workspace` on Redis."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis, self._clock = redis, clock

    def spent_today(self, team: str) -> int:
        return int(answered(lambda: self._redis.get(spent_key(team, self._clock))) or 0)

    def state(self, team: str, name: str, last: int = 100) -> list[str]:
        key = workspace(team, f"state:{name}")
        return [str(entry) for entry in answered(lambda: self._redis.lrange(key, -last, -1))]

    def person(self, team: str, user: str) -> Person | None:
        found = answered(lambda: self._redis.get(workspace(team, f"person:{user}")))
        return next((kind for kind in PEOPLE if kind == found), None)

    def know(self, team: str, people: dict[str, Person]) -> None:
        def remember() -> Any:
            with self._redis.pipeline(transaction=False) as together:
                for user, kind in people.items():
                    together.set(workspace(team, f"person:{user}"), kind, ex=PERSON_TTL)
                return together.execute()

        answered(remember)

    def refuse_once(self, team: str, user: str) -> bool:
        key = workspace(team, f"refused:{user}")
        return bool(answered(lambda: self._redis.set(key, "1", ex=DAY, nx=True)))
