"""Slack's deliveries and the bots that take them, on virtual time: what is not acknowledged comes again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from playground.scenarios.happenings import Happenings
from playground.simulation.baton import Process, Task
from playground.simulation.fleet import Fleet, Member
from playground.simulation.pool import MakeGate
from store.submission import Submission

TEAM, CHANNEL = "T1", "C1"
AGAIN = 1.0
"""Seconds until an unacknowledged event is delivered again."""
MOST = 20
PEOPLE = {"ann": "U1", "bob": "U2", "ada": "U3", "gus": "U4", "eve": "U5"}
"""What the script of a scenario may see of them."""


class SimulatedBots:
    """A host starts a bot again that died; `end` lets some go for good. runs: by id, the ts that began them."""

    def __init__(self, fleet: Fleet, gate: MakeGate, happenings: Happenings, ring: Callable[[str], bool]) -> None:
        self._fleet, self._gate, self._happenings, self._ring = fleet, gate, happenings, ring
        self._bots: list[Member] = []
        self._missing = 0
        self._turn = 0
        self._count = 0
        self._messages: dict[str, Submission] = {}
        self._roots: dict[str, str] = {}
        self._mentions: set[str] = set()
        self.busy = 0
        """Deliveries that nobody acknowledged yet."""
        self.runs: dict[str, str] = {}

    @property
    def said(self) -> bool:
        return bool(self._messages)

    @property
    def threads(self) -> list[str]:
        return sorted({said.thread for said in self._messages.values()})

    def start(self, count: int) -> None:
        for _ in range(count):
            self._bots.append(self._fleet.member(f"bot{len(self._fleet.members)}", self._gate()))

    def end(self, count: int | None = None) -> list[Process]:
        """Let bots go, all unless told how many; their processes."""
        gone, self._bots = self._bots[:count], [] if count is None else self._bots[count:]
        return [bot.process for bot in gone]

    def ts_of(self, message: str) -> str:
        return self._messages[message].ts

    def hear(self, text: str, acts: Mapping[str, Any]) -> None:
        """Somebody says something; a mention comes as two events."""
        self._count += 1
        ts = f"{1_800_000_000 + self._count}.000000"
        root = self._roots.setdefault(acts.get("thread", "main"), ts)
        author, words = PEOPLE.get(acts.get("user", "ann"), "U1"), text.replace("@everthread", "").strip()
        thread = f"{TEAM}/{CHANNEL}/{root}"
        name = acts.get("as", text)
        self._messages[name] = Submission(thread, CHANNEL, ts, author, words, "", self._fleet.baton.time)
        mention = "@everthread" in text
        if mention:
            self._mentions.add(name)
        for _ in range(2 if mention else 1):
            self._deliver(name)

    def deliver_again(self, message: str, times: int) -> None:
        for _ in range(times * (2 if message in self._mentions else 1)):
            self._deliver(message)

    def stop(self, run: str, by: str) -> None:
        """Somebody presses Stop, again until it was taken: a bot stores it, then rings."""
        thread = next(said.thread for said in self._messages.values() if said.ts == self.runs[run])
        self._start_task(f"stop {run}", lambda bot: self._stop(bot, thread, run, by)).join()

    def _stop(self, bot: Member, thread: str, run: str, by: str) -> None:
        bot.store.admissions.stop(thread, run, by)
        self._ring(thread)

    def _deliver(self, message: str) -> None:
        self._start_task(message, partial(self._admit, message))

    def _admit(self, message: str, bot: Member) -> None:
        said = self._messages[message]
        fresh = Submission(
            said.thread, said.channel, said.ts, said.author, said.text, self._fleet.ids.new("run"), said.at
        )
        receipt = bot.store.admissions.admit(fresh)
        if receipt is None:
            return
        self.runs.setdefault(receipt.run, said.ts)
        if receipt.new:
            self._ring(receipt.thread)
        self._happenings.tell("slack.event.acked", ts=said.ts)

    def _start_task(self, name: str, work: Callable[[Member], None]) -> Task:
        """Slack's side of one delivery: to one bot after the other, until one takes it."""
        self.busy += 1
        return self._fleet.baton.start(self._fleet.host.process, f"deliver {name}", lambda: self._carry(work))

    def _carry(self, work: Callable[[Member], None]) -> None:
        for _ in range(MOST):
            bot = self._next()
            if bot is not None:
                task = self._fleet.baton.start(bot.process, "listen", partial(work, bot))
                task.join()
                if task.raised is not None:
                    raise task.raised
                if not bot.process.dead:
                    self.busy -= 1
                    return
                self._replace(bot)
            self._fleet.host.threads.sleep(AGAIN)
        raise RuntimeError("no bot takes what Slack delivers")

    def _next(self) -> Member | None:
        if not self._bots:
            return None
        self._turn += 1
        return self._bots[self._turn % len(self._bots)]

    def _replace(self, dead: Member) -> None:
        if dead in self._bots:
            self._bots.remove(dead)
            self.start(1)
