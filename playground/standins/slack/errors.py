"""How a call is refused."""

from __future__ import annotations

from typing import Any


class SlackError(Exception):
    """A Web API call answered with `ok: false` and this code.

    messages: the details Slack puts into `response_metadata.messages`. fields: further top-level fields.
    """

    def __init__(self, code: str, *messages: str, **fields: Any) -> None:
        super().__init__(code)
        self.code, self.messages, self.fields = code, messages, fields

    def answer(self) -> dict[str, Any]:
        body: dict[str, Any] = {"ok": False, "error": self.code, **self.fields}
        if self.messages:
            body["response_metadata"] = {"messages": list(self.messages)}
        return body


class ControlError(Exception):
    """The page or the runner asked for something that cannot be; the text says why and what would do."""
