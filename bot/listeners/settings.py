"""The window of settings: shown to admins, and what they pick in it is kept for every process."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from slack_bolt import Ack, App

from bot.cards.card import Card
from bot.cards.desk_card import told
from bot.cards.settings_window import LISTEN, SETTINGS, picked, settings_window
from bot.cards.window import window
from bot.listeners.click import values_of
from bot.listeners.guarded import guarded
from bot.listeners.unmatched import UNKNOWN_FORM
from bot.operators import Rights
from bot.whisper import Whispers
from store.desk import Desk

NOT_OPENED = "Slack did not open the window. Please try again."

log = logging.getLogger(__name__)


class SettingsWindow:
    """The listener behind the window, and the way to it."""

    def __init__(self, *, desk: Desk, rights: Rights, whispers: Whispers) -> None:
        self._desk, self._rights, self._whispers = desk, rights, whispers

    def register(self, app: App) -> None:
        app.view_submission(SETTINGS)(self.saved)

    def open(self, user: str, channel: str, trigger: str) -> Card | None:
        """None where the window is open; else why it is not."""
        if refusal := self._rights.to_admins(user):
            return told(refusal)
        view = settings_window(channel, self._desk.listening(channel), self._desk.settings())
        return None if self._whispers.open(view, user=user, trigger=trigger) else told(NOT_OPENED)

    def saved(self, ack: Ack, body: Mapping[str, Any]) -> None:
        """The window stays while its choice cannot be kept."""
        view, user = body["view"], body["user"]["id"]
        try:
            channel, mode = picked(view, values_of(view))
        except (ValueError, AttributeError):
            ack(response_action="update", view=window(UNKNOWN_FORM))
            return
        refused = guarded("a change of the settings", lambda: self._listen(user, channel, mode))
        if refused is None:
            ack()
        else:
            ack(response_action="errors", errors={LISTEN: refused.text})

    def _listen(self, user: str, channel: str, mode: str | None) -> Card | None:
        if refusal := self._rights.to_admins(user):
            return told(refusal)
        self._desk.listen(channel, mode)
        log.info("channel=%s listens: %s, by %s", channel, mode or "as set", user)
        return None
