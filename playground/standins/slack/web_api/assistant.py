"""assistant.threads.*: the line under a thread that says what the app is doing, its title, prompts to begin with."""

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


def set_title(slack: Standin, args: Args) -> Json:
    """The name of a DM's thread in the app's history tab."""
    channel = _direct(slack, args)
    thread_ts = args.need("thread_ts")
    if (channel, thread_ts) not in slack.world.messages:
        raise SlackError("invalid_thread_ts")
    slack.world.sessions.titles[channel, thread_ts] = args.need("title")
    return {}


def set_suggested_prompts(slack: Standin, args: Args) -> Json:
    """Up to four; under `agent_view` they need no thread."""
    channel = _direct(slack, args)
    prompts = args.json("prompts", "invalid_arguments")
    if not isinstance(prompts, list) or not prompts:
        raise SlackError("invalid_arguments", "[ERROR] prompts must be a list with at least one item")
    enforce("prompts", len(prompts))
    for prompt in prompts:
        if not isinstance(prompt, dict) or not prompt.get("title") or not prompt.get("message"):
            raise SlackError("invalid_arguments", "[ERROR] a prompt needs title and message")
    shown = {"channel": channel, "thread_ts": args.text("thread_ts") or None, "title": args.text("title")}
    slack.world.sessions.prompts.append(shown | {"prompts": prompts})
    slack.journal.add("prompts.set", **shown, prompts=prompts)
    return {}


def _direct(slack: Standin, args: Args) -> str:
    if not slack.settings.agent:
        raise SlackError("feature_not_enabled")
    channel = channel_of(slack, args, "channel_id")
    if channel.kind != "im":
        raise SlackError("channel_not_supported")
    return channel.id
