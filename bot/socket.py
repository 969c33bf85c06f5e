"""Socket Mode: the connections over which Slack sends us payloads."""

from __future__ import annotations

import logging
from contextlib import suppress
from http import HTTPStatus
from socket import SHUT_RDWR
from typing import Any

from slack_bolt import App, BoltResponse
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_bolt.adapter.socket_mode.internals import build_headers, send_response
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.dispatch import dispatch, is_done
from bot.failure import slack_call
from store.ports import ReplyError

_PING_SECONDS = 5
"""A cut line is noticed at the next ping, a silent one after four; Bolt's ten would double that."""

log = logging.getLogger(__name__)


class Sockets:
    """One connection that renews itself, with Bolt's ten threads behind it.

    bots: how many processes of this deployment share the app token; more connections are somebody else's.
    greeted: how often Slack greeted a connection of ours.
    """

    def __init__(self, app: App, app_token: str, bots: int = 1) -> None:
        self._app, self._bots = app, bots
        self._handler = SocketModeHandler(app, app_token, ping_interval=_PING_SECONDS)
        self.greeted, self._others = 0, 0
        # Its own listener hands to Bolt whatever comes; ours looks at it first.
        self._handler.client.socket_mode_request_listeners.clear()
        self._handler.client.message_listeners.append(self._hear)

    @property
    def connected(self) -> bool:
        """For the health check: slack_sdk reconnects for ever and never says that it cannot."""
        return bool(self._handler.client.is_connected())

    def look_again(self) -> None:
        """Renew the connection if others were found on the token at first, to hear whether they still are.

        At a deploy the process before us is one of them for some seconds, so the first greeting proves nothing.
        """
        if self._others and self.connected:
            with suppress(ReplyError), slack_call("renewing the socket to Slack (apps.connections.open)"):
                self._handler.client.connect_to_new_endpoint(force=True)

    def _hear(self, _client: object, message: dict[str, Any], _raw: str | None = None) -> None:
        if message.get("type") == "hello":
            self._greet(message)
        elif isinstance(message.get("envelope_id"), str):
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        """What need not come again is acknowledged, with the answer to who waits for one."""
        payload = message.get("payload")
        request = SocketModeRequest.from_dict({"type": "", **message, "payload": {}})
        if request is not None and is_done(response := dispatch(self._app, payload, build_headers(request))):
            taken = response if response.status == HTTPStatus.OK else BoltResponse(status=HTTPStatus.OK, body="")
            send_response(self._handler.client, request, taken, 0.0)

    def _greet(self, message: dict[str, Any]) -> None:
        """Slack's greeting tells how many connections the app has; a renewed one is counted twice for a moment."""
        count = message.get("num_connections")
        if not isinstance(count, int):
            return
        self.greeted += 1
        self._others = max(0, count - (1 if self.greeted == 1 else 2) - (self._bots - 1))
        if self.greeted > 1 and self._others:
            log.warning(
                "%d connections too many use this Slack app token: another deployment takes its share of what people "
                "say here; give each deployment a Slack app of its own, or set EVERTHREAD_BOTS to the number of bot "
                "processes that belong together",
                self._others,
            )

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
