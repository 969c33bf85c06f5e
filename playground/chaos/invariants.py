"""What has to hold at the end of every storm, whatever happened in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import fakeredis

from playground.chaos.play import Storm
from playground.simulation.doubles import Posted
from store.lifecycle import SETTLED
from store.record import Record, read_log
from store.redis.keyspace import workspace
from worker.state import RunState, fold

TEAM = "T1"


def violations(storm: Storm) -> list[str]:
    """What does not hold; empty where everything does."""
    with storm.fleet.virtual_time():
        return list(Verdict(storm).all())


class Verdict:
    """One storm's end, looked at from all sides."""

    def __init__(self, storm: Storm) -> None:
        self._storm, self._fleet = storm, storm.fleet
        self._store = storm.fleet.outside
        self._logs: dict[str, list[Record]] = {}
        self._runs: dict[str, RunState] = {}

    def all(self) -> Iterator[str]:
        for thread in self._storm.people.threads:
            self._logs[thread] = read_log(thread, self._store.log.read(thread))
            self._runs |= fold(self._logs[thread])
        yield from self._storm.clashes
        yield from self._everything_ends()
        yield from self._settled_once()
        yield from self._replies()
        yield from self._effects()
        yield from self._billing()
        yield from self._transcripts()
        yield from self._answers()
        yield from self._indexes()

    def _everything_ends(self) -> Iterator[str]:
        for thread in self._storm.left:
            yield f"{thread} never comes to its end: {self._store.inventory.head(thread)}"
        for run, said in self._storm.people.admitted.items():
            if self._store.admissions.outcome(TEAM, run) is None:
                yield f"run {run} ({said.text!r}) has no outcome: it was lost"

    def _settled_once(self) -> Iterator[str]:
        settled = Counter(
            record.run
            for log in self._logs.values()
            for record in log
            if record.kind == "settled" and record.body["status"] in SETTLED
        )
        for run, times in settled.items():
            if times != 1:
                yield f"run {run} settled {times} times"
        for run, state in self._runs.items():
            outcome = self._store.admissions.outcome(TEAM, run) or {}
            if state.settled is None:
                continue
            body = state.settled.body
            if (outcome.get("status"), outcome.get("text")) != (body["status"], body["text"]):
                yield f"run {run} settled as {body['status']}, its outcome says {outcome.get('status')}"
            if run in self._storm.people.stopped and body["status"] not in ("aborted", "healed"):
                yield f"run {run} was stopped before it was over, and is {body['status']}"

    def _replies(self) -> Iterator[str]:
        for run, state in self._runs.items():
            standing = self._storm.slack.standing(run)
            if len(standing) > 1:
                yield f"run {run} has {len(standing)} standing replies"
            if state.settled is not None and state.delivered is None:
                yield f"run {run} settled, and nobody was shown"
            if state.settled is None or not standing:
                continue
            shown = standing[0].views[-1]
            if (shown.status, shown.text) != (state.settled.body["status"], state.settled.body["text"]):
                yield f"the reply of run {run} shows {shown.status} {shown.text!r}, it settled as {state.status}"
        parts = Counter((post.run, post.part) for post in self._storm.slack.posts if not post.deleted)
        for (run, part), times in parts.items():
            if times > 1:
                yield f"run {run} has {times} standing posts of {part}"

    def _effects(self) -> Iterator[str]:
        times = Counter(effect.key for effect in self._storm.shop.effects if effect.replay == "unsafe")
        allowed = {
            str(record.key): int(record.body["tries"])
            for log in self._logs.values()
            for record in log
            if record.kind == "tool" and record.state == "left" and "tries" in record.body
        }
        for key, count in times.items():
            if count > 1 + allowed.get(key, 0):
                yield f"the unsafe call {key} was run {count} times"
        calm = Counter(effect.key for effect in self._storm.shop.effects if not self._was_disturbed(effect.process))
        for key, count in calm.items():
            if count > 1:
                yield f"{key} was run {count} times though nothing had happened to who ran it"
        run = {effect.key for effect in self._storm.shop.effects}
        for log in self._logs.values():
            for record in log:
                named = record.body.get("name") in ("look", "put", "charge", "slow", "pay")
                ran = record.state == "done" and "resolved" not in record.body  # else people say that it did
                if record.kind == "tool" and ran and named and str(record.key) not in run:
                    yield f"{record.key} is recorded as done, and was never run"

    def _billing(self) -> Iterator[str]:
        calm = Counter(digest for digest, process in self._storm.model.asks if not self._was_disturbed(process))
        for digest, count in calm.items():
            if count > 1:
                yield f"a model call was billed {count} times though nothing had happened: {digest}"
        spent = self._store.workspace.spent_today(TEAM)
        cost = sum(state.cost for state in self._runs.values())
        if spent != cost:
            yield f"the workspace spent {spent}, the logs say {cost}"

    def _was_disturbed(self, process: str) -> bool:
        return process in self._storm.weather.struck or process in self._storm.ended

    def _transcripts(self) -> Iterator[str]:
        for request in self._storm.model.asked:
            wanted: list[str] = []
            for message in request.messages:
                content = message["content"] if isinstance(message["content"], list) else []
                if message["role"] == "assistant":
                    wanted = [block["id"] for block in content if block["type"] == "tool_use"]
                elif wanted:
                    given = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
                    if given != wanted:
                        yield f"the model asked for {wanted} and was told of {given}"

    def _answers(self) -> Iterator[str]:
        decided = {wait: asked for state in self._runs.values() for wait, asked in state.waits.items()}
        for wait, asked in decided.items():
            if asked.answer is None:
                yield f"{wait} is still open"
        for wait, answer in self._storm.people.taken.items():
            recorded = decided[wait].answer if wait in decided else None
            if recorded is None or (recorded.how == "button" and recorded != answer):
                yield f"{wait}: the answer of {answer.by} was taken, recorded is {recorded}"
        for told in self._storm.people.told:
            if told.how == "answered" and told.wait is not None and told.answer is not None:
                recorded = decided[told.wait.id].answer
                if recorded is not None and recorded.how == "button" and recorded.by != told.answer.by:
                    yield f"{told.wait.id}: somebody was told {told.answer.by} had answered, it was {recorded.by}"
        yield from self._cards()

    def _cards(self) -> Iterator[str]:
        cards: dict[str, list[Posted]] = {}
        for post in self._storm.slack.posts:
            if post.part.startswith("ask.") and not post.deleted:
                cards.setdefault(post.part.split(".")[1], []).append(post)
        for wait, posts in cards.items():
            states = [post.views[-1].ask.state for post in posts if post.views[-1].ask is not None]
            if "open" in states:
                yield f"a card of {wait} is still open though it is over: {states}"

    def _indexes(self) -> Iterator[str]:
        raw = fakeredis.FakeRedis(server=self._fleet.server, decode_responses=True)
        for name in ("held", "waiting"):
            if left := raw.hgetall(workspace(TEAM, name)):
                yield f"{name} still lists {left}"
        if unseen := raw.zrange(workspace(TEAM, "unseen"), 0, -1):
            yield f"unseen still lists {unseen}"
        for thread in map(str, raw.zrange(workspace(TEAM, "owed"), 0, -1)):
            head = self._store.inventory.head(thread)
            rest = [item for item in head.rest if not item.startswith("unknown:")] if head is not None else []
            if head is not None and (head.due or rest or head.queued or head.owner):
                yield f"{thread} is still owed: {head}"
