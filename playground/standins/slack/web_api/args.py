"""A call's arguments, from JSON, a form or the query, read as Slack reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from playground.standins.slack.errors import SlackError


class Args:
    """Values may be JSON or strings of JSON; booleans may be `1`, `true` or true. `call` numbers the call."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)
        self.call: int | None = None

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return "" if value is None else str(value)

    def need(self, name: str) -> str:
        if not (value := self.text(name)):
            raise SlackError("invalid_arguments", f"[ERROR] missing required field: {name}")
        return value

    def flag(self, name: str) -> bool:
        return self.text(name).lower() in ("1", "true")

    def number(self, name: str, default: int, error: str = "invalid_arguments") -> int:
        text = self.text(name)
        if not text:
            return default
        try:
            number = int(text)
        except ValueError:
            number = 0
        if number < 1:
            raise SlackError(error, f"[ERROR] {name} must be a positive integer")
        return number

    def json(self, name: str, error: str) -> Any:
        """The value decoded, or None; raises `error` if it is no JSON."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise SlackError(error, f"[ERROR] {name} is no JSON") from None


async def read_args(request: web.Request) -> Args:
    """Raises `SlackError` for a body that cannot be read."""
    values: dict[str, Any] = dict(request.query)
    kind = request.content_type
    if request.method != "POST":
        return Args(values)
    if kind == "application/json":
        try:
            body = await request.json()
        except ValueError:
            raise SlackError("invalid_json") from None
        if not isinstance(body, dict):
            raise SlackError("json_not_object")
        return Args(values | body)
    return Args(values | dict(await request.post()))
