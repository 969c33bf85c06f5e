"""Those who run it, as the bot is told of them: the desk's verbs, and who may use which."""

from __future__ import annotations

from dataclasses import dataclass

from bot.access import Access
from bot.admins import Admins
from store.desk import Desk

ADMINS_ONLY = "Only admins may do that. Ask whoever runs me, or an admin of this workspace."
NOT_YOURS = "That run is somebody else's; only they and admins may do that."


@dataclass(frozen=True, slots=True)
class Operators:
    """desk: the verbs. admins: people who count as such beside Slack's own. groups: those that may answer somewhere."""

    desk: Desk
    admins: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()


class Rights:
    """Who may do what at the desk. `ReplyError` and `StoreUnavailableError` mean that nobody can say now."""

    def __init__(self, desk: Desk, access: Access, admins: Admins) -> None:
        self._desk, self._access, self._admins = desk, access, admins

    def is_admin(self, user: str) -> bool:
        return self._admins.has(user)

    def refusal(self, user: str, channel: str, *, foreign: bool = False) -> str | None:
        """Why this person may not use it there, or None; admins may everywhere."""
        if not foreign and self._admins.has(user):
            return None
        return self._access.refusal(user, channel, foreign=foreign)

    def to_admins(self, user: str) -> str | None:
        return None if self._admins.has(user) else ADMINS_ONLY

    def to_run(self, user: str, target: str) -> str | None:
        """A run is its asker's, and the admins'. `UnknownTargetError` as the desk says."""
        return None if self._admins.has(user) or self._desk.asker(target) == user else NOT_YOURS
