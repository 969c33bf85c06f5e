"""Small facts per workspace: today's spending, tool state, what Slack says about people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from store.ports import Clock, Ids
from store.protocol import Person, SlackCall, Turn
from store.redis.keyspace import DAY, PERSON_TTL, workspace
from store.redis.leases import spent_key
from store.redis.scripts import Scripts, answered


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `most` calls within `per` seconds; those that are not urgent keep `apart` seconds from each other."""

    most: int
    per: float = 60.0
    apart: float = 0.0


RATES: dict[SlackCall, Rate] = {
    "edit": Rate(48, apart=1.3),
    "post": Rate(1, per=1.1, apart=1.1),
    "read": Rate(48),
    "status": Rate(580),
    "session": Rate(48),
}
"""Slack's tiers (docs.slack.dev, rate limits: 50 a minute, one post a second and channel, 600 statuses a minute), less
a little for clocks that differ."""
PROGRESS_SLACK, URGENT_SLACK = 1.1, 0.4
"""Seconds, times the runs at work, that an edit may wait before it goes ahead of later ones (REPLY-3)."""
PROBE = 60.0

PEOPLE: tuple[Person, ...] = get_args(Person)


class RedisWorkspace:
    """`store.protocol.Workspace` on Redis."""

    def __init__(self, scripts: Scripts, clock: Clock, ids: Ids) -> None:
        self._scripts, self._clock, self._ids = scripts, clock, ids
        self._redis = scripts.redis

    def spent_today(self, team: str) -> int:
        return int(answered(lambda: self._redis.get(spent_key(team, self._clock))) or 0)

    def spent(self, team: str, days: int) -> Sequence[int]:
        today = int(self._clock.now() // DAY)
        keys = [workspace(team, f"spent:{today - back}") for back in range(days)]
        return [int(found or 0) for found in answered(lambda: self._redis.mget(keys))]

    def calls(self, team: str) -> Mapping[SlackCall, tuple[int, int]]:
        kinds = [kind for kind in RATES if kind != "post"]
        seconds, micros = answered(self._redis.time)
        since = int(seconds) * 1000 + int(micros) // 1000 - 60_000

        def count() -> Any:
            with self._redis.pipeline(transaction=False) as together:
                for kind in kinds:
                    together.zcount(workspace(team, f"calls:{kind}"), since, "+inf")
                return together.execute()

        return {kind: (int(made), RATES[kind].most) for kind, made in zip(kinds, answered(count), strict=True)}

    def chosen(self, team: str, name: str) -> str | None:
        found = answered(lambda: self._redis.hget(workspace(team, "chosen"), name))
        return None if found is None else str(found)

    def all_chosen(self, team: str) -> Mapping[str, str]:
        found: Mapping[str, str] = answered(lambda: self._redis.hgetall(workspace(team, "chosen")))
        return found

    def choose(self, team: str, name: str, value: str | None) -> None:
        key = workspace(team, "chosen")
        answered(lambda: self._redis.hdel(key, name) if value is None else self._redis.hset(key, name, value))

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

    def take_turn(self, team: str, call: SlackCall, holder: str, *, urgent: bool, place: str = "") -> Turn:
        rate, what = RATES[call], _what(call, place)
        names = [f"{name}:{what}" for name in ("calls", "line", "back", "lane", "paused")]
        keys = [workspace(team, name) for name in (*names, "barred", "probe", "held")]
        slack = URGENT_SLACK if urgent else PROGRESS_SLACK
        times = [_ms(rate.per), _ms(rate.apart), int(urgent), _ms(slack)]
        member = self._ids.new("turn")
        wait, active, trial = self._scripts.run("take_turn", keys, [rate.most, *times, holder, member, _ms(PROBE)])
        return Turn(int(wait) / 1000, int(active), bool(int(trial)), member)

    def end_turn(self, team: str, call: SlackCall, turn: Turn, place: str = "") -> None:
        key = workspace(team, f"calls:{_what(call, place)}")
        self._scripts.run("end_turn", [key], [turn.id, _ms(RATES[call].per)])

    def pause_turns(self, team: str, call: SlackCall, seconds: float, place: str = "") -> None:
        key = workspace(team, f"paused:{_what(call, place)}")
        answered(lambda: self._redis.set(key, "1", px=max(1, _ms(seconds))))

    def bar(self, team: str) -> None:
        def both() -> Any:
            with self._redis.pipeline(transaction=False) as together:
                together.set(workspace(team, "barred"), "1", ex=DAY)
                together.set(workspace(team, "probe"), "1", px=_ms(PROBE))
                return together.execute()

        answered(both)

    def unbar(self, team: str) -> None:
        answered(lambda: self._redis.delete(workspace(team, "barred"), workspace(team, "probe")))

    def recent(self, team: str, since: float) -> list[str]:
        key = workspace(team, "recent")
        return [str(thread) for thread in answered(lambda: self._redis.zrangebyscore(key, int(since * 1000), "+inf"))]

    def caught_up(self, team: str) -> tuple[float, float] | None:
        found = answered(lambda: self._redis.get(workspace(team, "caught_up")))
        if found is None:
            return None
        began, until = map(float, found.split())
        return began, until

    def catch_up_to(self, team: str, at: float) -> None:
        began, until = self.caught_up(team) or (at, 0.0)
        if at > until:
            answered(lambda: self._redis.set(workspace(team, "caught_up"), f"{began:.6f} {at:.6f}"))

    def refuse_once(self, team: str, user: str) -> bool:
        key = workspace(team, f"refused:{user}")
        return bool(answered(lambda: self._redis.set(key, "1", ex=DAY, nx=True)))


def _what(call: SlackCall, place: str) -> str:
    return f"{call}.{place}" if place else call


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
