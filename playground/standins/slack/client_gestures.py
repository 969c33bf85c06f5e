"""What the client can do with Slack's own controls and conversations; `client.SlackStandin` is one of these."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


class Gestures(ABC):
    """Each method is one wish of the control API; refused ones raise `StandinError`."""

    @abstractmethod
    def _post(self, path: str, wish: Json) -> Json: ...

    def slash(self, user: str, channel: str, command: str, text: str = "", *, thread: str | None = None) -> Json:
        """Type a command; `shown` in the answer is what the person sees then."""
        wish = {"user": user, "channel": channel, "command": command, "text": text, "thread_ts": thread}
        return self._post("slash", wish)

    def shortcut(self, user: str, callback_id: str, ts: str | None = None, *, wait: bool = True) -> Json:
        """Use a global shortcut, or one on the message `ts`; the answer has its `trigger_id`."""
        return self._post("shortcut", {"user": user, "callback_id": callback_id, "ts": ts, "wait": wait})

    def press_in_view(
        self, user: str, action_id: str, *, values: Json | None = None, view: str | None = None, wait: bool = True
    ) -> Json:
        """Press a button in the modal on top, or in `view` (the home tab has one too)."""
        wish = {"user": user, "action_id": action_id, "values": values, "view": view, "wait": wait}
        return self._post("views/press", wish)

    def submit_view(self, user: str, values: Json | None = None, *, view: str | None = None) -> Json:
        """Submit the modal on top; `values`: block_id → action_id → element state.

        `outcome` is `closed`, `cleared`, `updated`, `pushed`, `errors` (then `errors` says which) or `failed`.
        """
        return self._post("views/submit", {"user": user, "values": values, "view": view})

    def close_view(self, user: str, *, view: str | None = None, clear: bool = False) -> Json:
        return self._post("views/close", {"user": user, "view": view, "clear": clear})

    def open_home(self, user: str, tab: str = "home") -> Json:
        return self._post("home", {"user": user, "tab": tab})

    def stop_session(self, user: str, channel: str, thread: str) -> Json:
        """Press Slack's own Stop in a thread whose agent session is `processing`."""
        return self._post("sessions/stop", {"user": user, "channel": channel, "thread_ts": thread})

    def archive(self, channel: str, *, archived: bool = True, by: str = "ada") -> None:
        self._post("archive", {"channel": channel, "archived": archived, "user": by})

    def join(self, channel: str, who: str, *, by: str = "ada") -> None:
        """Invite a person or `everthread`."""
        self._post("join", {"channel": channel, "who": who, "user": by})

    def leave(self, channel: str, who: str = "everthread", *, by: str = "ada") -> None:
        """Leave, or be removed: the bot unless `who` says otherwise."""
        self._post("leave", {"channel": channel, "who": who, "user": by})

    def close_stream(self, ts: str, channel: str = "") -> None:
        """Let a stream reach its end of life now."""
        self._post("streams/close", {"ts": ts, "channel": channel})

    def deliver(self, kind: str, payload: Json) -> Json:
        """Deliver any payload (`events_api`, `interactive`, `slash_commands`); returns the delivery."""
        return self._post("deliver", {"kind": kind, "payload": payload})

    def verify_request_url(self, url: str) -> Json:
        """Save a Request URL as in the app's settings; `verified` tells, and from then on events go there."""
        return self._post("request_url", {"url": url})


def in_json(files: Mapping[str, str | bytes | Json] | None) -> Json:
    """Files by name as the control API takes them; one that already has that form stays as it is."""
    given = files or {}
    return {
        name: {"base64": base64.b64encode(content).decode()} if isinstance(content, bytes) else content
        for name, content in given.items()
    }
