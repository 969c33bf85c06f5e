"""Who counts as an admin: those whom the setting names, and the workspace's own admins and owners."""

from __future__ import annotations

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from bot.identity import Identity
from bot.people import LOOKUP_SECONDS, kind_of
from store.ports import Clock

_FRESH_SECONDS = 600.0
_RANKS = ("is_admin", "is_owner", "is_primary_owner")


class Admins:
    """Asks `users.info`, and remembers the answer for ten minutes."""

    def __init__(self, client: WebClient, me: Identity, clock: Clock, named: frozenset[str] = frozenset()) -> None:
        self._client, self._me, self._clock, self._named = client, me, clock, named
        self._known: dict[str, tuple[float, bool]] = {}

    def has(self, user: str) -> bool:
        """At most one call to Slack; `ReplyError` when Slack cannot say."""
        if user in self._named:
            return True
        now = self._clock.boottime()
        until, known = self._known.get(user, (0.0, False))
        if now < until:
            return known
        with slack_call(f"asking Slack whether {user} is an admin (users.info)"):
            answer = within(self._client, LOOKUP_SECONDS).users_info(user=user)
        found = answer["user"]
        known = kind_of(found, self._me) == "member" and any(found.get(rank) for rank in _RANKS)
        self._known[user] = (now + _FRESH_SECONDS, known)
        return known
