"""Input and stops, from anyone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from store.errors import AdmissionConflictError
from store.glance import Origin
from store.lease import Stop, StopReason
from store.news import News
from store.ports import Clock
from store.protocol import Amended, Ordered, OrderVerb, Retracted, Stopping, Whose
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

    def admit(self, submission: Submission, *, whose: Whose = "any") -> Receipt | None:
        team = ThreadId.parse(submission.thread).team
        head, order, mail, askers, signals, said, muted = thread_keys(
            submission.thread, "head", "order", "mail", "askers", "signals", "said", "muted"
        )
        owed, recent = workspace(team, "owed"), workspace(team, "recent")
        origin, mine = workspace(team, f"from:{submission.run}"), workspace(team, f"mine:{submission.author}")
        word, run, thread, waits = self._scripts.run(
            "admit",
            [self._key(submission), head, order, mail, askers, owed, TEAMS, signals, said, muted, recent, origin, mine],
            [
                submission.fingerprint,
                submission.run,
                submission.thread,
                submission.ts,
                ts_order(submission.ts),
                submission.to_json(),
                submission.author,
                whose,
                ADMISSION_TTL * 1000,
                team,
                int(self._keep * 1000),
                submission.standing,
            ],
        )
        match word:
            case "IGNORED":
                return None
            case "CONFLICT":
                raise AdmissionConflictError(submission.key)
            case _:
                return Receipt(thread, run, new=word == "NEW", waits=bool(int(waits)))

    def amend(self, thread: str, news: News, files: Sequence[str] = ()) -> Amended:
        keys = thread_keys(thread, "head", "mail", "said", "news")
        answers: dict[str, Amended] = {"AMENDED": "amended", "NEWS": "news", "KNOWN": "known", "UNKNOWN": "unknown"}
        while True:
            raw = answered(lambda: self._redis.hget(keys[1], news.ts))
            edited = ""
            if raw:
                stood = Submission.from_json(raw)
                edited = replace(stood, text=news.text, files=tuple(files), edited=news.at).to_json()
            args = [news.ts, ts_order(news.at), edited, news.key, news.to_json()]
            word = self._scripts.run("amend", keys, args)
            if word != "AGAIN":
                return answers[word]

    def retract(self, thread: str, ts: str, by: str, *, burn: bool = False) -> bool:
        at = ThreadId.parse(thread)
        keys = thread_keys(thread, "head", "order", "mail", "due", "rest", "stops", "letters", "said")
        admission, burnt = workspace(at.team, f"adm:{at.channel}:{ts}"), ADMISSION_TTL * 1000 if burn else 0
        word, run = "AGAIN", ""
        while word == "AGAIN":
            outcome = workspace(at.team, f"run:{run}")
            args = [thread, ts, run, _ending(thread, by, "deleted"), int(self._keep), burnt]
            word, run = self._scripts.run("retract", [*keys, workspace(at.team, "owed"), admission, outcome], args)
        return word == "WITHDRAWN" or (word == "OPEN" and self.stop(thread, run, by, "deleted") == "stopping")

    def retract_thread(self, thread: str, by: str) -> Retracted:
        dropped = self.withdraw(thread, by, "deleted")
        # Whatever a worker took before that is an open run now, or a parked one.
        head, rest = thread_keys(thread, "head", "rest")
        parked = [item.partition(":") for item in answered(lambda: self._redis.hkeys(rest))]
        runs = [answered(lambda: self._redis.hget(head, "run")), *(run for kind, _, run in parked if kind == "parked")]
        stopped = [self.stop(thread, run, by, "deleted") for run in runs if run]
        return Retracted(bool(dropped) or "stopping" in stopped, dropped)

    def mute(self, thread: str, ts: str, *, on: bool) -> bool:
        args = ["on" if on else "off", ts_order(ts), int(self._keep * 1000)]
        return bool(self._scripts.run("mute", thread_keys(thread, "muted"), args))

    def abandon(self, submission: Submission) -> bool:
        order, mail, said = thread_keys(submission.thread, "order", "mail", "said")

        def remove() -> Any:
            with self._redis.pipeline() as together:
                together.zrem(order, submission.ts)
                together.hdel(mail, submission.ts)
                together.hdel(said, submission.ts)
                return together.execute()

        removed, *_ = answered(remove)
        if removed:
            answered(lambda: self._redis.delete(self._key(submission)))
        return bool(removed)

    def outcome(self, team: str, run: str) -> dict[str, Any] | None:
        raw = answered(lambda: self._redis.get(workspace(team, f"run:{run}")))
        return None if raw is None else decode(raw)

    def origins(self, team: str, runs: Sequence[str]) -> Mapping[str, Origin]:
        if not runs:
            return {}
        found = answered(lambda: self._redis.mget([workspace(team, f"from:{run}") for run in runs]))
        known = {run: str(raw).split() for run, raw in zip(runs, found, strict=True) if raw}
        return {run: Origin(run, thread, author, int(at) / 1000) for run, (thread, author, at) in known.items()}

    def runs_of(self, team: str, user: str, limit: int = 50) -> Sequence[str]:
        key = workspace(team, f"mine:{user}")
        return [str(run) for run in answered(lambda: self._redis.zrevrange(key, 0, limit - 1))]

    def stoppable(self, message: Submission, *, whose: Whose) -> str:
        head, order, said, muted = thread_keys(message.thread, "head", "order", "said", "muted")
        score = ts_order(message.ts)

        def read() -> Any:
            with self._redis.pipeline() as together:
                together.hget(head, "run")
                together.zrange(order, 0, 0)
                together.hgetall(said)
                together.zrevrangebyscore(muted, f"({score}", "-inf", start=0, num=1)
                return together.execute()

        run, first, known, words = answered(read)
        if whose != "any" and words and str(words[0]).startswith("on"):
            return ""
        led = {ts: str(noted).partition(" ")[0] for ts, noted in known.items()}
        meant = run or next((led[ts] for ts in first if ts in led), "")
        began = min((ts_order(ts) for ts, its in led.items() if its == meant), default=0)
        return meant if began < score else ""

    def stop(self, thread: str, run: str, by: str, why: StopReason = "", message: Submission | None = None) -> Stopping:
        team = ThreadId.parse(thread).team
        admitted = replace(message, run=run).admitted if message is not None else ""
        outcome = workspace(team, f"run:{run}")
        word = self._scripts.run(
            "stop",
            [
                *thread_keys(thread, "head", "stops", "signals", "order", "rest", "said"),
                workspace(team, "owed"),
                outcome,
                self._key(message) if message is not None else outcome,
            ],
            [thread, run, Stop(run, by, self._clock.now(), why).to_json(), admitted, ADMISSION_TTL * 1000],
        )
        answers: dict[str, Stopping] = {"STOPPING": "stopping", "AGAIN": "again", "OVER": "over", "KNOWN": "known"}
        return answers[word]

    def order(self, thread: str, run: str, verb: OrderVerb, by: str) -> Ordered:
        team = ThreadId.parse(thread).team
        keys = [*thread_keys(thread, "head", "rest", "letters", "signals"), workspace(team, "owed")]
        letter = encode({"run": run, "verb": verb, "by": by, "at": self._clock.now()})
        word = self._scripts.run("order", [*keys, workspace(team, f"run:{run}")], [thread, run, letter])
        answers: dict[str, Ordered] = {
            "ORDERED": "ordered",
            "AGAIN": "again",
            "NOT_PARKED": "not_parked",
            "OVER": "over",
        }
        return answers[word]

    def withdraw(self, thread: str, by: str, why: StopReason = "") -> Sequence[Submission]:
        team = ThreadId.parse(thread).team
        order, mail, head, *rest = thread_keys(thread, "order", "mail", "head", "due", "rest", "stops", "letters")
        raws = self._scripts.run("withdraw", [order, mail, head, workspace(team, "owed"), *rest], [thread])
        dropped = [Submission.from_json(raw) for raw in raws]
        for submission in dropped:
            key, text = workspace(team, f"run:{submission.run}"), _ending(thread, by, why)
            answered(lambda key=key, text=text: self._redis.set(key, text, ex=int(self._keep)))
        return dropped

    @staticmethod
    def _key(submission: Submission) -> str:
        return workspace(ThreadId.parse(submission.thread).team, f"adm:{submission.key}")


def _ending(thread: str, by: str, why: StopReason) -> str:
    """The outcome of an input that nobody took."""
    return encode({"status": "aborted", "thread": thread, "text": "", "error": None, "by": by, "why": why})
