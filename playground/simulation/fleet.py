"""A whole fleet in one process: bots and workers of the production classes over one fakeredis.

Processes come and go; what is durable is in the server. Each call that leaves a process passes its gate, where a
death can be placed before or after it takes effect.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, Protocol

import fakeredis
from redis.exceptions import ConnectionError, ResponseError

from playground.simulation.baton import Baton, BatonClock, BatonThreads, Process
from playground.simulation.doubles import CountingIds, Gate, SimulatedModel, SimulatedSlack, open_gate
from store.ports import Replies
from store.protocol import Store
from store.redis import open_store
from store.redis.keyspace import thread_keys, workspace
from store.redis.scripts import SHARED, Scripts, source
from store.stepkey import MODEL, StepKey
from store.submission import Submission
from store.thread import ThreadId
from store.wait import ANYBODY, Answerers
from worker.agent import Agent
from worker.drain import Drain
from worker.pace import paced
from worker.rules import Rules
from worker.services import Limits, Services
from worker.tenure import work_thread

Heard = Callable[[Process, str, Sequence[Any], Any], None]
"""`heard(process, script, words, answer)`: a script of ours was run, and this is what it answered, or its refusal."""
HOST = "boot"
FIXED_ARGUMENTS = 11
"""Arguments of `commit.lua` before its counted groups."""


class GatedRedis(fakeredis.FakeRedis):
    """A fakeredis client of one process: scripts pass its gate by name; its blocking read waits on virtual time."""

    def seat(self, fleet: Fleet, process: Process, gate: Gate) -> GatedRedis:
        self._fleet, self._baton, self._process, self._gate = fleet, fleet.baton, process, gate
        self._names = _names()
        return self

    def execute_command(self, *args: Any, **options: Any) -> Any:
        if not hasattr(self, "_process"):
            return self._execute(*args, **options)
        self._process.check()
        self._baton.pause()
        if self._fleet.store_is_away:
            raise ConnectionError("the simulated store is away")
        label = self._label(args)
        self._gate(label, "before")
        name = self._names.get(str(args[1]), "") if args[0] == "EVALSHA" else ""
        try:
            answer = self._execute(*args, **options)
        except ResponseError as refusal:
            self._fleet.heard(self._process, name, args, refusal)
            raise
        if args[0] == "EVALSHA":
            self._fleet.heard(self._process, name, args, answer)
        self._gate(label, "after")
        return answer

    def _label(self, args: Sequence[Any]) -> str:
        """The script's name, and for a commit which steps reach which state: `commit model.done tool.pending`."""
        name = self._names.get(str(args[1]), "") if args[0] == "EVALSHA" else str(args[0])
        if name != "commit":
            return name
        at = 3 + int(args[2]) + FIXED_ARGUMENTS
        words = [name]
        for n in range(int(args[at])):
            call = StepKey.parse(str(args[at + 1 + 3 * n])).call
            kind = call if call == MODEL or call.startswith("#") else "tool"
            words.append(f"{kind}.{args[at + 2 + 3 * n]}")
        return " ".join(words)

    def _execute(self, *args: Any, **options: Any) -> Any:
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]

    def blpop(self, keys: Any, timeout: Any = 0) -> Any:
        found: list[Any] = []

        lists = self.connection_pool.connection_kwargs["server"].dbs[0]
        name = str(keys[0]).encode()

        def ready() -> bool:
            # It is asked whenever anybody waits, so it looks before it takes.
            if not found and name in lists:
                raw = self._execute("LPOP", keys[0])
                if raw is not None:
                    found.append((keys[0], raw))
            return bool(found)

        self._baton.wait_until(ready, float(timeout))
        return found[0] if found else None


@cache
def _names() -> Mapping[str, str]:
    """Each script's name by what it is called by."""
    return {_sha(source(name)): name for name in SHARED}


def _sha(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Seats(Protocol):
    """Slack, as each process reaches it for itself."""

    def seat(self, process: Process, gate: Gate) -> Replies: ...


class Member:
    """One simulated worker or bot process with its own clients and services."""

    def __init__(self, fleet: Fleet, name: str, gate: Gate) -> None:
        self.process = Process(name)
        self.fleet, self.gate = fleet, gate
        baton = fleet.baton
        redis = GatedRedis(server=fleet.server, decode_responses=True).seat(fleet, self.process, gate)
        self.clock = BatonClock(baton, self.process)
        self.threads = BatonThreads(baton, self.process)
        self.store: Store = open_store(redis, self.clock, fleet.ids, lease=fleet.lease)
        self.services = Services(
            store=self.store,
            clock=self.clock,
            ids=fleet.ids,
            threads=self.threads,
            model=fleet.model.seat(baton, self.process, gate),
            replies=paced(fleet.seats.seat(self.process, gate), self.store.workspace, self.clock),
            agent=fleet.agent,
            limits=fleet.limits,
            rules=fleet.rules,
            approvers=fleet.approvers,
            cost=lambda _model, usage: usage.input + usage.output,
        )
        self.drain = Drain(self.threads, self.clock, fleet.grace)

    @property
    def owner(self) -> str:
        return f"{HOST}:{self.process.name}:0:"

    def work(self, thread: str) -> None:
        work_thread(thread, self.services, self.drain, self.owner + self.fleet.ids.new("owner"))


class Fleet:
    """The world of one simulation, and how it recovers: a dead worker is buried, and another one is rung.

    slack: in place of its own double. lease and grace: seconds. baton: in place of one
    that chooses nothing. heard: told of each script that is run.
    """

    def __init__(
        self,
        agent: Agent,
        model: SimulatedModel,
        *,
        limits: Limits | None = None,
        rules: Rules | None = None,
        approvers: Answerers = ANYBODY,
        slack: Seats | None = None,
        lease: float = 15.0,
        grace: float = 20.0,
        heard: Heard = lambda _process, _script, _words, _answer: None,
        baton: Baton | None = None,
    ) -> None:
        self.baton = baton or Baton()
        self.server = fakeredis.FakeServer()
        self.ids = CountingIds()
        self.slack = SimulatedSlack()
        self.seats: Seats = slack or self.slack
        self.lease, self.grace, self.heard = lease, grace, heard
        self.store_is_away, self.approvers = False, approvers
        self.model, self.agent, self.limits, self.rules = model, agent, limits or Limits(), rules or Rules()
        self.members: list[Member] = []
        self.host = self.member("host")
        looking = fakeredis.FakeRedis(server=self.server, decode_responses=True)
        self.outside = open_store(looking, BatonClock(self.baton, Process("outside")), self.ids)
        Scripts(looking).load()

    def member(self, name: str, gate: Gate = open_gate) -> Member:
        member = Member(self, name, gate)
        if hasattr(gate, "member"):
            gate.member = member
        self.members.append(member)
        return member

    def run(self, play: Callable[[], None]) -> None:
        """Run `play` as the host's first task, on virtual time."""
        with self.virtual_time():
            self.baton.run(self.host.process, play)

    def work_off(self, thread: str, gates: Sequence[Gate] = (), most: int = 20) -> int:
        """Let one worker after the other work on the thread until nothing is owed; how many it took.

        The first workers pass the given gates; each that dies is buried at once.
        """
        for n in range(most):
            worker = self.member(f"worker{len(self.members)}", gates[n] if n < len(gates) else open_gate)
            task = self.baton.start(worker.process, "work", partial(worker.work, thread))
            task.join()
            if task.raised is not None:
                raise task.raised
            if worker.process.dead:
                self.host.store.leases.bury(worker.owner)
            wait = self.owed_in(thread)
            if wait is None:
                return n + 1
            self.host.threads.sleep(wait)
        raise RuntimeError(f"{thread} is still owed after {most} tenures")

    def owed_in(self, thread: str) -> float | None:
        """Seconds until the thread is to be looked at; None when nothing in it is due."""
        team = ThreadId.parse(thread).team
        raw = fakeredis.FakeRedis(server=self.server, decode_responses=True)
        head, due, order, letters = thread_keys(thread, "head", "due", "order", "letters")
        score = raw.zscore(workspace(team, "owed"), thread)
        waits = raw.hget(head, "waiting") == "1"  # then messages stay behind the run that waits
        stirred = raw.hlen(due) or raw.hlen(letters) or raw.hget(head, "owner") or (not waits and raw.zcard(order))
        if score is None or not stirred:
            return None
        return max(0.0, float(score) / 1000 - self.baton.time)

    def say(self, thread: str, text: str, *, author: str = "U1", n: int = 1) -> Submission:
        at = ThreadId.parse(thread)
        ts = f"{int(float(at.root)) + n}.000{n:03}"
        said = Submission(thread, at.channel, ts, author, text, self.ids.new("run"), self.baton.time)
        self.host.store.admissions.admit(said)
        return said

    @contextmanager
    def virtual_time(self) -> Iterator[None]:
        """fakeredis reads the interpreter's clock, so that is replaced as well."""
        real = time.time  # noqa: TID251 - replaced, not asked
        time.time = lambda: self.baton.time  # noqa: TID251
        try:
            yield
        finally:
            time.time = real  # noqa: TID251
