"""A word to one person alone."""

from __future__ import annotations

import logging

from slack_sdk import WebClient

from bot.cards.card import Block
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

    def say(
        self, text: str, *, user: str, channel: str, root: str | None = None, blocks: list[Block] | None = None
    ) -> bool:
        """root: the thread in which only `user` sees `text`, or `blocks`. Whether Slack took it."""
        client = within(self._client, _SECONDS)
        try:
            with slack_call(f"whispering to {user} in {channel}"):
                client.chat_postEphemeral(channel=channel, user=user, text=text, thread_ts=root, blocks=blocks)
        except ReplyError as error:
            log.warning("%s", error)
            return False
        return True

    def show(self, text: str, *, user: str, trigger: str, above: bool = False) -> None:
        """In a small window. trigger: of what `user` just did; above: from within a window of ours."""
        self.open(window(text), user=user, trigger=trigger, above=above)

    def open(self, view: Block, *, user: str, trigger: str, above: bool = False) -> bool:
        """Show a window; whether Slack took it."""
        client = within(self._client, _SECONDS)
        opening = client.views_push if above else client.views_open
        try:
            with slack_call(f"showing {user} a window"):
                opening(trigger_id=trigger, view=view)
        except ReplyError as error:
            log.warning("%s", error)
            return False
        return True
