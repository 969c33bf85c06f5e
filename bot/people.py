"""What kind of person somebody is: remembered for a day in the store, else asked of Slack."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from bot.identity import Identity
from store.ports import ReplyError
from store.protocol import Person, Workspace

LOOKUP_SECONDS = 1.2
"""Beside the store's patience this must fit into the 3 s that Slack waits for an acknowledgement."""

_PAGES, _PAGE = 5, 200
_INVISIBLE = ("user_not_found", "user_not_visible", "users_not_found")

log = logging.getLogger(__name__)


class People:
    """Looks people up."""

    def __init__(self, client: WebClient, me: Identity, workspace: Workspace) -> None:
        self._client, self._me, self._workspace = client, me, workspace

    def kind(self, user: str) -> Person:
        """At most one call to Slack; `ReplyError` when Slack cannot say, `StoreUnavailableError` as ever."""
        known = self._workspace.person(self._me.team, user)
        if known is not None:
            return known
        kind = self._ask(user)
        self._workspace.know(self._me.team, {user: kind})
        return kind

    def _ask(self, user: str) -> Person:
        try:
            with slack_call(f"asking Slack who {user} is (users.info)"):
                answer = within(self._client, LOOKUP_SECONDS).users_info(user=user)
        except ReplyError as error:
            if error.code in _INVISIBLE:
                return "foreign"
            raise
        return kind_of(answer["user"], self._me)

    def warm(self, timeout: float = 5.0) -> int:
        """Learn the first thousand people with at most five calls, so that they cost none later; how many.

        A failure is logged: whoever is not known is asked for when they write.
        """
        known, cursor = 0, ""
        try:
            for _ in range(_PAGES):
                with slack_call("listing the workspace's people (users.list)"):
                    answer = within(self._client, timeout).users_list(limit=_PAGE, cursor=cursor)
                people = {user["id"]: kind_of(user, self._me) for user in answer["members"]}
                self._workspace.know(self._me.team, people)
                known += len(people)
                cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
                if not cursor:
                    break
        except ReplyError as error:
            log.warning("%s; people are looked up one by one", error)
        return known


def kind_of(user: Mapping[str, Any], me: Identity) -> Person:
    """A user object of Slack as one of our kinds; the strictest that fits."""
    if user.get("deleted"):
        return "gone"
    if user.get("is_bot") or user.get("id") == "USLACKBOT":
        return "bot"
    teams = (user.get("enterprise_user") or {}).get("teams") or [user.get("team_id") or me.team]
    if user.get("is_stranger") or me.team not in teams:
        return "foreign"
    if user.get("is_restricted") or user.get("is_ultra_restricted"):
        return "guest"
    return "member"
