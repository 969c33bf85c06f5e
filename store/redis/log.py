"""The log, and the one door through which records enter it."""

from __future__ import annotations

from typing import Any

from store.errors import AnsweredError, InputChangedError, StaleEpochError, StopWonError, StoreRegressedError
from store.lease import Closing, Commit, Committed, Lease, Stop
from store.ports import Clock
from store.redis.keyspace import SPENT_TTL, thread_keys, workspace
from store.redis.leases import spent_key
from store.redis.scripts import Refused, Scripts, answered
from store.thread import ThreadId
from store.wait import Wait

DOOR_KEYS = ("order", "mail", "due", "rest", "stops", "said", "news")
WAIT_KEYS = ("letters", "waits")


class RedisLog:
    """`store.protocol.Log` on Redis. keep: seconds that outcomes stay."""

    def __init__(self, scripts: Scripts, clock: Clock, keep: float) -> None:
        self._scripts, self._clock, self._keep = scripts, clock, keep
        self._redis = scripts.redis

    def read(self, thread: str, start: int = 0) -> list[str]:
        (log,) = thread_keys(thread, "log")
        return [str(raw) for raw in answered(lambda: self._redis.lrange(log, start, -1))]

    def commit(self, lease: Lease, commit: Commit) -> Committed:
        team = ThreadId.parse(lease.thread).team
        outcome_run, outcome_json = commit.outcome or (commit.run, "")
        keys = [
            *thread_keys(lease.thread, "head", "log", f"steps:{commit.run}", *DOOR_KEYS),
            workspace(team, f"run:{outcome_run}"),
            spent_key(team, self._clock),
        ]
        if commit.read or commit.opened or commit.closed:
            keys += [*thread_keys(lease.thread, *WAIT_KEYS), workspace(team, "waiting"), workspace(team, "unseen")]
        args: list[Any] = [
            lease.epoch,
            lease.seen,
            commit.run,
            int(commit.progress),
            int(commit.settles),
            int(commit.forget_steps),
            int(commit.anew),
            commit.spend,
            SPENT_TTL,
            outcome_json,
            int(self._keep),
            *_groups(team, commit),
        ]
        try:
            _, length, stop, spent = self._scripts.run("commit", keys, args)
        except Refused as refused:
            raise _meaning(refused, lease, commit) from refused
        lease.seen = max(lease.seen, int(length))
        return Committed(int(length), Stop.from_json(stop) if stop else None, int(spent) if spent else None)


def _groups(team: str, commit: Commit) -> list[Any]:
    """The counted groups that `commit.lua` reads after its fixed arguments, in its order, up to the last used one."""
    groups: list[list[Any]] = [
        commit.records,
        list(commit.head.items()),
        list(commit.due.items()),
        list(commit.rest.items()),
        [(name,) for name in commit.done],
        [(submission.ts, submission.standing) for submission in commit.taken],
        [(workspace(team, f"state:{name}"), value) for name, value in commit.state],
        [(key,) for key in commit.heard],
        [(name,) for name in commit.read],
        [
            (wait.id, header("open", wait), wait.to_json(), wait.thread, _open_keys(team, wait))
            for wait in commit.opened
        ],
        [_closing(closing) for closing in commit.closed],
    ]
    while len(groups) > 1 and not groups[-1]:
        groups.pop()
    flat: list[Any] = []
    for group in groups:
        flat.append(len(group))
        for row in group:
            flat.extend(row)
    return flat


def header(state: str, wait: Wait) -> str:
    """How a thread notes where a wait stands: state, deadline in ms (0: none), people that have to approve."""
    return f"{state} {int(wait.deadline * 1000)} {wait.answerers.quorum}"


def _open_keys(team: str, wait: Wait) -> str:
    return " ".join(workspace(team, f"open:{who}") for who in wait.addressees)


def _closing(closing: Closing) -> tuple[str, ...]:
    answer, state = closing.answer, "over" if closing.over else "answered"
    return answer.wait, f"{state} 0 1", answer.to_json(), "unanswered" if closing.unanswered else "any"


def _meaning(refused: Refused, lease: Lease, commit: Commit) -> BaseException:
    match refused.word:
        case "STALE":
            return StaleEpochError(lease.thread, lease.epoch)
        case "REGRESSED":
            return StoreRegressedError(
                f"{lease.thread}: the log has {refused.detail} records, its owner has seen {lease.seen}: "
                "the store lost writes it had acknowledged"
            )
        case "STOPPED":
            return StopWonError(f"{commit.run} was stopped before it could settle")
        case "ANSWERED":
            return AnsweredError(f"{lease.thread}: {refused.detail} was answered before it could be closed")
        case "CHANGED":
            return InputChangedError(f"{lease.thread}: the message {refused.detail} is not what comes next any more")
        case _:
            return refused
