"""Small facts per workspace: today's spending, tool state, what Slack says about people."""

from __future__ import annotations

from typing import Any, get_args

from store.ports import Clock, Ids
from store.protocol import EditTurn, Person
from store.redis.keyspace import DAY, PERSON_TTL, workspace
from store.redis.leases import spent_key
from store.redis.scripts import Scripts, answered

EDITS_A_MINUTE = 48
"""Slack allows 50 chat.update a minute and workspace (Tier 3); two are left to clocks that differ."""
RESERVED_EDITS = 12
"""Of these, only questions and final texts may use the last so many (REPLY-3)."""

PEOPLE: tuple[Person, ...] = get_args(Person)


class RedisWorkspace:
    """`store.protocol.Workspace` on Redis."""

    def __init__(self, scripts: Scripts, clock: Clock, ids: Ids) -> None:
        self._scripts, self._clock, self._ids = scripts, clock, ids
        self._redis = scripts.redis

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

    def take_edit(self, team: str, *, urgent: bool) -> EditTurn:
        keys = [workspace(team, name) for name in ("edits", "held", "paused")]
        args = [EDITS_A_MINUTE, RESERVED_EDITS, int(urgent), self._ids.new("edit")]
        wait, active = self._scripts.run("take_edit", keys, args)
        return EditTurn(int(wait) / 1000, int(active))

    def pause_edits(self, team: str, seconds: float) -> None:
        answered(lambda: self._redis.set(workspace(team, "paused"), "1", px=max(1, int(seconds * 1000))))

    def refuse_once(self, team: str, user: str) -> bool:
        key = workspace(team, f"refused:{user}")
        return bool(answered(lambda: self._redis.set(key, "1", ex=DAY, nx=True)))
