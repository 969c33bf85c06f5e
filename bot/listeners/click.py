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

    channel: empty in a modal, on the home tab and for a global shortcut. root: the thread's first message. action: its
    action id. values: what is filled in around it. trigger: what it entitles to open a window with, within 3 seconds.
    url: where the message can be redrawn, or "". in_window: whether it was pressed in one.
    """

    user: str
    foreign: bool
    channel: str
    root: str | None
    kind: str
    action: str
    value: str
    values: Mapping[str, Any]
    trigger: str
    url: str
    in_window: bool

    @classmethod
    def of(cls, body: Mapping[str, Any], me: Identity) -> Click:
        container, message = body.get("container") or {}, body.get("message") or {}
        channel = (body.get("channel") or {}).get("id") or container.get("channel_id") or ""
        action = (body.get("actions") or [{}])[0]
        user, view = body["user"], body.get("view") or {}
        return cls(
            user=user["id"],
            foreign=is_foreign(user.get("team_id"), me),
            channel=channel,
            root=message.get("thread_ts") or container.get("thread_ts"),
            kind=str(action.get("type") or ""),
            action=str(action.get("action_id") or ""),
            value=str(action.get("value") or ""),
            values=values_of(body),
            trigger=str(body.get("trigger_id") or ""),
            url=str(body.get("response_url") or ""),
            in_window=view.get("type") == "modal",
        )


def values_of(filled: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is filled in: `state.values` of a click, or of a view."""
    state = filled.get("state")
    values = state.get("values") if isinstance(state, Mapping) else None
    return values if isinstance(values, Mapping) else {}
