"""What runs wait for, and the answers that people give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from store.protocol import Taken, Taking, Waiting, Waitlist, WaitPage
from store.redis.keyspace import ADMISSION_TTL, thread_keys, workspace
from store.redis.scripts import Scripts, answered
from store.submission import Submission
from store.thread import ThreadId, ts_order
from store.wait import Answer, Wait


class RedisWaits:
    """`store.protocol.Waits` on Redis."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts
        self._redis = scripts.redis

    def answer(self, thread: str, answer: Answer, message: Submission | None = None) -> Taken:
        team = ThreadId.parse(thread).team
        *keys, muted = thread_keys(thread, "head", "waits", "letters", "votes", "signals", "muted")
        keys += [workspace(team, "owed"), workspace(team, "unseen")]
        keys += [workspace(team, f"adm:{message.key}") if message is not None else keys[0], muted]
        admitted = message.admitted if message is not None else ""
        votes = "1" if answer.verdict == "approve" else "0"
        score = ts_order(message.ts) if message is not None else ""
        args = [thread, answer.wait, answer.to_json(), answer.by, votes, admitted, ADMISSION_TTL * 1000, score]
        word, wait, decided, count = self._scripts.run("answer", keys, args)
        return Taken(
            cast("Taking", word.lower()),
            Wait.from_json(wait) if wait else None,
            Answer.from_json(decided) if decided else None,
            int(count),
        )

    def look(self, thread: str, wait: str) -> Waiting | None:
        (key,) = thread_keys(thread, "waits")
        return _waiting(*answered(lambda: self._redis.hmget(key, [wait, f"{wait}.wait", f"{wait}.answer"])))

    def open_in(self, thread: str) -> Sequence[Wait]:
        (key,) = thread_keys(thread, "waits")
        found = answered(lambda: self._redis.hgetall(key))
        waits = [
            Wait.from_json(found[f"{name}.wait"]) for name, header in found.items() if str(header).startswith("open ")
        ]
        return sorted(waits, key=lambda wait: wait.asked)

    def find(self, team: str, wait: str) -> Waiting | None:
        thread = answered(lambda: self._redis.hget(workspace(team, "waiting"), wait))
        return None if thread is None else self.look(str(thread), wait)

    def open(self, team: str, *, cursor: str | None = None, limit: int = 100) -> WaitPage:
        waiting = workspace(team, "waiting")
        position, found = answered(lambda: self._redis.hscan(waiting, int(cursor or 0), count=limit))
        return WaitPage(self._open_ones(found), str(position) if int(position) else None)

    def _open_ones(self, found: Mapping[str, str]) -> list[Wait]:
        """Those that are open among waits with their threads, in that order."""

        def read() -> Any:
            with self._redis.pipeline(transaction=False) as together:
                for wait, thread in found.items():
                    (key,) = thread_keys(thread, "waits")
                    together.hmget(key, [wait, f"{wait}.wait", f"{wait}.answer"])
                return together.execute()

        stands = [_waiting(*row) for row in answered(read)] if found else []
        return [one.wait for one in stands if one is not None and one.state == "open"]

    def open_to(self, team: str, who: Sequence[str], *, limit: int) -> Waitlist:
        keys = [workspace(team, f"open:{one}") for one in who]
        asked: dict[str, float] = {}
        rows = total = 0
        for found, count in answered(lambda: self._newest(keys, limit)):
            asked |= dict(found)
            rows, total = rows + len(found), total + int(count)
        ids = sorted(asked, key=lambda wait: (-asked[wait], wait))[:limit]
        threads = answered(lambda: self._redis.hmget(workspace(team, "waiting"), ids)) if ids else []
        waits = self._open_ones({wait: thread for wait, thread in zip(ids, threads, strict=True) if thread})
        return Waitlist(waits, total - (rows - len(asked)) - len(ids))

    def _newest(self, keys: Sequence[str], limit: int) -> list[Any]:
        """The newest waits under each key, with how many there are."""
        with self._redis.pipeline(transaction=False) as together:
            for key in keys:
                together.zrevrange(key, 0, limit - 1, withscores=True)
                together.zcard(key)
            found = together.execute()
        return list(zip(found[::2], found[1::2], strict=True))

    def recall(self, team: str, *, unseen: float, limit: int) -> Sequence[str]:
        key = workspace(team, "unseen")
        seconds, micros = answered(self._redis.time)
        until = int(seconds) * 1000 + int(micros) // 1000 - int(unseen * 1000)
        ids = answered(lambda: self._redis.zrangebyscore(key, "-inf", until, start=0, num=limit))
        threads = answered(lambda: self._redis.hmget(workspace(team, "waiting"), ids)) if ids else []
        return [str(thread) for wait, thread in zip(ids, threads, strict=True) if thread and self._recall(thread, wait)]

    def _recall(self, thread: str, wait: str) -> bool:
        team = ThreadId.parse(thread).team
        keys = thread_keys(thread, "head", "waits", "letters", "signals")
        keys += [workspace(team, "owed"), workspace(team, "unseen")]
        return bool(self._scripts.run("recall", keys, [thread, wait]))


def _waiting(header: str | None, wait: str | None, answer: str | None) -> Waiting | None:
    if not header or not wait:
        return None
    state = cast("Literal['open', 'answered', 'over']", header.partition(" ")[0])
    return Waiting(Wait.from_json(wait), state, Answer.from_json(answer) if answer else None)
