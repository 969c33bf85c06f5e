"""Reading a file that somebody attached to a message of this thread."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from store.ports import ReplyError
from worker.tools.context import ToolContext
from worker.tools.tool import ToolError, tool

MOST = 100_000
"""Characters of a file that are handed on; what is cut is said."""


@tool(replay="safe", title="reading the file {file}")
def read_attachment(
    context: ToolContext, file: Annotated[str, Field(pattern=r"^F[A-Z0-9]{2,}$", max_length=40)]
) -> str:
    """Read a file attached in this thread, by its id (F…): text, Markdown, CSV, JSON, code; others are named."""
    try:
        found = context.read_attachment(file)
    except ReplyError as error:
        raise ToolError(f"{file} cannot be read: {error}", code=error.code, retry_after=error.retry_after) from error
    head = f"{found.name} ({found.kind or 'unknown type'}, {found.size:,} bytes)"
    if found.text is None:
        return f"{head}: its content cannot be read, because {found.why}."
    rest = len(found.text) - MOST
    cut = f"\n… {rest:,} characters more are not shown …" if rest > 0 else ""
    return f"{head}:\n{found.text[:MOST]}{cut}"
