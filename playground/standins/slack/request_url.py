"""Deliveries over HTTP: signed posts (v0) to the app's one Request URL, and the router behind it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import aiohttp

from playground.standins.journal import wall

Json = dict[str, Any]
_LARGEST_ANSWER = 1024 * 1024  # bytes; more than any answer that means something


@dataclass(frozen=True, slots=True)
class Posted:
    """How one post ended. reason: Slack's `x-slack-retry-reason`, empty when taken; answer: what the app said.

    handed: whether any process took the connection.
    """

    reason: str = ""
    answer: Json | None = None
    no_retry: bool = False
    status: int = 0
    handed: bool = True


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The v0 signature of a body sent at `timestamp` (seconds since 1970)."""
    base = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def signed(secret: str, body: bytes, content_type: str, at: float | None = None) -> dict[str, str]:
    """The headers of one post."""
    timestamp = str(int(wall() if at is None else at))
    return {
        "Content-Type": content_type,
        "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": signature(secret, timestamp, body),
    }


def encoded(kind: str, payload: Json) -> tuple[bytes, str]:
    """A payload as Slack posts it, and its content type: events as JSON, the rest as forms."""
    if kind == "events_api":
        return json.dumps(payload, separators=(",", ":")).encode(), "application/json"
    form = payload if kind == "slash_commands" else {"payload": json.dumps(payload, separators=(",", ":"))}
    return urlencode(form, errors="surrogatepass").encode(), "application/x-www-form-urlencoded"


class RequestUrl:
    """The client behind the posts, and the router behind the one address.

    Several processes may stand behind it. As Heroku's router does, it makes a new connection to the next of them for
    each post and passes over who refuses it; a post that was handed over is tried nowhere else, whatever becomes of it:
    sending it again is up to Slack (devcenter.heroku.com/articles/http-routing, "Dyno connection behavior").
    """

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._turn = 0

    async def post(
        self,
        processes: Sequence[str],
        secret: str,
        kind: str,
        payload: Json,
        timeout: float,
        retry: tuple[int, str] = (0, ""),
    ) -> Posted:
        """One attempt; `retry` is its number and why the last one failed. processes: their addresses."""
        body, content_type = encoded(kind, payload)
        headers = signed(secret, body, content_type)
        if retry[0]:
            headers |= {"X-Slack-Retry-Num": str(retry[0]), "X-Slack-Retry-Reason": retry[1]}
        try:
            async with asyncio.timeout(timeout):
                for url in self._in_turn(processes):
                    with contextlib.suppress(aiohttp.ClientConnectorError):
                        return await self._hand(url, body, headers)
        except TimeoutError:
            return Posted("http_timeout")
        except (aiohttp.ClientError, OSError, ValueError):
            return Posted("connection_failed")
        return Posted("connection_failed", handed=False)

    def _in_turn(self, processes: Sequence[str]) -> Iterator[str]:
        """All of them once, beginning with the one whose turn it is."""
        self._turn += 1
        first = self._turn % len(processes) if processes else 0
        yield from (*processes[first:], *processes[:first])

    async def _hand(self, url: str, body: bytes, headers: dict[str, str]) -> Posted:
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=False, connector=aiohttp.TCPConnector(force_close=True))
        async with self._session.post(url, data=body, headers=headers) as got:
            said = (await got.content.read(_LARGEST_ANSWER)).decode(errors="replace")
            return _posted(got.status, said, got.headers.get("x-slack-no-retry") == "1")

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None


def _posted(status: int, said: str, no_retry: bool) -> Posted:
    if not 200 <= status < 300:
        return Posted("http_error", no_retry=no_retry, status=status)
    if not said.strip():
        return Posted(status=status)
    try:
        answer = json.loads(said)
    except ValueError:
        answer = {"text": said}
    return Posted(answer=answer if isinstance(answer, dict) else {"text": said}, status=status)
