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
from playground.standins.slack.web_api import (
    agents,
    apps,
    assistant,
    chat,
    conversations,
    files,
    reactions,
    streams,
    usergroups,
    users,
    views,
)
from playground.standins.slack.web_api.args import Args

Handler = Callable[[Standin, Args], Json]


@dataclass(frozen=True, slots=True)
class Method:
    """A handler, the scopes of which a token needs one, and whose token Slack wants."""

    handle: Handler
    scopes: tuple[str, ...] = ()
    caller: Literal["bot", "app"] = "bot"


_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")

METHODS: dict[str, Method] = {
    "agents.sessions.rename": Method(agents.rename, ("chat:write",)),
    "agents.sessions.setStatus": Method(agents.set_status, ("chat:write",)),
    "apps.connections.open": Method(apps.connections_open, caller="app"),
    "assistant.threads.setStatus": Method(assistant.set_status, ("chat:write", "assistant:write")),
    "assistant.threads.setSuggestedPrompts": Method(assistant.set_suggested_prompts, ("assistant:write",)),
    "assistant.threads.setTitle": Method(assistant.set_title, ("assistant:write",)),
    "auth.test": Method(apps.auth_test),
    "bots.info": Method(apps.bots_info, ("users:read",)),
    "chat.appendStream": Method(streams.append, ("chat:write",)),
    "chat.delete": Method(chat.delete, ("chat:write",)),
    "chat.getPermalink": Method(chat.get_permalink),
    "chat.postEphemeral": Method(chat.post_ephemeral, ("chat:write",)),
    "chat.postMessage": Method(chat.post_message, ("chat:write",)),
    "chat.startStream": Method(streams.start, ("chat:write",)),
    "chat.stopStream": Method(streams.stop, ("chat:write",)),
    "chat.update": Method(chat.update, ("chat:write",)),
    "conversations.history": Method(conversations.history, _HISTORY),
    "conversations.info": Method(conversations.info, _READ),
    "conversations.list": Method(conversations.list_all, _READ),
    "conversations.members": Method(conversations.members, _READ),
    "conversations.open": Method(conversations.open_direct, ("im:write", "mpim:write")),
    "conversations.replies": Method(conversations.replies, _HISTORY),
    "files.completeUploadExternal": Method(files.complete_upload, ("files:write",)),
    "files.delete": Method(files.delete, ("files:write",)),
    "files.getUploadURLExternal": Method(files.get_upload_url, ("files:write",)),
    "files.info": Method(files.info, ("files:read",)),
    "reactions.add": Method(reactions.add, ("reactions:write",)),
    "reactions.remove": Method(reactions.remove, ("reactions:write",)),
    "usergroups.list": Method(usergroups.list_groups, ("usergroups:read",)),
    "usergroups.users.list": Method(usergroups.list_users, ("usergroups:read",)),
    "users.conversations": Method(conversations.list_own, _READ),
    "users.info": Method(users.info, ("users:read",)),
    "users.list": Method(users.list_users, ("users:read",)),
    "views.open": Method(views.open_view),
    "views.publish": Method(views.publish),
    "views.push": Method(views.push),
    "views.update": Method(views.update),
}
