"""A word to one person alone."""

from __future__ import annotations

import logging

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from store.ports import ReplyError

_SECONDS = 3.0

log = logging.getLogger(__name__)


class Whispers:
    """Ephemeral messages: Slack promises no delivery, so a failure is logged and forgotten."""

    def __init__(self, client: WebClient) -> None:
        self._client = client

    def say(self, text: str, *, user: str, channel: str, root: str | None = None) -> None:
        """root: the thread in which only `user` sees `text`; never raises."""
        try:
            with slack_call(f"whispering to {user} in {channel}"):
                within(self._client, _SECONDS).chat_postEphemeral(channel=channel, user=user, text=text, thread_ts=root)
        except ReplyError as error:
            log.warning("%s", error)
