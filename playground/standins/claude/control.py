"""The levers of the stand-in, under /control.

POST script {turns: […] or null} · POST fault {kind, …} · POST release · POST reset · GET state · GET calls (with
their requests) · GET wait?since=&timeout=&kinds=a,b (the next happenings) · GET events?since= (all, as SSE)
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from aiohttp import web

from playground.standins.claude.delivery import as_json
from playground.standins.claude.faults import Fault
from playground.standins.claude.transcript import Json
from playground.standins.journal import Journal

if TYPE_CHECKING:
    from playground.standins.claude.server import ClaudeServer

_PATIENCE = 15.0  # seconds between two comments on a quiet event stream


def add_routes(app: web.Application, server: ClaudeServer) -> None:
    def post(name: str, work: Callable[[Any], object]) -> None:
        async def handle(request: web.Request) -> web.Response:
            given = await request.json() if request.can_read_body else {}
            try:
                work(given)
            except (ValueError, TypeError, KeyError) as error:
                return as_json({"error": str(error)}, 400)
            return as_json({"seq": server.journal.last})

        app.router.add_post(f"/control/{name}", handle)

    def get(name: str, work: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> None:
        app.router.add_get(f"/control/{name}", work)

    post("script", lambda given: server.claude.follow(given["turns"]))
    post("fault", lambda given: server.faults.arm(Fault.parse(given)))
    post("release", lambda _: server.faults.release())
    post("reset", lambda _: server.reset())

    async def state(_: web.Request) -> web.StreamResponse:
        return as_json(_state(server))

    async def calls(_: web.Request) -> web.StreamResponse:
        return as_json({"calls": [call.dump(request=True) for call in server.calls.log]})

    async def wait(request: web.Request) -> web.StreamResponse:
        return as_json({"events": await _wait(server.journal, request)})

    async def events(request: web.Request) -> web.StreamResponse:
        return await _events(server.journal, request)

    get("state", state)
    get("calls", calls)
    get("wait", wait)
    get("events", events)


def _state(server: ClaudeServer) -> Json:
    billed = [call.billed for call in server.calls.log if call.billed is not None]
    return {
        "scripted": server.claude.scripted,
        "calls": [call.dump() for call in server.calls.log],
        "billed": {
            "calls": len(billed),
            "input_tokens": sum(usage["input_tokens"] for usage in billed),
            "cache_read_input_tokens": sum(usage["cache_read_input_tokens"] for usage in billed),
            "cache_creation_input_tokens": sum(usage["cache_creation_input_tokens"] for usage in billed),
            "output_tokens": sum(usage["output_tokens"] for usage in billed),
        },
        "asked_twice": server.calls.asked_twice(),
        "violations": server.calls.violations,
        "seq": server.journal.last,
    }


async def _wait(journal: Journal, request: web.Request) -> list[Json]:
    kinds = frozenset(filter(None, request.query.get("kinds", "").split(",")))
    since, timeout = int(request.query.get("since", 0)), float(request.query.get("timeout", 10))
    return [happening.dump() for happening in await journal.wait(since, timeout, kinds or None)]


async def _events(journal: Journal, request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream", "cache-control": "no-store"})
    await response.prepare(request)
    seq = int(request.query.get("since", request.headers.get("Last-Event-ID", journal.last)))
    while True:
        found = await journal.wait(seq, _PATIENCE)
        if not found:
            await response.write(b": quiet\n\n")
        for happening in found:
            seq = happening.seq
            data = json.dumps(happening.dump())
            await response.write(f"id: {seq}\nevent: {happening.kind}\ndata: {data}\n\n".encode())
