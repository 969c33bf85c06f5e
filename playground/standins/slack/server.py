"""The stand-in's HTTP surface on 127.0.0.1, and its life."""

from __future__ import annotations

from aiohttp import web

from playground.standins.departed import departed
from playground.standins.slack import control, file_server
from playground.standins.slack.response_url import respond
from playground.standins.slack.settings import Settings
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.dispatch import dispatch

HOST = "127.0.0.1"
_LARGEST_BODY = 16 * 1024 * 1024  # bytes; over any limit that is checked


class SlackServer:
    """A running stand-in: `url`, and `slack`, its state, for callers in the same process."""

    def __init__(self, slack: Standin, runner: web.AppRunner) -> None:
        self.slack, self._runner = slack, runner

    @property
    def url(self) -> str:
        return self.slack.url

    async def stop(self) -> None:
        self.slack.faults.clear()
        await self.slack.outbox.close()
        await self.slack.sockets.close()
        await self._runner.cleanup()


async def serve(port: int = 0, settings: Settings | None = None) -> SlackServer:
    """Listen on `port` of 127.0.0.1 (0: a free one) until `stop()`."""
    slack = Standin(settings or Settings())
    app = web.Application(client_max_size=_LARGEST_BODY, middlewares=[departed])
    app.add_routes(_routes(slack))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    await site.start()
    slack.url = f"http://{HOST}:{runner.addresses[0][1]}"
    return SlackServer(slack, runner)


def _routes(slack: Standin) -> list[web.RouteDef]:
    async def api(request: web.Request) -> web.StreamResponse:
        return await dispatch(slack, request)

    async def link(request: web.Request) -> web.StreamResponse:
        pid = slack.peers.pid(request.transport) if slack.settings.trace else None
        return await slack.sockets.serve(request, pid)

    async def answer(request: web.Request) -> web.StreamResponse:
        return await respond(slack, request)

    return [
        web.route("*", "/api/{method}", api),
        web.get("/link/", link),
        web.post("/response/{key}", answer),
        *file_server.routes(slack),
        *control.routes(slack),
    ]
