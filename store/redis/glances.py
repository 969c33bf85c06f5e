"""Threads at a glance, a few round trips for any number of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from redis import Redis

from store.glance import Glance
from store.lease import Stop
from store.redis.keyspace import thread_keys, workspace
from store.redis.scripts import answered
from store.submission import Submission
from store.thread import ThreadId
from store.wait import Wait

INPUTS = 10
"""Inputs of a thread that are read; they may be long."""


def glances(redis: Redis, threads: Sequence[str]) -> list[Glance | None]:
    """Each thread in two round trips for all of them; None where nothing is known of one."""
    if not threads:
        return []
    *rows, (seconds, micros) = answered(lambda: _read(redis, threads))
    found = [_Row(thread, *rows[n * 9 : n * 9 + 9]) for n, thread in enumerate(threads)]
    more = answered(lambda: _read_more(redis, found))
    now = int(seconds) + int(micros) / 1e6
    return [row.glance(now, *more[2 * n : 2 * n + 2]) for n, row in enumerate(found)]


class _Row:
    """What the first round trip brought of one thread."""

    def __init__(self, thread: str, head: Any, order: Any, *rest: Any) -> None:
        self.thread, self.head, self.order = thread, head, [str(ts) for ts in order]
        self.queued, self.due, self.rest, self.stops, self.letters, self.length, self.score = rest

    @property
    def waits(self) -> list[str]:
        return [item.removeprefix("wait:") for item in self.rest if item.startswith("wait:")]

    def glance(self, now: float, mail: Sequence[Any], waits: Sequence[Any]) -> Glance | None:
        head: Mapping[str, str] = self.head
        if not head and not self.queued:
            return None
        owner = head.get("owner", "")
        return Glance(
            thread=self.thread,
            status=head.get("status", "queued" if self.queued else ""),
            run=head.get("run", ""),
            pause=head.get("pause", ""),
            until=int(head.get("until", 0)) / 1000,
            owner=owner,
            held=max(0.0, now - int(head.get("claimed", 0)) / 1000) if owner else 0.0,
            lease_left=max(0.0, int(head.get("lease", 0)) / 1000 - now),
            looked_at=None if self.score is None else max(0.0, float(self.score) / 1000 - now),
            deaths=int(head.get("deaths", 0)),
            length=int(self.length),
            queued=int(self.queued),
            inputs=tuple(Submission.from_json(raw) for raw in mail if raw),
            due=self.due,
            rest=self.rest,
            stops={run: Stop.from_json(raw) for run, raw in self.stops.items()},
            letters=self.letters,
            waits=tuple(sorted(_open(waits), key=lambda wait: wait.asked)),
        )


def _read(redis: Redis, threads: Sequence[str]) -> Any:
    with redis.pipeline(transaction=False) as together:
        for thread in threads:
            head, order, due, rest, stops, letters, log = thread_keys(
                thread, "head", "order", "due", "rest", "stops", "letters", "log"
            )
            together.hgetall(head)
            together.zrange(order, 0, INPUTS - 1)
            together.zcard(order)
            for items in (due, rest, stops, letters):
                together.hgetall(items)
            together.llen(log)
            together.zscore(workspace(ThreadId.parse(thread).team, "owed"), thread)
        together.time()
        return together.execute()


def _read_more(redis: Redis, rows: Sequence[_Row]) -> list[Any]:
    """The inputs and the waits that the first round trip named: two lists a thread."""
    with redis.pipeline(transaction=False) as together:
        for row in rows:
            mail, waits = thread_keys(row.thread, "mail", "waits")
            together.hmget(mail, row.order or [""])
            together.hmget(waits, [name for wait in row.waits for name in (wait, f"{wait}.wait")] or [""])
        return list(together.execute())


def _open(found: Sequence[Any]) -> list[Wait]:
    """The open ones among `header, json, header, json, …`."""
    pairs = zip(found[::2], found[1::2], strict=False)
    return [Wait.from_json(raw) for header, raw in pairs if header and raw and str(header).startswith("open ")]
