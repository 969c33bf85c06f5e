"""Whether Slack can be reached: what a socket shows by itself has to be asked over HTTP."""

from __future__ import annotations

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from store.ports import Clock, ReplyError

FRESH_SECONDS = 30.0
_PATIENCE = 2.0


class Reachable:
    """Asks `auth.test` when somebody wants to know, at most twice a minute."""

    def __init__(self, client: WebClient, clock: Clock) -> None:
        self._client, self._clock = client, clock
        self._until, self._why = 0.0, ""

    def __call__(self) -> str:
        """Why not, in one line, or ''."""
        now = self._clock.boottime()
        if now >= self._until:
            self._until = now + FRESH_SECONDS  # whoever asks meanwhile gets the last answer
            self._why = self._ask()
        return self._why

    def _ask(self) -> str:
        try:
            with slack_call("asking Slack who we are (auth.test)"):
                within(self._client, _PATIENCE).auth_test()
        except ReplyError as error:
            return str(error)
        return ""
