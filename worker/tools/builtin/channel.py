"""Reading a channel that the person who asked may read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from store.ports import ReplyError
from worker.tools.context import ToolContext
from worker.tools.tool import ToolError, tool


@tool(replay="safe", title="reading the channel {channel}")
def read_channel(
    context: ToolContext,
    channel: Annotated[str, Field(pattern=r"^(<#)?[CGD][A-Z0-9]{2,}(\|[^>]*)?>?$|^$", max_length=200)] = "",
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
) -> str:
    """Read the newest messages of a channel, oldest first, without replies in threads.

    channel: an id such as C0123ABCD or <#C0123ABCD>; empty is the channel of this thread. Both the person who asked
    and the bot have to be in it.
    """
    named = channel.removeprefix("<#").rstrip(">").partition("|")[0] or context.thread.split("/")[1]
    try:
        said = context.read_channel(named, limit)
    except ReplyError as error:
        raise ToolError(f"{named} cannot be read: {error}", code=error.code, retry_after=error.retry_after) from error
    return "\n".join(f"[{message.ts}] {message.author}: {message.text}" for message in said) or "(nothing was said)"
