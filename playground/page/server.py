"""The page's HTTP surface on 127.0.0.1: files, what people do, the levers, and what happens.

What may be asked for is listed in docs/playground.md.

Only pages of this very address may ask for changes: the Host must be ours and a POST must be `application/json`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout, web

from playground.page.demo import Demo
from playground.page.facts import Facts, Json
from playground.page.happenings import Happenings
from playground.page.levers import Levers, NotNow
from playground.standins.slack.people import TEAM
from playground.workspace import Workspace, manifest
from store.errors import EverthreadError
from store.system import SystemClock

HOST = "127.0.0.1"
FILES = Path(__file__).parent / "static"
LOOK_EVERY = 0.15
"""Seconds between two looks at the facts while somebody watches."""
QUIET = 10.0
ACTS = ("say", "click", "delete", "slash", "shortcut", "home", "views/press", "views/submit", "views/close")
"""What people do in Slack: passed on to its stand-in as it is."""
SEEN = (
    *("message.posted", "message.edited", "message.deleted", "reaction.added", "reaction.removed"),
    *("ephemeral.posted", "ephemeral.replaced", "ephemeral.deleted", "status.set"),
    *("view.opened", "view.updated", "view.published", "view.closed"),
)
"""What the page is told of."""
POLICY = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PageServer:
    """Serves one workspace. Open before the workspace is up: `attach` gives it what to show."""

    def __init__(self) -> None:
        self.demo = Demo()
        self._runner: web.AppRunner | None = None
        self._workspace: Workspace | None = None
        self._session: ClientSession | None = None
        self._closing = asyncio.Event()

    async def open(self, port: int) -> str:
        """Listen on `port` of 127.0.0.1 (0: a free one); the address. OSError when the port is taken."""
        app = web.Application(middlewares=[_guarded])
        app.add_routes(
            [
                web.get("/", self._index),
                web.get("/static/{name}", self._file),
                web.post("/demo/{name}", self.demo.take),
                web.get("/api/workspace", self._about),
                web.get("/api/slack", self._slack),
                web.get("/api/facts", self._look),
                web.get("/api/files/{id}", self._shared),
                *(web.post(f"/api/{act}", self._forward(act)) for act in ACTS),
                web.post("/api/levers/{name}", self._pull),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, HOST, port).start()
        return f"http://{HOST}:{self._runner.addresses[0][1]}"

    def attach(self, workspace: Workspace) -> None:
        happenings = Happenings(SystemClock())
        self.demo.happenings = happenings
        self._workspace = workspace
        self._facts = Facts(workspace, happenings)
        self._levers = Levers(workspace, self._facts, happenings)
        self._session = ClientSession(timeout=ClientTimeout(total=None))

    async def close(self) -> None:
        self._closing.set()
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def workspace(self) -> Workspace:
        if self._workspace is None:
            raise web.HTTPServiceUnavailable(text="the playground is still starting")
        return self._workspace

    async def _off(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.workspace.threads, work)

    async def _index(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(FILES / "index.html")

    async def _file(self, request: web.Request) -> web.StreamResponse:
        path = FILES / Path(request.match_info["name"]).name
        if not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path)

    async def _about(self, request: web.Request) -> web.StreamResponse:
        workspace = self.workspace
        state: Json = await self._off(workspace.slack.state)
        kept = ("bot_user", "people", "channels", "ephemerals", "views", "last_event")
        return web.json_response(
            {name: state[name] for name in kept}
            | {
                "team": TEAM,
                "demo": f"http://{request.host}/demo/charge",
                "real_model": workspace.claude is None,
                "own_redis": workspace.valkey is None,
                "effects": self.demo.effects,
                "features": manifest()["features"],
            }
        )

    async def _shared(self, request: web.Request) -> web.StreamResponse:
        """A file that was shared in Slack, as text."""
        file = request.match_info["id"]
        known = {one["id"] for one in (await self._off(self.workspace.slack.state))["files"]}
        if file not in known:
            raise web.HTTPNotFound
        content = await self._off(lambda: self.workspace.slack.file(file))
        return web.Response(text=content.decode("utf-8", "replace"))

    def _forward(self, act: str) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            if self._session is None:
                raise web.HTTPServiceUnavailable
            wish = {key: value for key, value in (await request.json()).items() if value is not None}
            async with self._session.post(f"{self.workspace.slack.url}/control/{act}", json=wish) as answer:
                return web.json_response(await answer.json(), status=answer.status)

        return handle

    async def _pull(self, request: web.Request) -> web.StreamResponse:
        name, thread = request.match_info["name"], str((await request.json()).get("thread", ""))
        if name not in self._levers.all:
            raise web.HTTPNotFound(text=f"there is no lever {name}")
        try:
            said = await self._off(lambda: self._levers.pull(name, thread))
        except (NotNow, EverthreadError) as no:
            return web.json_response({"ok": False, "said": str(no)})
        return web.json_response({"ok": True, "said": said})

    async def _slack(self, request: web.Request) -> web.StreamResponse:
        """Relay the Slack stand-in's stream."""
        since = request.headers.get("Last-Event-ID", request.query.get("since", "0"))
        if self._session is None or not since.isdecimal():
            raise web.HTTPServiceUnavailable
        address = f"{self.workspace.slack.url}/control/events?since={since}&kinds={','.join(SEEN)}"
        stream = await _event_stream(request)
        try:
            async with self._session.get(address) as events:
                async for piece in events.content.iter_any():
                    await stream.write(piece)
        except (OSError, ClientError):
            pass  # the browser left, or the stand-in ended: it asks again
        return stream

    async def _look(self, request: web.Request) -> web.StreamResponse:
        """The facts about `thread`: once, or for who asks for a stream of events whenever they change."""
        thread = request.query.get("thread", "")
        if "text/event-stream" not in request.headers.get("Accept", ""):
            return web.json_response(await self._found(thread))
        stream, shown, quiet = await _event_stream(request), "", 0.0
        try:
            while not self._closing.is_set():
                text = json.dumps(await self._found(thread))
                if text != shown:
                    await stream.write(f"data: {text}\n\n".encode())
                elif quiet > QUIET:
                    await stream.write(b": still here\n\n")
                quiet = 0.0 if text != shown or quiet > QUIET else quiet + LOOK_EVERY
                shown = text
                await asyncio.sleep(LOOK_EVERY)
        except (OSError, RuntimeError):
            pass  # the browser left, or the workspace ended
        return stream

    async def _found(self, thread: str) -> Json:
        found: Json = await self._off(lambda: self._facts.look(thread))
        return found | {"effects": self.demo.effects}


async def _event_stream(request: web.Request) -> web.StreamResponse:
    stream = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await stream.prepare(request)
    return stream


@web.middleware
async def _guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    if request.host.partition(":")[0] not in (HOST, "localhost"):
        raise web.HTTPForbidden(text="ask for this page by its own address")
    if request.method == "POST" and request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(text="send application/json")
    request_origin = request.headers.get("Origin")
    if request_origin is not None and request_origin != f"http://{request.host}":
        raise web.HTTPForbidden(text="another page may not ask for this")
    response = await handler(request)
    if not response.prepared:
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
    return response
