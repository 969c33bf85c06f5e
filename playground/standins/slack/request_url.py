"""Deliveries over HTTP: posts to the app's one Request URL, signed as Slack signs them (v0)."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import aiohttp

from playground.standins.journal import wall

Json = dict[str, Any]
_LARGEST_ANSWER = 1024 * 1024  # bytes; more than any answer that means something


@dataclass(frozen=True, slots=True)
class Posted:
    """How one post ended. reason: Slack's `x-slack-retry-reason`, empty when taken; answer: what the app said."""

    reason: str = ""
    answer: Json | None = None
    no_retry: bool = False
    status: int = 0


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
    """The client behind the posts; connections are made when needed and kept."""

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None

    async def post(
        self, url: str, secret: str, kind: str, payload: Json, timeout: float, retry: tuple[int, str] = (0, "")
    ) -> Posted:
        """One attempt; `retry` is its number and why the last one failed."""
        body, content_type = encoded(kind, payload)
        headers = signed(secret, body, content_type)
        if retry[0]:
            headers |= {"X-Slack-Retry-Num": str(retry[0]), "X-Slack-Retry-Reason": retry[1]}
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=False)
        try:
            async with asyncio.timeout(timeout), self._session.post(url, data=body, headers=headers) as got:
                said = (await got.content.read(_LARGEST_ANSWER)).decode(errors="replace")
                return _posted(got.status, said, got.headers.get("x-slack-no-retry") == "1")
        except TimeoutError:
            return Posted("http_timeout")
        except (aiohttp.ClientError, OSError, ValueError):
            return Posted("connection_failed")

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
