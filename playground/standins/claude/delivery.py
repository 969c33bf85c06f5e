"""Sending an answer, and everything that can be made to go wrong on the way."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Mapping

from aiohttp import web

from playground.standins.claude.calls import Call, Calls
from playground.standins.claude.faults import Fault, Faults
from playground.standins.claude.stream import Answer, Piece

_PING = Piece({"type": "ping"})


class Delivery:
    """One streamed answer on its way to one caller."""

    def __init__(self, call: Call, answer: Answer, met: Mapping[str, Fault], calls: Calls, faults: Faults) -> None:
        self._call, self._answer, self._calls, self._faults = call, answer, calls, faults
        self._waiting = dict(met)

    async def run(self, request: web.Request, headers: Mapping[str, str], rate: float | None) -> web.StreamResponse:
        """Stream it; the call is ended in the log whatever happens."""
        response = web.StreamResponse(headers={**headers, "content-type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        for piece in self._answer.pieces():
            if not await self._passes(request, response, piece):
                return response
            await response.write(piece.wire)
            self._count(piece)
            await asyncio.sleep(piece.tokens / rate if rate else 0)
        self._calls.end(self._call, "complete")
        await response.write_eof()
        return response

    def _count(self, piece: Piece) -> None:
        if piece.data["type"] == "message_start":
            self._call.billed = {**self._answer.usage, "output_tokens": 1}
        if piece.tokens:
            self._calls.streamed(self._call, piece.tokens)
        elif piece.data["type"] == "message_delta":
            self._call.billed = dict(self._answer.usage)

    async def _passes(self, request: web.Request, response: web.StreamResponse, piece: Piece) -> bool:
        """Whether this piece may go out, after whatever is to happen before it."""
        if (silent := self._due("silent")) is not None:
            await self._fall_silent(response, silent)
        if (hold := self._due("hold", at_end=piece.data["type"] == "message_stop")) is not None:
            self._calls.held(self._call, hold.how)
            await self._faults.held()
        if (error := self._due("error")) is not None:
            said = {"type": error.type or "overloaded_error", "message": error.message or "Overloaded"}
            await response.write(Piece({"type": "error", "error": said}).wire)
            await response.write_eof()
            self._calls.end(self._call, "error", said["type"])
            return False
        if (cut := self._due("cut")) is not None:
            self._calls.end(self._call, "cut", cut.how)
            await hang_up(request, response, cut.how)
            return False
        return True

    def _due(self, kind: str, *, at_end: bool = False) -> Fault | None:
        fault = self._waiting.get(kind)
        if fault is None:
            return None
        due = at_end if fault.how == "end" else self._call.tokens >= fault.after
        return self._waiting.pop(kind) if due else None

    async def _fall_silent(self, response: web.StreamResponse, silent: Fault) -> None:
        self._calls.held(self._call, "silent")
        while not await self._faults.held(silent.pings or None):
            await response.write(_PING.wire)


async def hang_up(request: web.Request, response: web.StreamResponse | None, how: str) -> None:
    """clean: the body ends as if all was said. drop: it ends in the middle. reset: the connection breaks."""
    if how == "clean" and response is not None:
        await response.write_eof()
        return
    transport = request.transport
    if transport is None:
        return
    if how == "reset":
        raw: socket.socket = transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    else:
        transport.close()


def as_json(body: object, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        text=json.dumps(body), status=status, headers=dict(headers or {}), content_type="application/json"
    )
