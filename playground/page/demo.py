"""An address outside the workers that counts what reached it: the playground's effect on the world."""

from __future__ import annotations

import asyncio

from aiohttp import web

from playground.page.happenings import Happenings

TAKES = 3.0
"""Seconds an effect takes to answer: long enough to kill whoever asked for it."""
MOST_NAMES = 50


class Demo:
    """`POST /demo/<name>`: counted at once, answered `TAKES` seconds later."""

    def __init__(self) -> None:
        self.effects: dict[str, int] = {}
        self.happenings: Happenings | None = None

    async def take(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"][:40]
        if name not in self.effects and len(self.effects) >= MOST_NAMES:
            raise web.HTTPTooManyRequests(text="this demo counts no more than 50 names")
        count = self.effects[name] = self.effects.get(name, 0) + 1
        if self.happenings is not None:
            amount = await _amount(request)
            self.happenings.add("effect", f"/demo/{name} was posted to ({count}{f': {amount}' if amount else ''})")
        await asyncio.sleep(TAKES)
        return web.json_response({"done": name, "times": count})


async def _amount(request: web.Request) -> int:
    """What was charged, where a body says so."""
    try:
        body = await request.json()
    except ValueError:
        return 0
    amount = body.get("amount") if isinstance(body, dict) else None
    return amount if isinstance(amount, int) else 0
