"""A word to one person alone."""

from __future__ import annotations

import logging

from slack_sdk import WebClient

from bot.cards.window import window
from bot.client import within
from bot.failure import slack_call
from store.ports import ReplyError

_SECONDS = 3.0

log = logging.getLogger(__name__)


class Whispers:
    """What one person alone sees. Slack promises no delivery, so a failure is logged and forgotten; nothing raises."""

    def __init__(self, client: WebClient) -> None:
        self._client = client

    def say(self, text: str, *, user: str, channel: str, root: str | None = None) -> bool:
        """root: the thread in which only `user` sees `text`. Whether Slack took it."""
        try:
            with slack_call(f"whispering to {user} in {channel}"):
                within(self._client, _SECONDS).chat_postEphemeral(channel=channel, user=user, text=text, thread_ts=root)
        except ReplyError as error:
            log.warning("%s", error)
            return False
        return True

    def show(self, text: str, *, user: str, trigger: str, above: bool = False) -> None:
        """In a small window. trigger: of what `user` just did; above: from within a window of ours."""
        client = within(self._client, _SECONDS)
        opening = client.views_push if above else client.views_open
        try:
            with slack_call(f"showing {user} a window"):
                opening(trigger_id=trigger, view=window(text))
        except ReplyError as error:
            log.warning("%s", error)
