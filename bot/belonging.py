"""Whose payload it is: an app that several workspaces installed gets all of theirs at one address."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import BoltResponse

from bot.heard import is_foreign
from bot.identity import Identity

NOT_HERE = "This app works for another workspace."

log = logging.getLogger(__name__)


class Belonging:
    """A global Bolt middleware that lets nothing through that was not delivered for our workspace.

    It is acknowledged all the same, so that Slack does not send it again and again.
    """

    def __init__(self, me: Identity) -> None:
        self._me = me

    def check(self, body: Mapping[str, Any], next_: Callable[[], None]) -> BoltResponse | None:
        teams = workspaces(body)
        if not teams or any(not is_foreign(team, self._me) for team in teams):
            next_()
            return None
        log.warning("a payload of workspace %s was refused: this is %s", ", ".join(sorted(teams)), self._me.team)
        return BoltResponse(status=200, body=NOT_HERE if "command" in body else "")


def workspaces(body: Mapping[str, Any]) -> set[str]:
    """Every workspace for which a payload says it was sent; in a shared channel that is more than one."""
    view = _record(body.get("view"))
    authorizations = body.get("authorizations")
    given = (authorizations[0] if isinstance(authorizations, list) and authorizations else {}), body.get("team")
    installed, team = map(_record, given)
    found = (
        installed.get("team_id"),
        body.get("context_team_id"),
        body.get("team_id"),
        team.get("id"),
        _record(body.get("user")).get("team_id"),
        view.get("app_installed_team_id"),
    )
    return {team for team in found if isinstance(team, str) and team}


def _record(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
