"""A click: on a button, in a menu or on a shortcut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.heard import is_foreign
from bot.identity import Identity


@dataclass(frozen=True, slots=True)
class Click:
    """Who pressed what, where.

    channel: empty in a modal, on the home tab and for a global shortcut. root: the thread's first message. trigger:
    what it entitles to open a window with, within 3 seconds. in_window: whether it was pressed in one.
    """

    user: str
    foreign: bool
    channel: str
    root: str | None
    kind: str
    value: str
    trigger: str
    in_window: bool

    @classmethod
    def of(cls, body: Mapping[str, Any], me: Identity) -> Click:
        container, message = body.get("container") or {}, body.get("message") or {}
        channel = (body.get("channel") or {}).get("id") or container.get("channel_id") or ""
        action = (body.get("actions") or [{}])[0]
        user = body["user"]
        return cls(
            user=user["id"],
            foreign=is_foreign(user.get("team_id"), me),
            channel=channel,
            root=message.get("thread_ts") or container.get("thread_ts"),
            kind=str(action.get("type") or ""),
            value=str(action.get("value") or ""),
            trigger=str(body.get("trigger_id") or ""),
            in_window=(body.get("view") or {}).get("type") == "modal",
        )
