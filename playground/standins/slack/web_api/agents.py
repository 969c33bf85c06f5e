"""agents.sessions.*: what the agent of a thread is doing, as Slack shows it with its own Stop button."""

from __future__ import annotations

from playground.standins.slack.errors import SlackError
from playground.standins.slack.events import wanted
from playground.standins.slack.limits import enforce
from playground.standins.slack.message import Json
from playground.standins.slack.sessions import STATUSES
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.conversations import channel_of


def set_status(slack: Standin, args: Args) -> Json:
    """Makes the session when there is none; `processing` shows Stop, if the app can hear of it."""
    channel_id, thread_ts = _thread(slack, args)
    status, title = args.need("status"), args.text("title")
    if status not in STATUSES:
        raise SlackError("invalid_arguments", f"[ERROR] status must be one of {', '.join(STATUSES)}")
    enforce("session title", len(title))
    session = slack.world.sessions.set(channel_id, thread_ts, status, title)
    slack.journal.add("session.set", channel=channel_id, thread_ts=thread_ts, status=status)
    body: Json = {"session": {"status": session.status, "title": session.title}}
    if status == "processing" and not wanted("agent_session_stopped", slack.settings):
        body["warning"] = "missing_agent_session_stopped_event_subscription"
    return body


def rename(slack: Standin, args: Args) -> Json:
    channel_id, thread_ts = _thread(slack, args)
    title = args.need("title")
    enforce("session title", len(title))
    session = slack.world.sessions.by_thread.get((channel_id, thread_ts))
    if session is None:
        raise SlackError("session_not_found")
    session.title = title
    slack.journal.add("session.renamed", channel=channel_id, thread_ts=thread_ts, title=title)
    return {}


def _thread(slack: Standin, args: Args) -> tuple[str, str]:
    if not slack.settings.agent:
        raise SlackError("feature_not_enabled")
    channel = channel_of(slack, args, "channel_id")
    thread_ts = args.text("thread_ts")
    if not thread_ts and channel.kind != "im":
        raise SlackError("invalid_arguments", "[ERROR] missing required field: thread_ts")
    if thread_ts:
        root = slack.world.messages.get((channel.id, thread_ts))
        if root is None or root.is_reply:
            raise SlackError("invalid_thread_ts")
    return channel.id, thread_ts
