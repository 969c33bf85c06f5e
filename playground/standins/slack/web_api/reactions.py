"""reactions.*: the app's own reactions."""

from __future__ import annotations

import re

from playground.standins.slack.errors import SlackError
from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import BOT_USER
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.conversations import channel_of

_NAME = re.compile(r"[a-z0-9_+\-']+(?:::skin-tone-[2-6])?")


def add(slack: Standin, args: Args) -> Json:
    if not slack.react(_message(slack, args), BOT_USER, _name(args), add=True):
        raise SlackError("already_reacted")
    return {}


def remove(slack: Standin, args: Args) -> Json:
    if not slack.react(_message(slack, args), BOT_USER, _name(args), add=False):
        raise SlackError("no_reaction")
    return {}


def _message(slack: Standin, args: Args) -> Message:
    channel = channel_of(slack, args)
    if channel.archived:
        raise SlackError("is_archived")
    message = slack.world.standing(channel.id, args.need("timestamp"))
    if message is None:
        raise SlackError("message_not_found")
    return message


def _name(args: Args) -> str:
    name = args.need("name")
    if not _NAME.fullmatch(name):
        raise SlackError("invalid_name")
    return name
