"""Reading the Slack thread the run answers in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from worker.tools.context import ToolContext
from worker.tools.tool import tool


@tool(replay="safe", title="reading this thread")
def read_thread(context: ToolContext, limit: Annotated[int, Field(ge=1, le=100)] = 30) -> str:
    """Read the newest messages of this Slack thread, also those that were not addressed to you, oldest first."""
    said = context.read_thread(limit)
    return "\n".join(f"[{message.ts}] {message.author}: {message.text}" for message in said) or "(nothing was said)"
