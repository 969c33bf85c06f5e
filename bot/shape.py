"""Whether a payload has the shape that Bolt and the listeners take for granted, and what it is.

Bolt reads many fields before it asks whether they are there; what is wrong is said here in one line instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TOP: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("type", "command", "team_id", "context_team_id", "callback_id", "action_id", "block_id"), str),
    **dict.fromkeys(("event", "user", "container", "channel", "message", "view", "state"), dict),
    **dict.fromkeys(("authorizations", "actions"), list),
    "team": (dict, str),
    "enterprise": (dict, str),
}
"""Fields of a payload and their types; absent and null are fine."""

_INSIDE: Mapping[str, Mapping[str, type]] = {
    "event": {"type": str, "subtype": str, "text": str, "ts": str, "thread_ts": str, "bot_id": str, "files": list},
    "user": {"id": str, "team_id": str},
    "channel": {"id": str},
    "container": {"channel_id": str, "thread_ts": str, "message_ts": str},
    "message": {"ts": str, "thread_ts": str},
    "view": {"type": str, "callback_id": str, "id": str, "private_metadata": str},
}

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "event_callback": ("event", "event.type"),
    "block_actions": ("user", "user.id", "actions"),
    "view_submission": ("user", "user.id", "view", "view.type"),
    "view_closed": ("user", "user.id", "view", "view.type"),
    "shortcut": ("user", "user.id", "callback_id"),
    "message_action": ("user", "user.id", "callback_id", "message"),
    "block_suggestion": ("user", "user.id", "action_id"),
}
"""What a payload of this type never lacks."""


def wrong(payload: Mapping[str, Any]) -> str:
    """What is wrong with it, in a few words, or ''."""
    return _top(payload) or _inside(payload) or _needed(payload) or _lists(payload)


def name(payload: Mapping[str, Any]) -> str:
    """What a payload is, for a log line: one line, in ASCII, and nothing that a person typed."""
    event = payload.get("event")
    inner = event.get("type") if isinstance(event, Mapping) else None
    words = (payload.get("type") or payload.get("command"), inner, payload.get("event_id"))
    return " ".join(ascii(str(word)[:80])[1:-1] for word in words if word) or "a payload without a type"


def _top(payload: Mapping[str, Any]) -> str:
    return next((f"{name} has a wrong type" for name, kind in _TOP.items() if _is_odd(payload.get(name), kind)), "")


def _inside(payload: Mapping[str, Any]) -> str:
    for outer, fields in _INSIDE.items():
        inside = payload.get(outer) or {}
        for name, kind in fields.items():
            if _is_odd(inside.get(name), kind):
                return f"{outer}.{name} has a wrong type"
    return ""


def _needed(payload: Mapping[str, Any]) -> str:
    if payload.get("event", {}) is None:
        return "event is missing"
    for path in _NEEDED.get(payload.get("type") or "", ()):
        outer, _, inner = path.partition(".")
        found = payload.get(outer)
        if not (found.get(inner) if inner and found else found):
            return f"{path} is missing"
    return ""


def _lists(payload: Mapping[str, Any]) -> str:
    event = payload.get("event") or {}
    records = {
        "authorizations": payload.get("authorizations"),
        "actions": payload.get("actions"),
        "event.files": event.get("files"),
    }
    for name, items in records.items():
        if not all(isinstance(item, dict) for item in items or ()):
            return f"{name} holds something else than records"
    if payload.get("type") == "block_actions":
        for action in payload["actions"]:
            if not isinstance(action.get("action_id"), str) or not isinstance(action.get("type"), str):
                return "an action has no action_id or type"
    return "" if _speaks(event) else "a message has no channel, ts or user that could be read"


def _speaks(event: Mapping[str, Any]) -> bool:
    """Whether a message's place and author are texts, where they are given at all."""
    if event.get("type") not in ("message", "app_mention"):
        return True
    return all(not _is_odd(event.get(name), str) for name in ("channel", "user", "channel_type", "event_ts"))


def _is_odd(value: object, kind: type | tuple[type, ...]) -> bool:
    return value is not None and not isinstance(value, kind)
