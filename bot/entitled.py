"""Who may answer what a run asks."""

from __future__ import annotations

from bot.cards.ask_words import named
from bot.groups import Groups
from store.wait import Verdict, Wait

NOT_THE_ASKER = "You asked for this, so somebody else has to approve it."


class Entitled:
    """Judges by the wait alone; that somebody may use the bot here at all is `Access`'."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups

    def refusal(self, wait: Wait, user: str, verdict: Verdict = "") -> str | None:
        """Why not, in a sentence for that person, or None; `ReplyError` where Slack cannot say who is in a group."""
        answerers = wait.answerers
        if not any(self._covers(one, wait, user) for one in answerers.by):
            return f"Only {names} may answer this." if (names := named(wait)) else "Nobody may answer this."
        if verdict == "approve" and answerers.not_asker and user == wait.asker:
            return NOT_THE_ASKER
        return None

    def _covers(self, one: str, wait: Wait, user: str) -> bool:
        if one == "channel" or one == user or (one == "asker" and user == wait.asker):
            return True
        return one.startswith("S") and user in self._groups.members(one)
