"""Several processes behind one Request URL: who gets a post, and what becomes of one that nobody takes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

from playground.standins.slack import acts
from playground.standins.slack.outbox import Delivery
from playground.standins.slack.request_url import Posted, RequestUrl
from playground.standins.slack.server import SlackServer, serve
from playground.standins.slack.settings import Settings

NEVER = 3600.0
"""Seconds; longer than any test takes."""


class Process:
    """Takes posts and counts them; one that `dies` breaks the connection instead of answering."""

    def __init__(self, *, dies: bool = False) -> None:
        self.url, self.posts = "", 0
        self._dies = dies

    async def take(self, request: web.Request) -> web.Response:
        await request.read()
        self.posts += 1
        if self._dies and request.transport is not None:
            request.transport.abort()
        return web.Response()


@asynccontextmanager
async def listening(*processes: Process) -> AsyncIterator[list[str]]:
    """Their addresses, in order."""
    runners = []
    for process in processes:
        app = web.Application()
        app.router.add_post("/", process.take)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        process.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
        runners.append(runner)
    yield [process.url for process in processes]
    for runner in runners:
        await runner.cleanup()


@contextmanager
def nobody() -> Iterator[str]:
    """An address at which nobody listens, and nobody else can meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/"


async def posted(router: RequestUrl, processes: list[str]) -> Posted:
    return await router.post(processes, "secret", "events_api", {"type": "event_callback"}, 3.0)


def test_processes_behind_the_request_url_get_the_posts_in_turn() -> None:
    first, second = Process(), Process()

    async def play() -> None:
        router = RequestUrl()
        async with listening(first, second) as urls:
            for _ in range(4):
                assert (await posted(router, urls)).reason == ""
        await router.close()

    asyncio.run(play())

    assert (first.posts, second.posts) == (2, 2)


def test_a_process_that_refuses_the_connection_is_passed_over() -> None:
    living = Process()

    async def play() -> None:
        router = RequestUrl()
        with nobody() as dead:
            async with listening(living) as urls:
                for _ in range(4):
                    assert (await posted(router, [dead, *urls])).reason == ""
        await router.close()

    asyncio.run(play())

    assert living.posts == 4


def test_a_post_that_was_handed_over_is_tried_nowhere_else() -> None:
    dying, other = Process(dies=True), Process()

    async def play() -> list[Posted]:
        router = RequestUrl()
        async with listening(dying, other) as urls:
            found = [await posted(router, urls) for _ in range(2)]
        await router.close()
        return found

    found = asyncio.run(play())

    assert (dying.posts, other.posts) == (1, 1)
    assert sorted((one.reason, one.handed) for one in found) == [("", True), ("connection_failed", True)]


def test_what_every_process_refuses_comes_again_as_soon_as_one_listens() -> None:
    late = Process()

    async def play() -> Delivery:
        slack = await serve(0, Settings(transport="http", retry_delays=(NEVER,)))
        with nobody() as dead:
            slack.slack.settings = slack.slack.settings.changed({"request_url": [dead]})
            delivery = await _said(slack)
            async with listening(late) as urls:
                slack.slack.settings = slack.slack.settings.changed({"request_url": [dead, *urls]})
                slack.slack.outbox.opened()
                await asyncio.wait_for(delivery.over.wait(), 20.0)
        await slack.stop()
        return delivery

    delivery = asyncio.run(play())

    assert (delivery.acked, delivery.attempts, late.posts) == (True, 2, 1)


async def _said(slack: SlackServer) -> Delivery:
    """A message in a DM, once its one event was tried and refused."""
    acts.say(slack.slack, "ann", "D0ANN00001", "hello")
    journal = slack.slack.journal
    assert await journal.wait(0, 20.0, frozenset({"event.unacked"}))
    return slack.slack.outbox.deliveries[-1]
