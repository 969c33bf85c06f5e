"""Where a scenario is played for real: a server, two stand-ins, the effects, and the processes between them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from redis import Redis

from playground.scenarios.commit_proxy import CommitProxy
from playground.scenarios.doors import Doors
from playground.scenarios.effects import Effects
from playground.scenarios.feeds import Feed
from playground.scenarios.happenings import BOT_IS_UP, Happenings, NothingHappened
from playground.scenarios.loopback import Loopback
from playground.scenarios.processes import Kind, Processes
from playground.scenarios.scenario import Scenario
from playground.scenarios.tools import EFFECTS, PLANS, described
from playground.server import EmbeddedServer
from playground.standins.claude.client import ClaudeStandin
from playground.standins.slack.client import SlackStandin
from store.redis import open_store
from store.redis.connection import for_tenure
from store.redis.scripts import Scripts
from store.system import SystemClock, SystemIds

CONNECT_SECONDS = 15.0
TOOLS = "playground.scenarios.tools:tools"


class Stage:
    """Built once, set anew for each play. keep: a folder to leave logs in; workers: per group, instead of one.

    direct: the processes reach the store without the door that counts commits.
    """

    def __init__(
        self, *, fresh: bool = False, keep: Path | None = None, workers: int | None = None, direct: bool = False
    ) -> None:
        self._workers, self._direct = workers, direct
        self.folder = keep or Path(tempfile.mkdtemp(prefix="everthread-scenarios-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self._closing: list[Callable[[], None]] = []
        try:
            self._build(fresh=fresh, keep=keep is not None)
        except BaseException:
            self.close()
            raise

    def _build(self, *, fresh: bool, keep: bool) -> None:
        self.happenings = Happenings()
        self.processes = Processes(self.happenings, self.folder, fresh=fresh, keep=keep)
        self._closing.append(self.processes.close)
        self.server = EmbeddedServer.start(self.folder / "data")
        self._closing.append(self.server.kill)
        self.processes.guard(self.server.pid)
        self.slack = SlackStandin.start()
        self._closing.append(self.slack.stop)
        self.claude = ClaudeStandin.start()
        self._closing.append(self.claude.stop)
        loopback = Loopback()
        self._closing.append(loopback.close)
        self.proxy = CommitProxy(loopback, self.happenings)
        self.proxy.bots = lambda: self.processes.living("bot")
        self.proxy.start(self.server.port)
        self._closing.append(self.proxy.close)
        self.effects = Effects(loopback, self.happenings)
        self.effects.start()
        self._closing.append(self.effects.close)
        self._doors = Doors(loopback, self.happenings, self.slack)
        self._closing.append(self._doors.close)
        self._feeds = [
            Feed("slack", self.slack.url, self.happenings),
            Feed("claude", self.claude.url, self.happenings),
        ]
        self._closing += [feed.close for feed in self._feeds]
        self.redis: Redis = for_tenure(self.server.url)
        self._closing.append(self.redis.close)
        self.store = open_store(self.redis, SystemClock(), SystemIds())
        self._environment: dict[str, str] = {}
        self._starting: list[int] = []
        self._posted_to = False
        self.log = self.folder / "log"

    def set_up(self, scenario: Scenario, *, play: str = "") -> None:
        """An empty store, forgetful stand-ins, and the scenario's processes, connected."""
        self.processes.clear()
        self._doors.close()
        self.redis.flushall()
        Scripts(self.redis).load()
        self.slack.reset()
        self.slack.settings(**{"trace": False, "transport": scenario.transport, **scenario.slack})
        self.claude.script(scenario.model)
        self.claude.reset()
        self.proxy.reset()
        self.effects.reset(scenario.tools)
        self.await_feeds()
        self.happenings.clear()
        self.log = self.folder / f"{scenario.name}{'-http' if scenario.transport == 'http' else ''}{play}.log"
        self._posted_to = scenario.transport == "http"
        self._environment = self._variables(scenario)
        self.start("worker", scenario.workers)
        self.start("bot", scenario.bots)
        self.await_bots(scenario.bots)

    def start(self, kind: Kind, count: int) -> None:
        self._starting = [self._start(kind) for _ in range(count)]

    def await_bots(self, count: int) -> None:
        """Until as many bots were connected, or listened, since the play began."""

        def there() -> bool:
            for pid in self._starting:
                if pid in self.processes.ended:
                    raise NothingHappened(f"a process ended while it started; the end of its log:\n{self.tail()}")
            return len(self.happenings.all(*BOT_IS_UP)) >= count

        self.happenings.until(there, "the bots are connected", timeout=CONNECT_SECONDS)

    def tail(self, lines: int = 5) -> str:
        """The end of the processes' log."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def restart_server(self) -> None:
        self.server.restart()
        self.processes.guard(self.server.pid)
        with suppress(Exception):
            self.redis.connection_pool.disconnect()
        Scripts(self.redis).load()

    def close(self) -> None:
        """End everything, the last thing first."""
        while self._closing:
            with suppress(Exception):
                self._closing.pop()()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, kind: Kind) -> int:
        if kind == "worker" or not self._posted_to:
            return self.processes.start(kind, self._environment, self.log)
        port = self._doors.take()
        pid = self.processes.start(kind, self._environment | {"PORT": str(port)}, self.log)
        self._doors.watch(pid, port)
        return pid

    def _variables(self, scenario: Scenario) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
        settings = {
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": "" if self._posted_to else self.slack.app_token,
            "SLACK_SIGNING_SECRET": self.slack.signing_secret if self._posted_to else "",
            "SLACK_API_URL": self.slack.api_url,
            "ANTHROPIC_API_KEY": "not-a-key",
            "ANTHROPIC_BASE_URL": self.claude.url,
            "REDIS_URL": self.server.url if self._direct else self.proxy.url,
            "EVERTHREAD_WORKERS": str(self._workers or 1),
            "EVERTHREAD_LOG": "info",
            EFFECTS: str(self.effects.port),
            PLANS: described(scenario.tools, scenario.model),
        }
        tools = {"EVERTHREAD_TOOLS": TOOLS} if scenario.tools else {}
        return inherited | settings | tools | dict(scenario.settings)

    def await_feeds(self) -> None:
        """Until nothing of the play before can still be on its way."""
        ends = [self.slack.last(), int(self.claude.state()["seq"])]
        self.happenings.until(
            lambda: all(feed.seen >= end for feed, end in zip(self._feeds, ends, strict=True)),
            "the stand-ins have told everything",
            timeout=10.0,
        )
