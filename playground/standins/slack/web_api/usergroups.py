"""usergroups.*: people who can be named as one."""

from __future__ import annotations

from playground.standins.slack.errors import SlackError
from playground.standins.slack.message import Json
from playground.standins.slack.people import TEAM, UserGroup
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args


def list_groups(slack: Standin, args: Args) -> Json:
    users = args.flag("include_users")
    return {"usergroups": [_shown(group, users=users) for group in slack.world.groups.values()]}


def list_users(slack: Standin, args: Args) -> Json:
    group = slack.world.groups.get(args.need("usergroup"))
    if group is None:
        raise SlackError("no_such_subteam")
    return {"users": list(group.users)}


def _shown(group: UserGroup, *, users: bool) -> Json:
    shown: Json = {
        "id": group.id,
        "team_id": TEAM,
        "is_usergroup": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_delete": 0,
        "user_count": len(group.users),
    }
    return shown | ({"users": list(group.users)} if users else {})
