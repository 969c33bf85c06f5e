"""What goes wrong, where and when, drawn from the seed: deaths, lost answers, freezes, refusals, slowness."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from redis.exceptions import ConnectionError as RedisConnectionError

from playground.chaos.tally import Tally
from playground.simulation.baton import Died
from playground.simulation.fleet import Fleet, Member
from store.ports import ReplyError

SLACK = frozenset({"post", "edit", "upload", "find", "delete", "history", "below", "sign"})


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance of each at a call that leaves a process."""

    death: float = 0.004
    freeze: float = 0.002
    lost: float = 0.01
    unreached: float = 0.004
    refused: float = 0.02
    slow: float = 0.05


class Weather:
    """Strikes at the calls of a fleet's processes until it is calm. mended: processes that were struck, by name."""

    def __init__(self, draw: random.Random, odds: Odds, tally: Tally, lease: float) -> None:
        self._draw, self._odds, self._tally, self._lease = draw, odds, tally, lease
        self.calm = False
        self.struck: set[str] = set()
        self.in_tool: dict[str, int] = {}
        self.fleet: Fleet

    def gate(self) -> Gust:
        return Gust(self)

    def strike(self, member: Member, call: str, side: str) -> None:
        """Perhaps something goes wrong at this call."""
        if self.calm:
            return
        name, odds, draw = member.process.name, self._odds, self._draw
        kind = call.split(" ")[0]
        if draw.random() < odds.slow:
            self.fleet.baton.wait_until(lambda: False, draw.choice((0.01, 0.1, 0.5)))
        if name.startswith(("worker", "bot")) and draw.random() < odds.death:
            self._tally["deaths"] += 1
            self.struck.add(name)
            if self.in_tool.get(name):
                self._tally["take-overs in mid-tool"] += 1
            member.process.dead = True
            raise Died(call)
        if name.startswith("worker") and draw.random() < odds.freeze:
            self._freeze(member, at_slack=kind in SLACK)
        if kind == "model" or kind == "effect":
            return
        if kind in SLACK:
            self._trouble_with_slack(call, side)
        elif side == "after" and draw.random() < odds.lost:
            self._tally["lost answers"] += 1
            self.struck.add(name)
            raise RedisConnectionError("the answer was lost")
        elif side == "before" and draw.random() < odds.unreached:
            self.struck.add(name)
            raise RedisConnectionError("the store was not reached")

    def _trouble_with_slack(self, call: str, side: str) -> None:
        if side == "after" and self._draw.random() < self._odds.lost:
            self._tally["lost answers"] += 1
            raise ReplyError(f"{call}: the answer was lost", kind="lost")
        if side == "before" and self._draw.random() < self._odds.refused:
            self._tally["refusals of Slack"] += 1
            raise ReplyError(f"{call}: too fast", kind="busy", retry_after=self._draw.choice((0.5, 3.0, 20.0)))

    def _freeze(self, member: Member, *, at_slack: bool) -> None:
        """The process stops for a while, often for longer than its lease.

        With a call to Slack on its lips no longer than the contract says: its late words are written over ten seconds
        after the take-over (LEASE-4).
        """
        self._tally["freezes"] += 1
        self.struck.add(member.process.name)
        seconds = self._lease * self._draw.choice((0.3, 0.9, 1.5) if at_slack else (0.3, 0.9, 1.5, 3.0))
        member.process.frozen = True
        host = self.fleet.host

        def thaw() -> None:
            host.threads.sleep(seconds)
            member.process.frozen = False

        self.fleet.baton.start(host.process, f"thaw {member.process.name}", thaw)
        self.fleet.baton.wait_until(_always, None)


class Gust:
    """The gate of one process."""

    def __init__(self, weather: Weather) -> None:
        self._weather = weather
        self.member: Member | None = None

    def __call__(self, call: str, side: str) -> None:
        if self.member is not None:
            self._weather.strike(self.member, call, side)


def _always() -> bool:
    return True


Strike = Callable[[str, str], None]
