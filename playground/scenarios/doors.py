"""Where a play's bots listen when Slack posts to them: a port of its own each, behind the app's one Request URL."""

from __future__ import annotations

import asyncio
import socket

from bot.request_url import PATH
from playground.scenarios.happenings import Happenings
from playground.scenarios.loopback import Loopback
from playground.standins.slack.client import SlackStandin

HOST = "127.0.0.1"
AGAIN_SECONDS = 0.01
"""Between two looks whether a bot listens."""


class Doors:
    """A bot is behind the address from when it listens until the play ends; one that dies is found shut by whoever
    knocks, as a host's router finds it."""

    def __init__(self, loopback: Loopback, happenings: Happenings, slack: SlackStandin) -> None:
        self._loopback, self._happenings, self._slack = loopback, happenings, slack
        self._kept: list[socket.socket] = []
        self._open: list[str] = []
        self._watches: set[asyncio.Task[None]] = set()

    def take(self) -> int:
        """A port that nobody else gets until the play ends.

        It stays bound here, without listening: only who also asks for the reuse of an address may bind it again.
        """
        door = socket.socket()
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((HOST, 0))
        self._kept.append(door)
        return int(door.getsockname()[1])

    def watch(self, pid: int, port: int) -> None:
        """Tell Slack and everybody (`bot.listens`) once this bot listens there."""
        self._loopback.loop.call_soon_threadsafe(self._watch, pid, port)

    def close(self) -> None:
        """Forget every bot, and let go of the ports."""

        async def end() -> None:
            watches = list(self._watches)
            for watch in watches:
                watch.cancel()
            await asyncio.gather(*watches, return_exceptions=True)
            self._open.clear()

        self._loopback.do(end())
        while self._kept:
            self._kept.pop().close()

    def _watch(self, pid: int, port: int) -> None:
        task = asyncio.get_running_loop().create_task(self._admit(pid, port))
        self._watches.add(task)
        task.add_done_callback(self._watches.discard)

    async def _admit(self, pid: int, port: int) -> None:
        while not await _listens(port):
            await asyncio.sleep(AGAIN_SECONDS)
        self._open.append(f"http://{HOST}:{port}{PATH}")
        self._slack.settings(request_url=self._open)  # it blocks this loop, so that nothing can come in between
        self._happenings.tell("bot.listens", pid=pid, port=port)


async def _listens(port: int) -> bool:
    try:
        _, line = await asyncio.open_connection(HOST, port)
    except OSError:
        return False
    line.close()
    return True
