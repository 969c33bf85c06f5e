"""The world that tools change: effects are counted here, outside of any process that may die.

A tool opens a connection, says which call it is in one line of JSON, and gets its answer in another once its time
is up. When its process dies in between, the connection does.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playground.scenarios.happenings import Happenings
from playground.scenarios.loopback import Loopback
from playground.scenarios.points import AtPoint, Counter, DeathPoint, Side
from playground.scenarios.scenario import ToolPlan


@dataclass(frozen=True, slots=True)
class Effect:
    """What one execution did. key: the call's step key, the same on every attempt."""

    tool: str
    key: str
    text: str
    pid: int


class Effects:
    """Listens on `port`; `at_point` is asked before an effect counts, and before its tool hears of it."""

    def __init__(self, loopback: Loopback, happenings: Happenings) -> None:
        self.at_point: AtPoint = lambda _point, _pid: False
        self.done: list[Effect] = []
        self.port = 0
        self._loopback, self._happenings = loopback, happenings
        self._plans: dict[str, ToolPlan] = {}
        self._times: dict[str, int] = {}
        self._counter = Counter()
        self._running: dict[str, set[asyncio.Event]] = {}
        self._server: asyncio.Server | None = None

    def start(self) -> None:
        async def listen() -> None:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

        self._loopback.do(listen())
        if self._server is not None:
            self.port = self._server.sockets[0].getsockname()[1]

    def reset(self, plans: Iterable[ToolPlan]) -> None:
        """An untouched world with these tools."""
        self.at_point = lambda _point, _pid: False
        self.done.clear()
        self._times.clear()
        self._counter.clear()
        self._plans = {plan.name: plan for plan in plans}

    def finish(self, tool: str) -> None:
        """Let every execution of this tool end that runs now."""
        for event in list(self._running.get(tool, ())):
            self._loopback.loop.call_soon_threadsafe(event.set)

    def close(self) -> None:
        async def end() -> None:
            if self._server is not None:
                self._server.close()

        self._loopback.do(end())

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = json.loads(await reader.readline())
            answer = await self._execute(asked, reader)
            if answer is not None:
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _execute(self, asked: Any, reader: asyncio.StreamReader) -> dict[str, Any] | None:
        """What the tool is to answer; None when its process is dead."""
        plan = self._plans[asked["tool"]]
        nth = self._counter.next("effect", plan.name)
        if self._dies(plan, nth, "before", asked["pid"]):
            return None
        self._take_effect(plan, asked)
        if plan.kills:
            return {"die": True}
        if self._dies(plan, nth, "after", asked["pid"]):
            return None
        if not await self._wait(plan, reader):
            self._happenings.tell("tool.cut", tool=plan.name, pid=asked["pid"])
            return None
        self._happenings.tell("tool.finished", tool=plan.name, pid=asked["pid"])
        return {"fails": plan.fails} if plan.fails else {"output": output(plan, asked["arguments"])}

    def _take_effect(self, plan: ToolPlan, asked: Any) -> None:
        text = filled(plan.effect or plan.name, asked["arguments"])
        self.done.append(Effect(plan.name, asked["key"], text, asked["pid"]))
        self._happenings.tell("tool.started", tool=plan.name, pid=asked["pid"], key=asked["key"])

    def _dies(self, plan: ToolPlan, nth: int, side: Side, pid: int) -> bool:
        return self.at_point(DeathPoint("effect", plan.name, nth, side), pid)

    async def _wait(self, plan: ToolPlan, reader: asyncio.StreamReader) -> bool:
        """Wait as long as this execution takes; False when its process went away meanwhile."""
        times = self._times.get(plan.name, 0)
        self._times[plan.name] = times + 1
        over, running = asyncio.Event(), self._running.setdefault(plan.name, set())
        running.add(over)
        gone = asyncio.ensure_future(reader.read(1))
        told = asyncio.ensure_future(over.wait())
        try:
            seconds = plan.takes[min(times, len(plan.takes) - 1)]
            done, _ = await asyncio.wait({gone, told}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            return gone not in done
        finally:
            gone.cancel()
            told.cancel()
            running.discard(over)


def output(plan: ToolPlan, arguments: dict[str, Any]) -> str:
    return filled(plan.output or plan.effect or f"{plan.name} is done", arguments)


def filled(text: str, arguments: dict[str, Any]) -> str:
    """The text with the call's arguments in its braces."""
    try:
        return text.format_map(arguments)
    except (KeyError, IndexError, ValueError):
        return text
