"""A run's signs of life as Slack shows them: the status line of its thread, and its agent session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.cards.text import one_line
from bot.features import Features
from store.lifecycle import SETTLED
from store.ports import Sign
from store.redaction import masked_text
from store.thread import ThreadId
from store.view import RunView

METHODS: Mapping[Sign, str] = {"line": "assistant.threads.setStatus", "session": "agents.sessions.setStatus"}
_LINE = 90


def show_sign(features: Features, sign: Sign, thread: ThreadId, view: RunView, timeout: float) -> bool:
    """Whether the workspace has this sign; `ReplyError` where it did not take it now."""
    status = line(view) if sign == "line" else session(view)
    where: dict[str, Any] = {"channel_id": thread.channel, "thread_ts": thread.root}
    return features.call(METHODS[sign], timeout, **where, status=status)


def line(view: RunView) -> str:
    """What follows the app's name while it works, such as "is running charge 5…"; empty clears it."""
    if view.status != "running":
        return ""
    doing = masked_text(view.doing.strip()) or "working"
    said = doing if doing.partition(" ")[0].endswith("ing") else f"working ({doing})"
    return one_line(f"is {said}", _LINE) + "…"


def session(view: RunView) -> str:
    """`processing` shows Slack's own Stop."""
    if view.status in SETTLED:
        return "active"
    return "processing" if view.status in ("queued", "running") else "suspended"
