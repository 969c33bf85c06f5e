"""Who works on a thread: claims, renewals, releases, and the leases of the dead."""

from __future__ import annotations

from typing import Any

from redis import Redis

from store.errors import RunLeaseHeldError, StaleEpochError
from store.lease import Claim, Ended, Lease, Mailbox, Renewal, Stop
from store.news import News
from store.ports import Clock, Ids
from store.redis.keyspace import TEAMS, thread_keys, workspace
from store.redis.scripts import Refused, Scripts, answered
from store.submission import Submission
from store.thread import ThreadId, ts_order

CLAIM_KEYS = (
    "head",
    "order",
    "mail",
    "due",
    "rest",
    "log",
    "stops",
    "askers",
    "said",
    "news",
    "letters",
    "waits",
    "votes",
)
RELEASE_KEYS = (*CLAIM_KEYS, "signals")


class RedisLeases:
    """`store.protocol.Leases` on Redis. lease and keep: seconds."""

    def __init__(self, scripts: Scripts, clock: Clock, ids: Ids, blocking: Redis, lease: float, keep: float) -> None:
        self._scripts, self._clock, self._ids, self._blocking = scripts, clock, ids, blocking
        self._redis = scripts.redis
        self._lease, self._keep = lease, keep

    def claim(self, thread: str, owner: str) -> Claim:
        team = ThreadId.parse(thread).team
        sent = self._clock.boottime()
        keys = [
            *thread_keys(thread, *CLAIM_KEYS),
            workspace(team, "owed"),
            workspace(team, "held"),
            spent_key(team, self._clock),
        ]
        answer = self._scripts.run("claim", keys, [thread, owner, self._ids.new("nonce"), int(self._lease * 1000)])
        if answer[0] == "HELD":
            raise RunLeaseHeldError(thread, answer[1], int(answer[2]) / 1000)
        _, epoch, length, ended, head, inputs, due, rest, stops, spent, since, news, letters, now = answer
        return _claim(
            Lease(thread, owner, epoch, sent + self._lease, int(length)),
            ended,
            as_dict(head),
            _mailbox(inputs, due, rest, stops, news, letters, now),
            int(spent),
            since,
        )

    def renew(self, lease: Lease) -> Renewal:
        team = ThreadId.parse(lease.thread).team
        sent = self._clock.boottime()
        stops, queued = self._fenced(
            lease,
            "renew",
            [*thread_keys(lease.thread, "head", "stops", "order"), workspace(team, "owed")],
            [lease.epoch, int(self._lease * 1000), lease.thread],
        )
        lease.until = sent + self._lease
        return Renewal(_stops(stops), int(queued))

    def signals(self, lease: Lease, timeout: float) -> list[str]:
        (key,) = thread_keys(lease.thread, "signals")
        found = answered(lambda: self._blocking.blpop([key + lease.epoch], timeout=timeout))
        return [] if found is None else [str(found[1])]

    def release(self, lease: Lease, *, idle: bool, look_again: float = 0.0, counted: bool = False) -> Mailbox | None:
        team = ThreadId.parse(lease.thread).team
        answer = self._fenced(
            lease,
            "release",
            [*thread_keys(lease.thread, *RELEASE_KEYS), workspace(team, "owed"), workspace(team, "held")],
            [
                lease.epoch,
                lease.thread,
                "idle" if idle else "owed",
                int(look_again * 1000),
                int(self._keep * 1000),
                int(counted),
            ],
        )
        if answer[0] == "WORK":
            return _mailbox(*answer[1:])
        lease.until = 0.0
        return None

    def bury(self, owner_prefix: str) -> list[str]:
        buried: list[str] = []
        for team in answered(lambda: self._redis.smembers(TEAMS)):
            held = answered(lambda team=team: self._redis.hgetall(workspace(team, "held")))
            for thread, owner in held.items():
                if not owner.startswith(owner_prefix):
                    continue
                keys = [*thread_keys(thread, "head"), workspace(team, "owed")]
                if self._scripts.run("bury", keys, [thread, owner]):
                    buried.append(thread)
        return buried

    def _fenced(self, lease: Lease, name: str, keys: list[str], args: list[Any]) -> Any:
        try:
            return self._scripts.run(name, keys, args)
        except Refused as refused:
            if refused.word == "STALE":
                raise StaleEpochError(lease.thread, lease.epoch) from refused
            raise


def spent_key(team: str, clock: Clock) -> str:
    """The key that counts today's micro-dollars (UTC day)."""
    return workspace(team, f"spent:{int(clock.now() // 86_400)}")


def as_dict(flat: Any) -> dict[str, str]:
    """HGETALL inside a script comes as a flat list."""
    if isinstance(flat, dict):
        return flat
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _stops(flat: Any) -> dict[str, Stop]:
    return {run: Stop.from_json(raw) for run, raw in as_dict(flat).items()}


def _mailbox(inputs: Any, due: Any, rest: Any, stops: Any, news: Any, letters: Any, now: Any) -> Mailbox:
    taken = tuple(Submission.from_json(raw) for raw in inputs if raw)
    heard = sorted((News.from_json(raw) for raw in news), key=lambda one: ts_order(one.at))
    return Mailbox(taken, as_dict(due), as_dict(rest), _stops(stops), tuple(heard), as_dict(letters), int(now) / 1000)


def _claim(lease: Lease, ended: Ended, head: dict[str, str], mailbox: Mailbox, spent: int, since: Any) -> Claim:
    return Claim(
        lease=lease,
        status=head.get("status", ""),
        run=head.get("run", ""),
        waiting=head.get("waiting") == "1",
        pause=head.get("pause", ""),
        ended=ended,
        deaths=int(head.get("deaths", 0)),
        active=int(head.get("active", 0)) / 1000,
        mailbox=mailbox,
        spent=spent,
        since_takeover=int(since) / 1000 if int(since) >= 0 else None,
    )
