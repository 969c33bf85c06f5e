"""Who is in a user group, as Slack says; remembered for a few minutes."""

from __future__ import annotations

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from bot.people import LOOKUP_SECONDS
from store.ports import Clock

_FRESH_SECONDS = 600.0


class Groups:
    """Resolves user groups (`S…`); needs the scope usergroups:read."""

    def __init__(self, client: WebClient, clock: Clock) -> None:
        self._client, self._clock = client, clock
        self._members: dict[str, tuple[float, frozenset[str]]] = {}

    def members(self, group: str) -> frozenset[str]:
        """At most one call to Slack; `ReplyError` when Slack cannot say."""
        now = self._clock.boottime()
        until, members = self._members.get(group, (0.0, frozenset()))
        if now < until:
            return members
        with slack_call(f"asking Slack who is in {group} (usergroups.users.list)"):
            answer = within(self._client, LOOKUP_SECONDS).usergroups_users_list(usergroup=group)
        members = frozenset(answer["users"])
        self._members[group] = (now + _FRESH_SECONDS, members)
        return members
