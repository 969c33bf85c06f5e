"""The Web API: one row per method, one module per family.

A method's handler takes the stand-in and the arguments, changes the workspace without waiting, and returns
the answer's fields or raises `SlackError`. A method without a row is `unknown_method` and a violation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from playground.standins.slack.message import Json
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api import apps, assistant, chat, conversations, reactions, users
from playground.standins.slack.web_api.args import Args

Handler = Callable[[Standin, Args], Json]


@dataclass(frozen=True, slots=True)
class Method:
    """A handler, and whose token Slack wants for it."""

    handle: Handler
    caller: Literal["bot", "app"] = "bot"


METHODS: dict[str, Method] = {
    "apps.connections.open": Method(apps.connections_open, "app"),
    "assistant.threads.setStatus": Method(assistant.set_status),
    "auth.test": Method(apps.auth_test),
    "chat.delete": Method(chat.delete),
    "chat.getPermalink": Method(chat.get_permalink),
    "chat.postEphemeral": Method(chat.post_ephemeral),
    "chat.postMessage": Method(chat.post_message),
    "chat.update": Method(chat.update),
    "conversations.history": Method(conversations.history),
    "conversations.info": Method(conversations.info),
    "conversations.members": Method(conversations.members),
    "conversations.replies": Method(conversations.replies),
    "reactions.add": Method(reactions.add),
    "reactions.remove": Method(reactions.remove),
    "users.info": Method(users.info),
    "users.list": Method(users.list_users),
}
