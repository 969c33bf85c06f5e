"""Links into Slack."""

from __future__ import annotations

from bot.identity import Identity
from store.thread import ThreadId


def thread_link(me: Identity, thread: str) -> str:
    """Where a thread is opened: at the workspace's own address, or where that is not known in Slack's web client."""
    at = ThreadId.parse(thread)
    if me.url:
        return f"{me.url.rstrip('/')}/archives/{at.channel}/p{at.root.replace('.', '')}"
    return f"https://app.slack.com/client/{at.team}/{at.channel}/thread/{at.channel}-{at.root}"
