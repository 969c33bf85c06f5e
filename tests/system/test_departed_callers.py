"""A caller that dies in the middle of its request leaves no traceback in a stand-in's output."""

from __future__ import annotations

import asyncio
import socket
import struct
from urllib.parse import urlsplit

import pytest

from playground.standins.claude import server as claude
from playground.standins.slack import server as slack

HALF_A_CALL = b"POST %s HTTP/1.1\r\nHost: local\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
NEWS = b"GET /control/events?since=0 HTTP/1.1\r\nHost: local\r\n\r\n"
SOCKET = (
    b"GET /link/?ticket=%s HTTP/1.1\r\nHost: local\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.mark.parametrize("killed", [True, False])
def test_whoever_dies_while_it_asks_slack_is_passed_over_in_silence(
    caplog: pytest.LogCaptureFixture, killed: bool
) -> None:
    async def play() -> None:
        server = await slack.serve()
        ticket = server.slack.sockets.ticket().encode()
        for said in (HALF_A_CALL % b"/api/chat.postMessage", HALF_A_CALL % b"/control/say", NEWS, SOCKET % ticket):
            await _die(server.url, said, killed=killed)
        await server.stop()

    asyncio.run(play())

    assert caplog.text == ""


@pytest.mark.parametrize("killed", [True, False])
def test_whoever_dies_while_it_asks_claude_is_passed_over_in_silence(
    caplog: pytest.LogCaptureFixture, killed: bool
) -> None:
    async def play() -> None:
        server = await claude.serve()
        for said in (HALF_A_CALL % b"/v1/messages", NEWS):
            await _die(server.url, said, killed=killed)
        await server.close()

    asyncio.run(play())

    assert caplog.text == ""


async def _die(url: str, said: bytes, *, killed: bool) -> None:
    """Say this much and be gone: with a reset, as one whose process was killed with bytes unread, or by a close."""
    place = urlsplit(url)
    line = socket.create_connection((place.hostname, place.port))
    line.sendall(said)
    if killed:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    line.close()
    for _ in range(20):  # rounds of the server's loop, until it has noticed
        await asyncio.sleep(0)
