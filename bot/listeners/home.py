"""The home tab: made anew each time somebody opens it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from slack_bolt import App
from slack_sdk import WebClient

from bot.cards.card import Block
from bot.cards.home_card import Home, closed_home, home_card
from bot.client import within
from bot.failure import slack_call
from bot.groups import Groups
from bot.identity import Identity
from bot.links import thread_link
from bot.listeners.guarded import SLACK_DOWN
from bot.operators import Operators, Rights
from bot.places import Places
from store.desk import WaitRows
from store.errors import StoreUnavailableError
from store.ports import ReplyError

STORE_DOWN = "I cannot reach my store just now. Please open this again in a moment."
WAITS, RUNS = 15, 10
"""Rows of a list; what is read for them does not grow with what there is."""
_SECONDS = 5.0

log = logging.getLogger(__name__)


class HomeTab:
    """The listener behind the tab."""

    def __init__(
        self,
        client: WebClient,
        *,
        me: Identity,
        operators: Operators,
        rights: Rights,
        groups: Groups,
        places: Places,
    ) -> None:
        self._client, self._me, self._operators, self._rights = client, me, operators, rights
        self._groups, self._places = groups, places
        self._link = partial(thread_link, me)

    def register(self, app: App) -> None:
        app.event("app_home_opened", matchers=[is_home])(self.opened)

    def opened(self, event: Mapping[str, Any]) -> None:
        """Runs after the acknowledgement; what fails is logged, and the tab stays as it was."""
        user = str(event.get("user") or "")
        if not user:
            return
        view = self._view(user, str(event.get("channel") or ""))
        try:
            with slack_call(f"publishing the home tab of {user}"):
                within(self._client, _SECONDS).views_publish(user_id=user, view=view)
        except ReplyError as error:
            log.warning("%s", error)

    def _view(self, user: str, direct: str) -> Block:
        try:
            if refusal := self._rights.refusal(user, direct or "D"):
                return closed_home(refusal)
            return home_card(self._home(user, direct), self._link)
        except StoreUnavailableError as error:
            log.warning("the home tab of %s could not be made: %s", user, error)
            return closed_home(STORE_DOWN)
        except ReplyError as error:
            log.warning("the home tab of %s could not be made: %s", user, error)
            return closed_home(SLACK_DOWN)

    def _home(self, user: str, direct: str) -> Home:
        desk = self._operators.desk
        who = dict.fromkeys([user, direct, *self._groups_of(user), *self._places.of(user)])
        waits = desk.waits_for([one for one in who if one], limit=WAITS)
        runs = desk.runs_of(user, limit=RUNS)
        mine = WaitRows([row for row in waits.rows if row.barred != user], waits.more, waits.now)
        if not self._rights.is_admin(user):
            return Home(mine, runs)
        return Home(mine, runs, desk.runs(limit=RUNS), desk.usage())

    def _groups_of(self, user: str) -> Iterator[str]:
        """Those of the groups that may answer somewhere in which this person is."""
        for group in sorted(self._operators.groups):
            try:
                if user in self._groups.members(group):
                    yield group
            except ReplyError as error:
                log.info("%s", error)


def is_home(event: Mapping[str, Any]) -> bool:
    return event.get("tab") == "home"
