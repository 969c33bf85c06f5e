"""The Messages API on a loopback port."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from aiohttp import web

from playground.standins.claude import checks, control
from playground.standins.claude.calls import Call, Calls
from playground.standins.claude.claude import StandinClaude
from playground.standins.claude.delivery import Delivery, as_json, hang_up
from playground.standins.claude.faults import Fault, Faults
from playground.standins.claude.refused import Refused
from playground.standins.claude.transcript import Json, Transcript
from playground.standins.claude.turn import Turn
from playground.standins.departed import departed
from playground.standins.journal import Journal
from playground.standins.peers import Peers


class ClaudeServer:
    """A running stand-in; `url` is what ANTHROPIC_BASE_URL wants."""

    def __init__(self) -> None:
        self.claude = StandinClaude()
        self.journal = Journal()
        self.calls = Calls(self.journal)
        self.faults = Faults()
        self.url = ""
        self._peers = Peers()
        self._pids: WeakKeyDictionary[asyncio.BaseTransport, int | None] = WeakKeyDictionary()
        self._runner: web.AppRunner | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, port: int) -> None:
        app = web.Application(client_max_size=checks.MAX_BYTES * 2, middlewares=[departed])
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count_tokens)
        control.add_routes(app, self)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        host, bound = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{bound}"

    async def close(self) -> None:
        self.faults.release()
        if self._runner is not None:
            await self._runner.cleanup()

    def reset(self) -> None:
        """As if nothing had ever been asked; the script stays."""
        self.faults.clear()
        self.calls.clear()
        self.claude.forget()
        self.journal.clear()

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        call = self.calls.begin()
        call.pid = self._pids.get(request.transport) if request.transport is not None else None
        headers = {"request-id": f"req_{call.n:06d}"}
        try:
            body, transcript = await self._read(request)
            call.request, call.digest, call.prompt = body, transcript.digest, transcript.prompt[:200]
            turn, call.turn = self.claude.turn(transcript)
            self.calls.started(call)
            self._look_for_caller(request, call)
            met = self.faults.take(transcript.prompt, call.turn)
            return await self._answer(request, headers, call, turn, transcript, met)
        except Refused as refused:
            return self._refuse(call, refused, headers)
        finally:
            self.calls.end(call, "cut")  # nobody ended it: the caller hung up

    async def _answer(
        self,
        request: web.Request,
        headers: Mapping[str, str],
        call: Call,
        turn: Turn,
        transcript: Transcript,
        met: dict[str, Fault],
    ) -> web.StreamResponse:
        if (hold := met.get("hold")) is not None and hold.how == "start":
            del met["hold"]
            self.calls.held(call, "start")
            await self.faults.held()
        if (refusal := met.get("refuse")) is not None:
            raise Refused(
                refusal.message or "Overloaded",
                refusal.status,
                type_=refusal.type,
                retry_after=refusal.retry_after,
                wrong=False,
            )
        answer = self.claude.answer(call.request, transcript, turn, met)
        if call.request.get("stream"):
            slow = met.get("slow")
            rate = slow.tokens_per_second if slow is not None else turn.tokens_per_second
            return await Delivery(call, answer, met, self.calls, self.faults).run(request, headers, rate)
        if (cut := met.get("cut")) is not None:
            self.calls.end(call, "cut", cut.how)
            await hang_up(request, None, cut.how)
        call.billed = dict(answer.usage)
        self.calls.end(call, "complete")
        return as_json(answer.message(), headers=headers)

    def _refuse(self, call: Call, refused: Refused, headers: dict[str, str]) -> web.Response:
        call.status = refused.status
        if refused.wrong:
            self.calls.violated(call, refused.message)
        self.calls.end(call, "refused", f"{refused.type}: {refused.message}")
        if refused.retry_after is not None:
            headers = {**headers, "retry-after": f"{refused.retry_after:g}"}
        return as_json(refused.body(headers["request-id"]), refused.status, headers)

    async def _read(self, request: web.Request) -> tuple[Json, Transcript]:
        checks.check_headers(request.headers)
        body = checks.parse(await request.read())
        return body, self.claude.read(body)

    async def _count_tokens(self, request: web.Request) -> web.Response:
        try:
            checks.check_headers(request.headers)
            body = {"max_tokens": 1, **checks.parse(await request.read())}
            return as_json({"input_tokens": self.claude.count(self.claude.read(body))})
        except Refused as refused:
            return as_json(refused.body("req_count"), refused.status)

    def _look_for_caller(self, request: web.Request, call: Call) -> None:
        """Who asks, once a connection and beside the answer: looking takes milliseconds."""
        transport = request.transport
        if transport is None or transport in self._pids:
            return

        async def look() -> None:
            pid = self._pids[transport] = await asyncio.to_thread(self._peers.pid, transport)
            self.calls.placed(call, pid)

        self._start(look())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def serve(port: int = 0, turns: Iterable[Mapping[str, Any]] | None = None) -> ClaudeServer:
    """A stand-in that listens on 127.0.0.1, answering from `turns` or its repertoire."""
    server = ClaudeServer()
    server.claude.follow(turns)
    await server.start(port)
    return server
