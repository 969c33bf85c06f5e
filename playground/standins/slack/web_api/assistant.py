"""assistant.threads.*: the line under a thread that says what the app is doing."""

from __future__ import annotations

from playground.standins.slack.errors import SlackError
from playground.standins.slack.limits import enforce
from playground.standins.slack.message import Json
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.conversations import channel_of


def set_status(slack: Standin, args: Args) -> Json:
    """An empty status clears it; it also goes by itself after two minutes or with the next reply."""
    channel = channel_of(slack, args, "channel_id")
    thread_ts = args.need("thread_ts")
    if "status" not in args:
        raise SlackError("invalid_arguments", "[ERROR] missing required field: status")
    loading = args.json("loading_messages", "invalid_arguments") or []
    enforce("loading_messages", len(loading))
    root = slack.world.messages.get((channel.id, thread_ts))
    if root is None or root.is_reply:
        raise SlackError("invalid_thread_ts")
    status = args.text("status")
    slack.world.set_status(channel.id, thread_ts, status, loading)
    slack.journal.add("status.set", channel=channel.id, thread_ts=thread_ts, status=status)
    return {}
