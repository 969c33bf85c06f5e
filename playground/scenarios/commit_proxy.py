"""A door between the processes and the store: it knows each script by name, and something can happen at each.

    process ── command ──▶ [before] ── command ──▶ store
    process ◀── answer ── [after]  ◀── answer ──

A process that dies `before` never sent its commit; one that dies `after` never learnt that it landed.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import hiredis

from playground.scenarios.happenings import Happenings
from playground.scenarios.loopback import Loopback
from playground.scenarios.points import SCRIPTS, AtPoint, Counter, DeathPoint, Side
from playground.scenarios.script_call import ScriptCall
from playground.scenarios.wire import Commands
from playground.standins.peers import Peers
from store.redis.scripts import SHARED, source
from worker.process.wake import QUEUE

LETTING_IN = 3
"""Rounds of a loop until who was let in last is a client, and can be sent away."""
BY_BOTS = ("admit", "answer")
"""Scripts that bots run; of a claim its arguments tell who makes it."""
WAITS = (b"BLMOVE", b"BLPOP", b"BRPOP", b"BRPOPLPUSH")


@dataclass(slots=True, eq=False)
class Hold:
    """One call that stands still until it is released."""

    name: str
    nth: int
    side: Side
    released: asyncio.Event = field(default_factory=asyncio.Event)
    dead: bool = False
    """Whether its process died while it stood."""


class CommitProxy:
    """Listens on `port`; `at_point` is asked at each script that changes a run."""

    def __init__(self, loopback: Loopback, happenings: Happenings) -> None:
        self.happenings = happenings
        self.bots: Callable[[], Sequence[int]] = list
        """Whose connection an admission may come by; a claim says itself who makes it."""
        self.counter = Counter()
        self.peers = Peers()
        self.at_point: AtPoint = lambda _point, _pid: False
        self.port = self.target = 0
        self.holds: list[Hold] = []
        self._loopback = loopback
        self._server: asyncio.Server | None = None
        self._clients: set[_Client] = set()
        self.names = {
            hashlib.sha1(source(name).encode(), usedforsecurity=False).hexdigest().encode(): name for name in SHARED
        }

    def start(self, target: int) -> None:
        """Stand before the server on port `target` of this machine."""

        async def listen() -> None:
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(lambda: _Client(self, self._clients), "127.0.0.1", 0)

        self.target = target
        self._loopback.do(listen())
        if self._server is not None:
            self.port = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def reset(self) -> None:
        """Count from the beginning, hold nobody, and let every connection go."""

        async def clear() -> None:
            self.counter.clear()
            self.at_point = lambda _point, _pid: False
            for hold in self.holds:
                hold.released.set()
            self.holds.clear()
            for client in list(self._clients):
                client.drop()

        self._loopback.do(clear())

    def hold(self, name: str, nth: int, side: Side) -> Hold:
        """The `nth` such script from the beginning stands still, before or after."""
        hold = Hold(name, nth, side)
        self._loopback.loop.call_soon_threadsafe(self.holds.append, hold)
        return hold

    def release(self, hold: Hold, *, dead: bool = False) -> None:
        """Let it go on; or, when its process is `dead`, let it never have been sent."""
        hold.dead = dead
        self._loopback.loop.call_soon_threadsafe(hold.released.set)

    def close(self) -> None:
        async def end() -> None:
            if self._server is not None:
                self._server.close()
            for _ in range(LETTING_IN):
                await asyncio.sleep(0)

        self._loopback.do(end())
        self.reset()


class _Client(asyncio.Protocol):
    """One process' connection, and ours to the store for it."""

    def __init__(self, proxy: CommitProxy, clients: set[_Client]) -> None:
        self._proxy, self._clients = proxy, clients
        self._commands = Commands()
        self._queue: deque[tuple[bytes, list[bytes]]] = deque()
        self._flying: deque[ScriptCall | None] = deque()
        self._answers = hiredis.Reader(encoding="utf-8", errors="replace")
        self._store: asyncio.Transport | None = None
        self._stands = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._pid: int | None = None
        self._waits = False

    def connection_made(self, transport: Any) -> None:
        self._process: asyncio.Transport = transport
        self._clients.add(self)
        self._later(self._connect())

    def data_received(self, data: bytes) -> None:
        self._queue.extend(self._commands.feed(data))
        self._forward()

    def connection_lost(self, _error: Exception | None) -> None:
        self.drop()

    def drop(self) -> None:
        self._clients.discard(self)
        self._queue.clear()
        self._process.abort()
        if self._store is not None:
            self._store.abort()

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            transport, _ = await loop.create_connection(lambda: _Upstream(self), "127.0.0.1", self._proxy.target)
        except OSError:
            self.drop()
            return
        if self not in self._clients:  # dropped meanwhile
            transport.abort()
            return
        self._store = transport
        self._forward()

    def _forward(self) -> None:
        """Send on what waits, up to a call at which something happens."""
        while self._queue and self._store is not None and not self._stands:
            raw, words = self._queue.popleft()
            call = self._call(words)
            if call is not None and self._meets(call, "before", lambda raw=raw, call=call: self._send(raw, call)):
                return
            self._send(raw, call)

    def _send(self, raw: bytes, call: ScriptCall | None) -> None:
        if self._store is not None and not self._process.is_closing():
            self._flying.append(call)
            self._store.write(raw)

    def answered(self, data: bytes) -> None:
        """The store's bytes; a script's answer comes alone, as its client waits for it."""
        self._answers.feed(data)
        while (answer := self._answers.gets()) is not False:
            call = self._flying.popleft() if self._flying else None
            if call is None:
                continue
            self._proxy.happenings.tell(**call.told(answer, self._pid))
            if call.landed(answer) and self._meets(call, "after", lambda: self._process.write(data)):
                return
        self._process.write(data)

    def _call(self, words: list[bytes]) -> ScriptCall | None:
        if words[0] in WAITS and not self._waits and QUEUE.encode() in words[1]:
            self._waits = True
            self._proxy.happenings.tell("store.worker.waits")
        name = self._proxy.names.get(words[1]) if words[0] == b"EVALSHA" else None
        if name is None:
            return None
        call = ScriptCall(name, words)
        if self._pid is None:
            self._pid = call.owner or (self._bot() if name in BY_BOTS else None)
        if name in SCRIPTS:
            call.nth = self._proxy.counter.next("store", name)
        return call

    def _bot(self) -> int | None:
        pid = self._proxy.peers.pid(self._process)
        return pid if pid in self._proxy.bots() else None

    def _meets(self, call: ScriptCall, side: Side, go_on: Any) -> bool:
        """Whether this call does not simply go on here: its process died, or it stands still."""
        if not call.nth:
            return False
        if self._proxy.at_point(DeathPoint("store", call.name, call.nth, side), self._pid):
            self.drop()
            return True
        holds = [hold for hold in self._proxy.holds if (hold.name, hold.nth, hold.side) == (call.name, call.nth, side)]
        if holds:
            self._stands = True
            self._later(self._stand(call, holds[0], go_on))
        return bool(holds)

    async def _stand(self, call: ScriptCall, hold: Hold, go_on: Any) -> None:
        self._proxy.holds.remove(hold)
        self._proxy.happenings.tell("store.held", name=call.name, nth=call.nth, side=hold.side, pid=self._pid)
        await hold.released.wait()
        self._stands = False
        if hold.dead:
            self.drop()
            return
        go_on()
        self._forward()

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Upstream(asyncio.Protocol):
    """The store's side of a connection."""

    def __init__(self, client: _Client) -> None:
        self._client = client

    def data_received(self, data: bytes) -> None:
        self._client.answered(data)

    def connection_lost(self, _error: Exception | None) -> None:
        self._client.drop()
