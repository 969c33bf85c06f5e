"""Which channels a person is in, as far as we are there too; remembered for a few minutes."""

from __future__ import annotations

import logging

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from store.ports import Clock, ReplyError

MOST = 200
"""Channels of a person that are looked at."""
_FRESH_SECONDS = 300.0
_SECONDS = 3.0
_TYPES = "public_channel,private_channel,mpim"

log = logging.getLogger(__name__)


class Places:
    """Asks `users.conversations`; of private channels Slack names only those that we share."""

    def __init__(self, client: WebClient, clock: Clock) -> None:
        self._client, self._clock = client, clock
        self._known: dict[str, tuple[float, tuple[str, ...]]] = {}

    def of(self, user: str) -> tuple[str, ...]:
        """At most one call to Slack; none where Slack cannot say now."""
        now = self._clock.boottime()
        until, channels = self._known.get(user, (0.0, ()))
        if now < until:
            return channels
        try:
            with slack_call(f"asking Slack where {user} is (users.conversations)"):
                answer = within(self._client, _SECONDS).users_conversations(
                    user=user, types=_TYPES, exclude_archived=True, limit=MOST
                )
        except ReplyError as error:
            log.info("%s", error)
            return ()
        channels = tuple(str(channel["id"]) for channel in answer.get("channels") or ())
        self._known[user] = (now + _FRESH_SECONDS, channels)
        return channels
