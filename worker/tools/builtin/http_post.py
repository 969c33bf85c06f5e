"""Posting to an address that an operator allowed: an effect outside, so it is unsafe."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import urlsplit

import httpx2
from pydantic import Field

from worker.tools.context import ToolContext
from worker.tools.tool import Tool, ToolError, tool

TIMEOUT = 30.0
"""Seconds for the whole call."""
MAX_ANSWER = 64 * 1024
"""Bytes of the answer that are read."""


def http_post_tool(allowed_urls: Sequence[str]) -> Tool:
    """A tool that posts JSON to the allowed addresses only.

    Each allowed entry is a scheme, host, port and path prefix; a path matches at a `/` boundary. Redirects are not
    followed, because they would lead out of the list.
    """
    allowed = [_address(url) for url in allowed_urls]

    def check(arguments: Mapping[str, Any]) -> Mapping[str, Any] | str:
        if any(_covers(entry, arguments["url"]) for entry in allowed):
            return arguments
        return f"Not posted: {arguments['url']} is not among the allowed addresses: {', '.join(allowed_urls)}"

    @tool(name="http_post", title="posting to {url}", preflight=check)
    def http_post(
        context: ToolContext, url: Annotated[str, Field(max_length=2000)], body: dict[str, Any] | None = None
    ) -> str:
        """Post a JSON body to an allowed address; returns status and answer. This changes things outside."""
        headers = {"Idempotency-Key": context.key, "Content-Type": "application/json"}
        try:
            with httpx2.Client(follow_redirects=False, timeout=TIMEOUT, trust_env=False) as client:
                answer = client.post(url, content=json.dumps(body or {}), headers=headers)
        except httpx2.ConnectError as error:
            raise ToolError(f"{url} could not be reached; nothing was sent", retryable=True) from error
        except httpx2.HTTPError as error:
            raise ToolError(f"{url} gave no answer ({error}); it may have done what was asked") from error
        return f"{answer.status_code} {answer.reason_phrase}\n{answer.text[:MAX_ANSWER]}"

    return http_post


def _address(url: str) -> tuple[str, str, int | None, str]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is not an address: write it like https://hooks.example.com/deploy")
    return parts.scheme, parts.hostname, parts.port, parts.path.rstrip("/")


def _covers(entry: tuple[str, str, int | None, str], url: str) -> bool:
    try:
        scheme, host, port, path = _address(url)
    except ValueError:
        return False
    if ".." in urlsplit(url).path or "\\" in url or "@" in urlsplit(url).netloc or "%" in urlsplit(url).path:
        return False
    return (scheme, host, port) == entry[:3] and (path == entry[3] or path.startswith(entry[3] + "/"))
