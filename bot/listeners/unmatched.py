"""Whatever nobody else listens to: acknowledged, and answered where a person waits.

Bolt leaves what has no listener unacknowledged, and Slack delivers such events again.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import Ack, App, BoltContext, BoltResponse

from bot.aftermath import AFTERMATH, Courtesies
from bot.cards.window import window
from bot.identity import Identity
from bot.listeners.click import Click
from bot.listeners.run_buttons import NO_LONGER_IN_USE
from bot.whisper import Whispers

UNKNOWN_SHORTCUT = "I don't know this shortcut any more. Mention me in a channel, or write to me directly."
UNKNOWN_FORM = "This form is no longer in use. Nothing was sent."

_ANY = re.compile("")
_KNOWN_TYPES = frozenset(
    {
        *("event_callback", "shortcut", "message_action"),
        *("block_actions", "block_suggestion", "view_submission", "view_closed"),
        *("interactive_message", "dialog_submission", "dialog_cancellation", "dialog_suggestion"),
    }
)

log = logging.getLogger(__name__)


class Unmatched:
    """The last listeners of all."""

    def __init__(self, *, me: Identity, courtesies: Courtesies, whispers: Whispers) -> None:
        self._me, self._courtesies, self._whispers = me, courtesies, whispers

    def register(self, app: App) -> None:
        """Call it after every other listener is registered: the first match takes the payload."""
        app.event(_ANY)(self.event)
        app.action(_ANY)(self.action)
        app.view_submission(_ANY)(self.submission)
        app.view_closed(_ANY)(self.closed)
        app.shortcut(_ANY)(self.shortcut)
        app.options(_ANY)(self.options)
        app.command(_ANY)(self.command)

    def event(self, context: BoltContext) -> None:
        """Runs after Bolt acknowledged: time to show a person what became of their message."""
        if AFTERMATH in context:
            self._courtesies.show(context[AFTERMATH])

    def action(self, ack: Ack, body: Mapping[str, Any]) -> None:
        ack()
        click = Click.of(body, self._me)
        if click.kind == "button":
            self._answer(NO_LONGER_IN_USE, click)

    def shortcut(self, ack: Ack, body: Mapping[str, Any]) -> None:
        ack()
        self._answer(UNKNOWN_SHORTCUT, Click.of(body, self._me))

    def submission(self, ack: Ack) -> None:
        """The window stays, with what became of the form in place of it."""
        ack(response_action="update", view=window(UNKNOWN_FORM))

    def closed(self, ack: Ack) -> None:
        ack()

    def options(self, ack: Ack) -> None:
        ack(options=[])

    def command(self, ack: Ack, command: Mapping[str, Any]) -> None:
        ack(f"I don't know {command['command']}. Mention me in a channel, or write to me directly.")

    def _answer(self, text: str, click: Click) -> None:
        """Where it was pressed; in a window where that is no channel, or one that we are not in."""
        told = bool(click.channel) and self._whispers.say(text, user=click.user, channel=click.channel, root=click.root)
        if not told and click.trigger:
            self._whispers.show(text, user=click.user, trigger=click.trigger, above=click.in_window)


def acknowledge_unknown(body: Mapping[str, Any], next_: Callable[[], None]) -> BoltResponse | None:
    """A global middleware for payloads that Bolt has no listeners for, such as `app_rate_limited`."""
    kind = body.get("type")
    if kind in _KNOWN_TYPES or "command" in body:
        next_()
        return None
    log.warning("Slack sent a %s, which nothing here handles", kind)
    return BoltResponse(status=200, body="")
