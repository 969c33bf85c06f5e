"""chat.startStream, appendStream, stopStream: text that grows while it is read."""

from __future__ import annotations

from playground.standins.journal import wall
from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import SlackError
from playground.standins.slack.limits import enforce
from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import BOT_USER
from playground.standins.slack.sessions import STATUSES
from playground.standins.slack.shapes import message_json
from playground.standins.slack.standin import Standin
from playground.standins.slack.streams import Stream, check_chunks
from playground.standins.slack.text import escape
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.chat import metadata_of
from playground.standins.slack.web_api.conversations import channel_of

_MODES = ("", "timeline", "plan", "dense")


def start(slack: Standin, args: Args) -> Json:
    """Outside DMs Slack wants to know for whom it is streamed; the message closes by itself after 5 min."""
    channel = channel_of(slack, args)
    thread_ts = args.need("thread_ts")
    root = slack.world.messages.get((channel.id, thread_ts))
    if root is None or root.is_reply:
        raise SlackError("invalid_thread_ts")
    if channel.kind != "im":
        for name in ("recipient_team_id", "recipient_user_id"):
            if not args.text(name):
                raise SlackError(f"missing_{name}")
    if args.text("task_display_mode") not in _MODES:
        raise SlackError("invalid_arguments", f"[ERROR] no task_display_mode {args.text('task_display_mode')}")
    stream = Stream(wall() + slack.settings.stream_life)
    _add(stream, args, empty=True)
    draft = {"text": escape(stream.text), "blocks": stream.shown(), "call": args.call}
    message = slack.world.post(channel, BOT_USER, draft, thread_ts=thread_ts, from_app=True, stream=stream)
    return {"channel": channel.id, "ts": message.ts}


def append(slack: Standin, args: Args) -> Json:
    message, stream = _own(slack, args)
    _add(stream, args, empty=False)
    _show(slack, message, stream, args)
    return {"channel": message.channel, "ts": message.ts}


def stop(slack: Standin, args: Args) -> Json:
    """The last text, blocks below it, metadata; from then on it is edited like any other message."""
    message, stream = _own(slack, args)
    _add(stream, args, empty=True)
    if (blocks := args.json("blocks", "invalid_blocks_format")) is not None:
        stream.blocks += check_blocks(blocks)
    metadata = metadata_of(args)
    status = args.text("session_status")
    if status and status not in STATUSES:
        raise SlackError("invalid_arguments", f"[ERROR] no session_status {status}")
    stream.ended = "stopped"
    _show(slack, message, stream, args, metadata)
    if status:
        slack.world.sessions.set(message.channel, message.thread_ts or "", status)
    shown = message_json(slack.world, message, metadata=True)
    return {"channel": message.channel, "ts": message.ts, "message": shown}


def _own(slack: Standin, args: Args) -> tuple[Message, Stream]:
    channel = channel_of(slack, args)
    message = slack.world.standing(channel.id, args.need("ts"))
    if message is None:
        raise SlackError("message_not_found")
    if not message.from_app:
        raise SlackError("message_not_owned_by_app")
    if message.stream is None:
        raise SlackError("message_not_in_streaming_state")
    message.stream.need_open()
    return message, message.stream


def _add(stream: Stream, args: Args, *, empty: bool) -> None:
    markdown = args.text("markdown_text")
    enforce("markdown_text", len(markdown))
    chunks = check_chunks(args.json("chunks", "invalid_chunks")) if "chunks" in args else []
    if not markdown and not chunks and not empty:
        raise SlackError("no_text")
    stream.add(markdown, chunks)


def _show(slack: Standin, message: Message, stream: Stream, args: Args, metadata: Json | None = None) -> None:
    kept = message.now.metadata if metadata is None else metadata
    draft = {"text": escape(stream.text), "blocks": stream.shown(), "metadata": kept, "call": args.call}
    slack.world.edit(message, BOT_USER, draft, mark=False)
