"""The whole playground without its page: the servers, the processes under test, and what can be done to them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from playground.crew import Crew
from playground.demo_tools import SHOP
from playground.guard import Guard
from playground.server import EmbeddedServer
from playground.standins.claude.client import ClaudeStandin
from playground.standins.slack.client import SlackStandin
from playground.standins.slack.people import TEAM
from playground.standins.slack.settings import of_manifest
from store.errors import EverthreadError
from store.protocol import Store
from store.redis import open_store
from store.redis.connection import address, for_bot
from store.system import SystemClock, SystemIds

UP_WITHIN = 60.0
"""Seconds until a start is given up; a cold start on two slow cores takes a few."""

MANIFEST = Path(__file__).parents[1] / "manifest.json"
DEMO_TOOLS = "playground.demo_tools:demo_tools"
DEMO_RULES = '[{"tool": "charge", "then": "ask"}]'
DEMO_SPEND = "5"
"""Dollars a day with a real key, unless EVERTHREAD_DAILY_SPEND says otherwise."""
DEMO_GRACE = "10"
DEMO_RECALL = "0"
"""Who deletes a card and drops the sockets sees it come back at once."""
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")

Tell = Callable[[str, str], None]
"""`tell(part, what)`: one line of progress."""


class CannotOpen(Exception):
    """The playground cannot be opened; the message is one plain line."""


@dataclass(slots=True)
class Workspace:
    """Everything that runs. claude: None while the real service answers. valkey: None with a REDIS_URL."""

    slack: SlackStandin
    claude: ClaudeStandin | None
    valkey: EmbeddedServer | None
    redis_url: str
    store: Store
    guard: Guard
    crew: Crew
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, "workspace"))

    @classmethod
    async def start(cls, var: Path, page: str, given: Mapping[str, str], tell: Tell) -> Workspace:
        """Start all of it and wait until a mention would be answered. page: its address; var: where data lies."""
        guard = Guard()
        try:
            workspace = await cls._start(guard, var, page, given, tell)
            await workspace._await_crew(tell)
        except BaseException:
            await asyncio.to_thread(guard.end)
            raise
        return workspace

    @classmethod
    async def _start(cls, guard: Guard, var: Path, page: str, given: Mapping[str, str], tell: Tell) -> Workspace:
        own = "ANTHROPIC_API_KEY" not in given
        valkey, slack, claude = await asyncio.gather(
            asyncio.to_thread(_valkey, var, given),
            asyncio.to_thread(partial(SlackStandin.start, **of_manifest(manifest()))),
            asyncio.to_thread(ClaudeStandin.start) if own else _nobody(),
        )
        for server in (valkey, slack, claude):
            if server is not None and server.pid is not None:
                guard.watch_server(server.pid)
        url = valkey.url if valkey is not None else given["REDIS_URL"]
        tell("store", f"Valkey, embedded, on {address(url)}" if valkey else f"Redis at {address(url)} (REDIS_URL)")
        tell("slack", f"a stand-in on {address(slack.url)}")
        tell(
            "claude",
            f"a stand-in on {address(claude.url)}"
            if claude
            else f"the real service, at most ${_spend(given)} a day (EVERTHREAD_DAILY_SPEND)",
        )
        common = environment(given, url, slack, claude, page)
        crew = Crew({"bot": _unproxied(common), "worker": common}, var / "log", guard)
        store = open_store(for_bot(url), SystemClock(), SystemIds())
        crew.start()
        return cls(slack, claude, valkey, url, store, guard, crew)

    async def _await_crew(self, tell: Tell) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + UP_WITHIN
        waiting = {"bot": self.bot_is_up, "worker": self.worker_is_up}
        while waiting:
            for name, is_up in list(waiting.items()):
                member = self.crew.member(name)
                if member.fault:
                    raise CannotOpen(f"everthread {name} does not start: {member.fault} (see {member.log})")
                if await asyncio.get_running_loop().run_in_executor(self.threads, is_up):
                    del waiting[name]
                    tell(name, f"up, process {member.pid}")
            if loop.time() > until:
                logs = ", ".join(str(self.crew.member(name).log) for name in waiting)
                raise CannotOpen(f"everthread {' and '.join(waiting)} not up after {UP_WITHIN:.0f} s: see {logs}")
            await asyncio.sleep(0.05)

    def bot_is_up(self) -> bool:
        """Whether the bot that runs now is connected to Slack."""
        return any(socket["pid"] == self.crew.member("bot").pid for socket in self.slack.state()["sockets"])

    def worker_is_up(self) -> bool:
        """Whether the pool that runs now has been seen at work."""
        supervisor = self.crew.member("worker")
        if supervisor.pid is None or len(self.crew.pool()) < 2:
            return False
        with suppress(EverthreadError):
            return self.store.inventory.last_worker(TEAM) is not None
        return False

    async def stop(self) -> None:
        """End everything that was started here."""
        self.crew.finish()
        await asyncio.to_thread(self.guard.end)
        self.threads.shutdown(wait=False, cancel_futures=True)


def manifest() -> dict[str, Any]:
    """What the app asks of Slack: its scopes, its events, its commands and shortcuts."""
    found: dict[str, Any] = json.loads(MANIFEST.read_text(encoding="utf-8"))
    return found


def environment(
    given: Mapping[str, str], redis_url: str, slack: SlackStandin, claude: ClaudeStandin | None, page: str
) -> dict[str, str]:
    """What bot and worker are started with: the playground's servers, and whatever EVERTHREAD_* was given."""
    chosen = {name: value for name, value in given.items() if not name.startswith("SLACK_") and name != "PORT"}
    no_proxy = ",".join(filter(None, (chosen.get("NO_PROXY"), "127.0.0.1", "localhost")))
    chosen |= {
        "NO_PROXY": no_proxy,
        "no_proxy": no_proxy,
        "PYTHONUNBUFFERED": "1",
        "REDIS_URL": redis_url,
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
        "SLACK_API_URL": slack.api_url,
    }
    if claude is not None:
        chosen |= {"ANTHROPIC_API_KEY": "playground", "ANTHROPIC_BASE_URL": claude.url}
    else:
        chosen.setdefault("EVERTHREAD_DAILY_SPEND", DEMO_SPEND)
    chosen.setdefault("EVERTHREAD_TOOLS", DEMO_TOOLS)
    chosen.setdefault("EVERTHREAD_RULES", DEMO_RULES)
    chosen[SHOP] = f"{page}/demo/"
    chosen.setdefault("EVERTHREAD_HTTP_POST", f"{page}/demo/")
    chosen.setdefault("EVERTHREAD_GRACE", DEMO_GRACE)
    chosen.setdefault("EVERTHREAD_RECALL", DEMO_RECALL)
    return chosen


def _unproxied(chosen: Mapping[str, str]) -> dict[str, str]:
    """Slack's socket would go through a proxy whatever NO_PROXY says."""
    return {name: value for name, value in chosen.items() if name.lower() not in _PROXIES}


def _valkey(var: Path, given: Mapping[str, str]) -> EmbeddedServer | None:
    """A fresh server, because the Slack stand-in's workspace is a fresh one too."""
    if given.get("REDIS_URL"):
        return None
    folder = var / "valkey"
    if (left := EmbeddedServer.running(folder)) is not None:
        left.kill()
    shutil.rmtree(folder, ignore_errors=True)
    return EmbeddedServer.start(folder)


def _spend(given: Mapping[str, str]) -> str:
    return given.get("EVERTHREAD_DAILY_SPEND") or DEMO_SPEND


async def _nobody() -> None:
    return None


def this_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if value}
