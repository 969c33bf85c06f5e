"""Changing the message that was clicked on, through the address that came with the click."""

from __future__ import annotations

import logging
from http import HTTPStatus
from http.client import HTTPException
from typing import cast

from slack_sdk.errors import SlackClientError
from slack_sdk.webhook import WebhookClient

from bot.cards.card import Card

_SECONDS = 2.0

log = logging.getLogger(__name__)
_unheard = log.getChild("client")
_unheard.setLevel(logging.CRITICAL)
"""slack_sdk would log addresses that anybody may use, and as an error what is none."""


class Redraws:
    """Takes nothing from the workspace's budget of edits. Slack gives each address half an hour and five uses."""

    def replace(self, url: str, card: Card) -> bool:
        """Whether Slack took it; nothing raises, for whoever owns the message edits it, too."""
        if not url:
            return False
        try:
            client = WebhookClient(url, timeout=cast("int", _SECONDS / 2), retry_handlers=[], logger=_unheard)
            answer = client.send(text=card.text, blocks=card.blocks, replace_original=True)
        except (SlackClientError, HTTPException, OSError, ValueError) as error:
            log.info("the message that was clicked on could not be redrawn at once: %s", type(error).__name__)
            return False
        if answer.status_code != HTTPStatus.OK:
            log.info("the message that was clicked on could not be redrawn at once: HTTP %d", answer.status_code)
        return answer.status_code == HTTPStatus.OK
