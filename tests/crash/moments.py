"""Moments of a simulated run, and what a test does in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from playground.simulation.doubles import Posted
from playground.simulation.fleet import Member
from tests.crash.conftest import THREAD, World, calls, fits, says
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, tool

Make = Callable[..., World]


class At:
    """Does something at the n-th such call, before or after it takes effect."""

    def __init__(self, call: str, side: str, do: Callable[[Member], None], nth: int = 1) -> None:
        self.call, self.side, self.do, self.nth = call, side, do, nth
        self.member: Member | None = None

    def __call__(self, call: str, side: str) -> None:
        if side == self.side and fits(self.call, call):
            self.nth -= 1
            if self.nth == 0:
                assert self.member is not None
                self.do(self.member)


class Both:
    """Several gates of one member."""

    def __init__(self, *gates: Any) -> None:
        self._gates = gates

    @property
    def member(self) -> Member | None:
        return self._gates[0].member

    @member.setter
    def member(self, member: Member) -> None:
        for gate in self._gates:
            gate.member = member

    def __call__(self, call: str, side: str) -> None:
        for gate in self._gates:
            gate(call, side)


def raising(error: Exception) -> Callable[[Member], None]:
    def do(_member: Member) -> None:
        raise error

    return do


def slow(worlds: list[World], seconds: float, ran: list[str], name: str = "slow", replay: str = "unsafe") -> Tool:
    """A tool that takes virtual seconds, and leaves early when it sees that it shall end."""

    @tool(replay=replay, name=name)  # type: ignore[arg-type]
    def work(context: ToolContext, patient: bool = True) -> str:
        """Take time."""
        ran.append(name)
        threads = worlds[0].fleet.members[-1].threads
        if patient:
            threads.sleep(seconds)
            return "slept"
        for n in range(int(seconds * 2)):
            if context.ending():
                return f"left after {n / 2:.1f} s"
            threads.sleep(0.5)
        return "stayed to the end"

    return work


def slow_run(
    world: Make, seconds: float, *, patient: bool = True, answers: Sequence[Any] = (), **more: Any
) -> tuple[World, list[str]]:
    """A run whose first turn calls a tool that takes its time, and the list of the times it ran."""
    worlds: list[World] = []
    ran: list[str] = []
    turns = answers or [calls(("slow", {"patient": patient})), says("done")]
    seen = world(*turns, tools=[slow(worlds, seconds, ran)], **more)
    worlds.append(seen)
    return seen, ran


def later(member: Member, seconds: float, do: Callable[[], Any]) -> None:
    """Do something from outside after so many virtual seconds."""
    host = member.fleet.host

    def wait() -> None:
        host.threads.sleep(seconds)
        do()

    member.fleet.baton.start(host.process, "later", wait)


def stop(world: World, by: str = "U2") -> Callable[[], Any]:
    return lambda: world.fleet.host.store.admissions.stop(THREAD, world.log[0].run, by)


def replies(world: World, part: str = "reply") -> list[Posted]:
    return [post for post in world.fleet.slack.posts if post.part == part]
