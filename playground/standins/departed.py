"""A caller that dies in the middle of its request is nobody's error."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

NOBODY_WAITS = 499
"""nginx's number for it; it goes nowhere."""


@web.middleware
async def departed(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Drop the answer of who hung up, without a word; any other broken connection stays an error."""
    try:
        return await handler(request)
    except ConnectionError:
        if request.transport is not None and not request.transport.is_closing():
            raise
        return web.Response(status=NOBODY_WAITS)
