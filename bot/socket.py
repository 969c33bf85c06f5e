"""Socket Mode: the connections over which Slack sends us payloads."""

from __future__ import annotations

from contextlib import suppress
from socket import SHUT_RDWR

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

from bot.failure import slack_call

_PING_SECONDS = 5
"""A cut line is noticed at the next ping, a silent one after four; Bolt's ten would double that."""


class Sockets:
    """One connection that renews itself, with Bolt's ten threads behind it."""

    def __init__(self, app: App, app_token: str) -> None:
        self._app = app
        self._handler = SocketModeHandler(app, app_token, ping_interval=_PING_SECONDS)

    @property
    def connected(self) -> bool:
        """For the health check: slack_sdk reconnects for ever and never says that it cannot."""
        return bool(self._handler.client.is_connected())

    def start(self) -> None:
        """Connect, and return; `ReplyError` when Slack refuses the app token or cannot be reached."""
        with slack_call("opening a socket to Slack (apps.connections.open)"):
            self._handler.client.connect()

    def stop(self) -> None:
        """Close the connection, finish what was received, return.

        Slack sends what we could not acknowledge any more to the next process, where its key is known.
        """
        client = self._handler.client
        client.auto_reconnect_enabled = False
        session = client.current_session
        if session is not None and session.sock is not None:
            # close() alone waits up to 3 s for the reader, and Slack would go on sending meanwhile.
            with suppress(OSError):
                session.sock.shutdown(SHUT_RDWR)
        client.close()
        self._app.listener_runner.listener_executor.shutdown(wait=True)
