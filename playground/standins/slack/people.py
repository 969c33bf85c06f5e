"""Who and what is in the workspace when it is new."""

from __future__ import annotations

from dataclasses import dataclass, field

TEAM = "T0EVERTHRD"
TEAM_NAME = "Everthread"
OTHER_TEAM = "T0ELSEWHRE"
APP = "A0EVERTHRD"
BOT_USER = "U0EVERTHRD"
BOT = "B0EVERTHRD"
BOT_NAME = "everthread"
MENTION = "@" + BOT_NAME


@dataclass(frozen=True, slots=True)
class Person:
    """A human or bot user; `key` is what the control API and scenarios call them."""

    key: str
    id: str
    real_name: str
    team: str = TEAM
    is_admin: bool = False
    is_guest: bool = False
    is_bot: bool = False


@dataclass(slots=True)
class Channel:
    """A conversation: `kind` is `channel`, `group` (private), `im` or `mpim`; the bot sees it only as a member."""

    id: str
    name: str
    kind: str
    members: list[str]
    created: int
    archived: bool = False
    partner: str = field(default="")
    """The person's user id, in an `im`."""


PEOPLE: tuple[Person, ...] = (
    Person("ann", "U0ANN00001", "Ann Asker"),
    Person("bob", "U0BOB00001", "Bob Colleague"),
    Person("ada", "U0ADA00001", "Ada Admin", is_admin=True),
    Person("gus", "U0GUS00001", "Gus Guest", is_guest=True),
    Person("eve", "U0EVE00001", "Eve Elsewhere", team=OTHER_TEAM),
    Person(BOT_NAME, BOT_USER, "Everthread", is_bot=True),
)

_HOME = [person.id for person in PEOPLE if person.team == TEAM]
_CREATED = 1_767_225_600  # a channel is older than anything said in it


def new_channels() -> list[Channel]:
    """Every kind: a channel with the bot, one shared with Eve's workspace, one without the bot, a private one.

    And a group DM of Ann, Bob and the bot, and a DM for each person.
    """
    humans = [person for person in PEOPLE if not person.is_bot]
    ann, bob, ada = (person.id for person in PEOPLE[:3])
    return [
        Channel("C0GENERAL1", "general", "channel", list(_HOME), _CREATED),
        Channel("C0OPS00001", "ops", "channel", [person.id for person in PEOPLE], _CREATED),
        Channel("C0RANDOM01", "random", "channel", [p for p in _HOME if p != BOT_USER], _CREATED),
        Channel("C0BACKSTG1", "backstage", "group", [ann, bob, ada, BOT_USER], _CREATED),
        Channel("C0GROUPDM1", "mpdm-ann--bob--everthread-1", "mpim", [ann, bob, BOT_USER], _CREATED),
        *(
            Channel("D" + person.id[1:], person.key, "im", [person.id, BOT_USER], _CREATED, partner=person.id)
            for person in humans
        ),
    ]


@dataclass(slots=True)
class UserGroup:
    """People who can be named as one: `@handle`."""

    id: str
    handle: str
    name: str
    users: list[str]


def new_groups() -> list[UserGroup]:
    """@oncall: Bob and Ada."""
    return [UserGroup("S0ONCALL01", "oncall", "On call", [PEOPLE[1].id, PEOPLE[2].id])]
