"""Socket Mode's connections: tickets, hello, acknowledgements, disconnect frames."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, Protocol

from aiohttp import WSMsgType, web

from playground.standins.journal import Journal
from playground.standins.slack.limits import limit_of
from playground.standins.slack.people import APP

Json = dict[str, Any]
HOST = "applink-local"
How = Literal["warning", "refresh_requested", "link_disabled", "close", "cut"]


class Heard(Protocol):
    """What the sockets tell the outbox."""

    def acked(self, envelope: str, answer: Json | None) -> bool:
        """False if no such envelope was ever sent."""

    def opened(self) -> None: ...

    def closed(self, socket: Socket) -> None: ...


@dataclass(slots=True, eq=False)
class Socket:
    """One connection of the app; a draining one gets no new payload while another is there."""

    id: int
    ws: web.WebSocketResponse
    pid: int | None
    abort: Callable[[], None]
    draining: bool = False

    async def send(self, frame: Json) -> bool:
        """False if the connection is gone."""
        try:
            await self.ws.send_str(json.dumps(frame))
        except (ConnectionError, RuntimeError):
            return False
        return not self.ws.closed

    def dump(self) -> Json:
        return {"id": self.id, "pid": self.pid, "draining": self.draining}


class Sockets:
    """All open connections. A payload goes to one of them, in turn."""

    def __init__(self, journal: Journal, violate: Callable[[str], None]) -> None:
        self._journal = journal
        self._violate = violate
        self._numbers = count(1)
        self._tickets: set[str] = set()
        self._turn = 0
        self._closing: set[asyncio.Task[None]] = set()
        self.open: list[Socket] = []
        self.heard: Heard | None = None

    def ticket(self) -> str:
        """A secret for one connection, as `apps.connections.open` gives it."""
        ticket = f"t{next(self._numbers)}-{id(self):x}"
        self._tickets.add(ticket)
        return ticket

    def next(self) -> Socket | None:
        ready = [socket for socket in self.open if not socket.draining] or self.open
        if not ready:
            return None
        self._turn += 1
        return ready[self._turn % len(ready)]

    async def serve(self, request: web.Request, pid: int | None) -> web.StreamResponse:
        """One connection's life, from the ticket to the close."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=403, text="this ticket was used or never given")
        self._tickets.discard(ticket)
        ws = web.WebSocketResponse(compress=False, timeout=0.2)
        await ws.prepare(request)
        transport = request.transport
        socket = Socket(next(self._numbers), ws, pid, transport.abort if transport else lambda: None)
        if len(self.open) >= limit_of("sockets").limit:
            await socket.send({"type": "disconnect", "reason": "too_many_websockets", "debug_info": {"host": HOST}})
            await ws.close()
            return ws
        self.open.append(socket)
        await self._greet(socket)
        try:
            async for frame in ws:
                if frame.type == WSMsgType.TEXT:
                    self._hear(frame.data)
        finally:
            self.open.remove(socket)
            self._journal.add("socket.closed", socket=socket.id, pid=pid, open=len(self.open))
            if self.heard is not None:
                self.heard.closed(socket)
        return ws

    async def _greet(self, socket: Socket) -> None:
        await socket.send(
            {
                "type": "hello",
                "num_connections": len(self.open),
                "debug_info": {"host": HOST, "build_number": 1, "approximate_connection_time": 18060},
                "connection_info": {"app_id": APP},
            }
        )
        self._journal.add("socket.connected", socket=socket.id, pid=socket.pid, open=len(self.open))
        if self.heard is not None:
            self.heard.opened()

    def _hear(self, text: str) -> None:
        try:
            frame = json.loads(text)
            envelope = frame["envelope_id"]
        except (ValueError, TypeError, KeyError):
            self._violate(f"a frame that is no acknowledgement: {text[:200]}")
            return
        if self.heard is not None and not self.heard.acked(envelope, frame.get("payload")):
            self._violate(f"an acknowledgement of an envelope never sent: {envelope}")

    async def drop(self, how: How, grace: float, numbers: list[int] | None = None) -> int:
        """Close all connections, or those with these numbers; returns how many.

        A disconnect frame with `how` as its reason leaves `grace` seconds to move over. `close` is a
        WebSocket close without such a frame, `cut` not even that: slack_sdk notices it by its pings alone.
        """
        chosen = [socket for socket in self.open if numbers is None or socket.id in numbers]
        for socket in chosen:
            if how == "cut":
                socket.abort()
                continue
            if how != "close":
                socket.draining = True
                await socket.send({"type": "disconnect", "reason": how, "debug_info": {"host": HOST}})
            task = asyncio.create_task(self._close_later(socket, 0.0 if how == "close" else grace))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        return len(chosen)

    async def _close_later(self, socket: Socket, grace: float) -> None:
        await asyncio.sleep(grace)
        with contextlib.suppress(ConnectionError, RuntimeError):
            await socket.ws.close()

    async def close(self) -> None:
        for task in self._closing:
            task.cancel()
        for socket in list(self.open):
            socket.abort()
