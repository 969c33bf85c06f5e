"""Who may use the bot, and where."""

from __future__ import annotations

from dataclasses import dataclass

from bot.groups import Groups
from bot.heard import is_direct
from bot.people import People
from store.protocol import Person


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The setting. Empty `people` and `groups`: everybody; empty `channels`: everywhere.

    people: user ids; whoever is named may, guest or not. groups: user group ids (`S…`). channels: channel ids;
    they do not restrict DMs. guests, foreign: whether guests and people of other workspaces may. bots: ids of other
    bots that may, wherever people may.
    """

    people: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    channels: frozenset[str] = frozenset()
    guests: bool = False
    foreign: bool = False
    bots: frozenset[str] = frozenset()


_NOT_HERE = "I don't work in this channel. Write to me directly, or ask whoever runs me to let me in here."
_NOT_LISTED = "I only work for the people I was set up for. Ask whoever runs me to add you."
_NO_GUESTS = "I don't work for guests of this workspace. Ask whoever runs me to change that."
_NO_FOREIGN = "I don't work for people of other workspaces. Ask whoever runs me to change that."
_NOT_A_MEMBER = "I only work for people of this workspace."


class Access:
    """Applies the policy to one person in one channel."""

    def __init__(self, policy: AccessPolicy, people: People, groups: Groups) -> None:
        self._policy, self._people, self._groups = policy, people, groups

    def refusal(self, user: str, channel: str, *, foreign: bool = False) -> str | None:
        """Why not, in a sentence for that person, or None.

        foreign: a payload named another workspace. `ReplyError` and `StoreUnavailableError` mean that nobody
        can say now: then nothing may be let in.
        """
        policy = self._policy
        if policy.channels and channel not in policy.channels and not is_direct(channel):
            return _NOT_HERE
        if user in policy.people or user in policy.bots:
            return None
        if (policy.people or policy.groups) and not self._in_a_group(user):
            return _NOT_LISTED
        return self._kind_refusal("foreign" if foreign else self._people.kind(user))

    def _in_a_group(self, user: str) -> bool:
        return any(user in self._groups.members(group) for group in sorted(self._policy.groups))

    def _kind_refusal(self, kind: Person) -> str | None:
        match kind:
            case "member":
                return None
            case "guest":
                return None if self._policy.guests else _NO_GUESTS
            case "foreign":
                return None if self._policy.foreign else _NO_FOREIGN
            case "bot" | "gone":
                return _NOT_A_MEMBER
