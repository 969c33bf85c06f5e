"""What people do meanwhile: say things twice over, stop, answer twice, edit, delete, have cards looked for."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from playground.chaos.tally import Tally
from playground.chaos.weather import Weather
from playground.simulation.fleet import Fleet, Member
from store.errors import StoreUnavailableError
from store.news import News
from store.protocol import OrderVerb, Taken
from store.submission import Submission
from store.wait import Answer, Given, Verdict, Wait

TEAM, CHANNEL = "T1", "C1"
ROOTS = ("1700000000.000100", "1700000000.000200")
VERDICTS: dict[str, tuple[Verdict, ...]] = {
    "question": ("",),
    "plan": ("approve", "change", "reject"),
    "approval": ("approve", "approve", "deny"),
}
TRIES = 60


class People:
    """Acts through bots that may die: whatever is not acknowledged is delivered again, as Slack does.

    taken: the answers that were taken, by wait. stopped: runs whose stop was stored before they were over.
    """

    def __init__(
        self, fleet: Fleet, draw: random.Random, weather: Weather, tally: Tally, ring: Callable[[str], Any]
    ) -> None:
        self._fleet, self._draw, self._weather, self._tally, self._ring = fleet, draw, weather, tally, ring
        self.admitted: dict[str, Submission] = {}
        self.taken: dict[str, Answer] = {}
        self.told: list[Taken] = []
        self.stopped: set[str] = set()
        self.busy = 0
        self._bots = [self._bot() for _ in range(2)]
        self._count = 0

    @property
    def threads(self) -> list[str]:
        return sorted({said.thread for said in self.admitted.values()})

    def begin(self, count: int) -> None:
        """Do `count` things, over some minutes, each on its own."""
        for _ in range(count):
            after = self._draw.uniform(0, 90)
            act = self._draw.choice(
                (
                    *(self._say, self._say, self._say, self._answer, self._answer, self._answer),
                    *(self._stop, self._edit, self._delete, self._recall, self._order),
                )
            )
            self._later(after, act)

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        host = self._fleet.host
        self.busy += 1

        def wait() -> None:
            host.threads.sleep(seconds)
            act()
            self.busy -= 1

        self._fleet.baton.start(host.process, "people", wait)

    def _say(self) -> None:
        self._count += 1
        number = self._count
        root = ROOTS[self._draw.randrange(len(ROOTS))]
        ts = f"{int(float(root)) + number}.{number:06}"
        text = f"do thing {self._draw.randrange(10**6)}"
        for _ in range(self._draw.choice((1, 2, 2, 3))):
            self._deliver(partial(self._admit, root, ts, text))

    def _admit(self, root: str, ts: str, text: str, bot: Member) -> None:
        thread = f"{TEAM}/{CHANNEL}/{root}"
        said = Submission(thread, CHANNEL, ts, "U1", text, self._fleet.ids.new("run"), self._fleet.baton.time)
        receipt = bot.store.admissions.admit(said)
        if receipt is None:
            raise AssertionError(f"{thread} takes no messages")
        self.admitted.setdefault(receipt.run, said)
        if receipt.new:
            self._ring(thread)

    def _answer(self) -> None:
        if waits := self.open_waits():
            wait = self._draw.choice(waits)
            for _ in range(self._draw.choice((1, 1, 2))):
                self._deliver(partial(self.answer, wait, f"U{self._draw.randrange(2, 5)}"))

    def answer(self, wait: Wait, by: str, bot: Member) -> None:
        """Answer a wait in some way that fits it."""
        verdict = self._draw.choice(VERDICTS[wait.kind])
        given = tuple(Given((self._draw.choice(question.choices).label,)) for question in wait.questions)
        answer = Answer(wait.id, by, self._fleet.baton.time, "button", given, verdict)
        taken = bot.store.waits.answer(wait.thread, answer)
        self.told.append(taken)
        if taken.how == "taken":
            self.taken.setdefault(wait.id, answer)
        self._ring(wait.thread)

    def open_waits(self) -> list[Wait]:
        return [wait for thread in self.threads for wait in self._fleet.host.store.waits.open_in(thread)]

    def _stop(self) -> None:
        if self.admitted:
            run = self._draw.choice(sorted(self.admitted))
            self._deliver(partial(self._stop_run, run))

    def _stop_run(self, run: str, bot: Member) -> None:
        if bot.store.admissions.stop(self.admitted[run].thread, run, "U2") != "over":
            self.stopped.add(run)
        self._ring(self.admitted[run].thread)

    def _edit(self) -> None:
        if self.admitted:
            said = self.admitted[self._draw.choice(sorted(self.admitted))]
            at = f"{int(self._fleet.baton.time)}.000000"
            news = News(said.ts, at, said.author, f"{said.text}, changed")
            self._deliver(lambda bot: bot.store.admissions.amend(said.thread, news) and None)

    def _delete(self) -> None:
        if self.admitted and self._draw.random() < 0.4:
            said = self.admitted[self._draw.choice(sorted(self.admitted))]

            def retract(bot: Member) -> None:
                if bot.store.admissions.retract(said.thread, said.ts, said.author):
                    self._ring(said.thread)

            self._deliver(retract)

    def _recall(self) -> None:
        def recall(bot: Member) -> None:
            for thread in bot.store.waits.recall(TEAM, unseen=10.0, limit=10):
                self._ring(thread)

        self._deliver(recall)

    def _order(self) -> None:
        if self.admitted:
            run = self._draw.choice(sorted(self.admitted))
            verb: OrderVerb = self._draw.choice(("resume", "resume", "heal"))
            thread = self.admitted[run].thread

            def order(bot: Member) -> None:
                bot.store.admissions.order(thread, run, verb, "U9")
                self._ring(thread)

            self._deliver(order)

    def _deliver(self, do: Callable[[Member], None]) -> None:
        """To one bot after the other, until one has done it."""
        self.busy += 1
        self._fleet.baton.start(self._fleet.host.process, "deliver", partial(self._carry, do))

    def _carry(self, do: Callable[[Member], None]) -> None:
        for _ in range(TRIES):
            bot = self._draw.choice(self._bots)
            done: list[bool] = []

            def listen(bot: Member = bot, done: list[bool] = done) -> None:
                try:
                    do(bot)
                except StoreUnavailableError:
                    return
                done.append(True)

            task = self._fleet.baton.start(bot.process, "listen", listen)
            task.join()
            if task.raised is not None:
                raise task.raised
            if bot.process.dead and bot in self._bots:
                self._bots.remove(bot)
                self._bots.append(self._bot())
            if done:
                self.busy -= 1
                return
            self._tally["deliveries repeated"] += 1
            self._fleet.host.threads.sleep(1.0)
        raise RuntimeError("no bot takes what Slack delivers")

    def _bot(self) -> Member:
        return self._fleet.member(f"bot{len(self._fleet.members)}", self._weather.gate())
