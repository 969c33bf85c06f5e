"""The workspace's notes: tool state that is as durable as the log.

An appended note lands in the same commit as the outcome of its call, so the call may run again after a crash: only
one of them ever lands.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from worker.tools.context import ToolContext
from worker.tools.tool import tool

NOTES = "notes"


@tool(replay="safe", title="reading the notes")
def read_notes(context: ToolContext) -> str:
    """Read the notes of this workspace: facts people asked you to remember, oldest first."""
    return "\n".join(f"- {note}" for note in context.read_state(NOTES)) or "(there are no notes yet)"


@tool(replay="safe", title="noting “{note}”")
def append_note(context: ToolContext, note: Annotated[str, Field(min_length=1, max_length=1000)]) -> str:
    """Remember one fact for everybody in this workspace. Only when somebody asks you to."""
    context.append_state(NOTES, note)
    return "noted"
