"""Streamed messages: open for a few minutes, whatever is appended, then like any other message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from playground.standins.journal import wall
from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import SlackError
from playground.standins.slack.limits import enforce

Json = dict[str, Any]
State = Literal["streaming", "stopped", "stopped_by_user", "expired"]

_TASK_TEXTS = ("title", "details", "output")


@dataclass(slots=True)
class Stream:
    """What was streamed so far, until `until` (seconds since 1970). ended: by whom, before that."""

    until: float
    text: str = ""
    plan: str = ""
    tasks: dict[str, Json] = field(default_factory=dict)
    blocks: list[Json] = field(default_factory=list)
    ended: Literal["", "stopped", "stopped_by_user"] = ""

    @property
    def state(self) -> State:
        if self.ended:
            return self.ended
        return "streaming" if wall() < self.until else "expired"

    def need_open(self) -> None:
        """`SlackError` unless it may still be written to."""
        if self.state == "stopped_by_user":
            raise SlackError("stopped_by_user")
        if self.state != "streaming":
            raise SlackError("message_not_in_streaming_state")

    def add(self, markdown: str, chunks: list[Json]) -> None:
        self.text += markdown
        for chunk in chunks:
            match chunk["type"]:
                case "markdown_text":
                    self.text += chunk["text"]
                case "plan_update":
                    self.plan = chunk["title"]
                case "task_update":
                    self.tasks[chunk["id"]] = {**self.tasks.get(chunk["id"], {}), **chunk}
                case _:
                    self.blocks += chunk["blocks"]

    def shown(self) -> tuple[Json, ...]:
        """The blocks the message has now: the tasks, then what was given as blocks."""
        tasks = [
            {
                "type": "task_card",
                "task_id": task["id"],
                "title": task["title"],
                "status": task.get("status", "pending"),
            }
            for task in self.tasks.values()
        ]
        plan = [{"type": "plan", "title": self.plan or "Plan", "tasks": tasks}] if tasks else []
        return (*plan, *self.blocks)


def check_chunks(value: Any) -> list[Json]:
    """The chunks of a call; `SlackError` where Slack would refuse them."""
    if not isinstance(value, list) or not value:
        raise SlackError("invalid_chunks", "[ERROR] chunks must be a list with at least one item")
    for chunk in value:
        _check(chunk)
    return value


def _check(chunk: Any) -> None:
    match chunk:
        case {"type": "markdown_text", "text": str(text)}:
            enforce("markdown_text", len(text))
        case {"type": "plan_update", "title": str(title)}:
            enforce("stream task text", len(title))
        case {"type": "task_update", "id": str(), "title": str()}:
            for name in _TASK_TEXTS:
                if isinstance(said := chunk.get(name), str):
                    enforce("stream task text", len(said))
            if chunk.get("status", "pending") not in ("pending", "in_progress", "complete", "error"):
                raise SlackError("invalid_chunks", f"[ERROR] no status {chunk['status']}")
        case {"type": "blocks", "blocks": list(blocks)}:
            check_blocks(blocks)
        case _:
            raise SlackError("invalid_chunks", f"[ERROR] unsupported chunk: {str(chunk)[:100]}")
