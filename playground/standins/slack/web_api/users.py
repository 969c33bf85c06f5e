"""users.*: who is who."""

from __future__ import annotations

from playground.standins.slack.errors import SlackError
from playground.standins.slack.message import Json
from playground.standins.slack.people import TEAM
from playground.standins.slack.shapes import person_json
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.conversations import paged


def info(slack: Standin, args: Args) -> Json:
    person = slack.world.people.get(args.need("user"))
    if person is None:
        raise SlackError("user_not_found")
    return {"user": person_json(person)}


def list_users(slack: Standin, args: Args) -> Json:
    """The workspace's own people; strangers are found by `users.info` only."""
    ours = [person_json(person) for person in slack.world.people.values() if person.team == TEAM]
    page, more = paged(ours, args, "users page", 1_000)
    return {"members": page, "cache_ts": 0, **more}
