"""Input and stops, from anyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from store.errors import AdmissionConflictError
from store.lease import Stop
from store.ports import Clock
from store.protocol import Stopping
from store.redis.keyspace import ADMISSION_TTL, TEAMS, thread_keys, workspace
from store.redis.scripts import Scripts, answered
from store.submission import Receipt, Submission
from store.thread import ThreadId, ts_order
from store.values import decode, encode


class RedisAdmissions:
    """`store.protocol.Admissions` on Redis."""

    def __init__(self, scripts: Scripts, clock: Clock, keep: float) -> None:
        self._scripts, self._clock, self._keep = scripts, clock, keep
        self._redis = scripts.redis

    def admit(self, submission: Submission, *, from_askers_only: bool = False) -> Receipt | None:
        team = ThreadId.parse(submission.thread).team
        head, order, mail, askers, signals = thread_keys(
            submission.thread, "head", "order", "mail", "askers", "signals"
        )
        word, run, thread = self._scripts.run(
            "admit",
            [self._key(submission), head, order, mail, askers, workspace(team, "owed"), TEAMS, signals],
            [
                submission.fingerprint,
                submission.run,
                submission.thread,
                submission.ts,
                ts_order(submission.ts),
                submission.to_json(),
                submission.author,
                "asker" if from_askers_only else "any",
                ADMISSION_TTL * 1000,
                team,
            ],
        )
        match word:
            case "IGNORED":
                return None
            case "CONFLICT":
                raise AdmissionConflictError(submission.key)
            case _:
                return Receipt(thread, run, new=word == "NEW")

    def abandon(self, submission: Submission) -> bool:
        order, mail = thread_keys(submission.thread, "order", "mail")

        def remove() -> Any:
            with self._redis.pipeline() as together:
                together.zrem(order, submission.ts)
                together.hdel(mail, submission.ts)
                return together.execute()

        removed, _ = answered(remove)
        if removed:
            answered(lambda: self._redis.delete(self._key(submission)))
        return bool(removed)

    def outcome(self, team: str, run: str) -> dict[str, Any] | None:
        raw = answered(lambda: self._redis.get(workspace(team, f"run:{run}")))
        return None if raw is None else decode(raw)

    def stop(self, thread: str, run: str, by: str) -> Stopping:
        team = ThreadId.parse(thread).team
        word = self._scripts.run(
            "stop",
            [
                *thread_keys(thread, "head", "stops", "signals"),
                workspace(team, "owed"),
                workspace(team, f"run:{run}"),
            ],
            [thread, run, Stop(run, by, self._clock.now()).to_json()],
        )
        answers: dict[str, Stopping] = {"STOPPING": "stopping", "AGAIN": "again", "OVER": "over"}
        return answers[word]

    def withdraw(self, thread: str, by: str) -> Sequence[Submission]:
        team = ThreadId.parse(thread).team
        order, mail, head, due, rest, stops = thread_keys(thread, "order", "mail", "head", "due", "rest", "stops")
        raws = self._scripts.run("withdraw", [order, mail, head, workspace(team, "owed"), due, rest, stops], [thread])
        dropped = [Submission.from_json(raw) for raw in raws]
        ending = {"status": "aborted", "thread": thread, "text": "", "error": None, "by": by}
        for submission in dropped:
            key, text = workspace(team, f"run:{submission.run}"), encode(ending)
            answered(lambda key=key, text=text: self._redis.set(key, text, ex=int(self._keep)))
        return dropped

    @staticmethod
    def _key(submission: Submission) -> str:
        return workspace(ThreadId.parse(submission.thread).team, f"adm:{submission.key}")
