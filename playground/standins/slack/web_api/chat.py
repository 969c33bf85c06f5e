"""chat.*: posting, editing and deleting as the app."""

from __future__ import annotations

from typing import Any

from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import SlackError
from playground.standins.slack.files import file_json
from playground.standins.slack.limits import enforce, limit_of
from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import BOT_USER, Channel
from playground.standins.slack.response_url import show_ephemeral
from playground.standins.slack.shapes import message_json
from playground.standins.slack.standin import Standin
from playground.standins.slack.text import escape
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.conversations import channel_of
from playground.standins.slack.world import Draft


def post_message(slack: Standin, args: Args) -> Json:
    channel = channel_of(slack, args)
    draft = _content(args)
    draft["text"] = draft.get("text", "")[: limit_of("post text").limit]
    draft["metadata"] = metadata_of(args) or {}
    thread_ts = thread_of(slack, channel, args)
    message = slack.world.post(
        channel,
        BOT_USER,
        draft,
        thread_ts=thread_ts,
        from_app=True,
        broadcast=args.flag("reply_broadcast"),
        subtype="thread_broadcast" if args.flag("reply_broadcast") and thread_ts else None,
    )
    shown = message_json(slack.world, message, metadata=True)
    return {"channel": channel.id, "ts": message.ts, "message": shown}


def update(slack: Standin, args: Args) -> Json:
    """Text without blocks removes the blocks; attachments and metadata stay when omitted."""
    channel = channel_of(slack, args)
    message = _own(slack, channel, args, "ts", "cant_update_message")
    if channel.archived:
        raise SlackError("is_archived")
    if message.stream is not None and message.stream.state == "streaming":
        raise SlackError("streaming_state_conflict")
    draft = _content(args, has_files="file_ids" in args)
    if "markdown_text" not in args:
        enforce("update text", len(draft.get("text", "").encode()))
    _attach(slack, message, args)
    now = message.now
    metadata = metadata_of(args)
    draft.setdefault("text", now.text if "blocks" not in draft else "")
    draft.setdefault("attachments", now.attachments)
    draft["metadata"] = now.metadata if metadata is None else metadata
    slack.world.edit(message, BOT_USER, draft, mark="blocks" not in draft)
    shown = message_json(slack.world, message, metadata=True)
    return {"channel": channel.id, "ts": message.ts, "text": message.now.text, "message": shown}


def delete(slack: Standin, args: Args) -> Json:
    channel = channel_of(slack, args)
    message = _own(slack, channel, args, "ts", "cant_delete_message")
    slack.world.delete(message, BOT_USER)
    return {"channel": channel.id, "ts": message.ts}


def post_ephemeral(slack: Standin, args: Args) -> Json:
    """Shown to one person, kept by nobody: it cannot be edited, and history has no trace of it."""
    channel = channel_of(slack, args)
    user = args.need("user")
    if user not in channel.members:
        raise SlackError("user_not_in_channel")
    if channel.archived:
        raise SlackError("is_archived")
    draft = _content(args)
    blocks, thread_ts = list(draft.get("blocks", ())), args.text("thread_ts") or None
    return {"message_ts": show_ephemeral(slack, channel.id, user, draft.get("text", ""), blocks, thread_ts)["ts"]}


def get_permalink(slack: Standin, args: Args) -> Json:
    channel = channel_of(slack, args, member=False)
    message = slack.world.standing(channel.id, args.need("message_ts"))
    if message is None:
        raise SlackError("message_not_found")
    place = f"https://everthread.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    query = f"?thread_ts={message.thread_ts}&cid={channel.id}" if message.is_reply else ""
    return {"channel": channel.id, "permalink": place + query}


def _attach(slack: Standin, message: Message, args: Args) -> None:
    """Files that were completed without a channel are shown in an existing message."""
    for file_id in args.json("file_ids", "invalid_arguments") or ():
        file = slack.world.files.need(str(file_id))
        file.shares.setdefault(message.channel, []).append(message.ts)
        message.files = (*message.files, file_json(file, slack.url))


def _own(slack: Standin, channel: Channel, args: Args, name: str, refusal: str) -> Message:
    message = slack.world.standing(channel.id, args.need(name))
    if message is None:
        raise SlackError("message_not_found")
    if not message.from_app:
        raise SlackError(refusal)
    return message


def _content(args: Args, *, has_files: bool = False) -> Draft:
    """text, blocks and attachments, checked; only what was given is in it."""
    draft: Draft = {"call": args.call}
    if "markdown_text" in args:
        if args.text("text") or "blocks" in args:
            raise SlackError("markdown_text_conflict")
        enforce("markdown_text", len(args.text("markdown_text")))
        draft["text"] = escape(args.text("markdown_text"))
        return draft
    if "text" in args:
        draft["text"] = escape(args.text("text"))
    if (blocks := args.json("blocks", "invalid_blocks_format")) is not None:
        draft["blocks"] = tuple(check_blocks(blocks))
    if (attachments := args.json("attachments", "invalid_attachments")) is not None:
        enforce("attachments", len(attachments))
        draft["attachments"] = tuple(attachments)
    if not draft.get("text") and not draft.get("blocks") and not draft.get("attachments") and not has_files:
        raise SlackError("no_text")
    return draft


def metadata_of(args: Args) -> Json | None:
    """None when not given; `{}` clears."""
    value: Any = args.json("metadata", "invalid_metadata_format")
    if value is None:
        return None
    if value == {}:
        return {}
    if not isinstance(value, dict) or not isinstance(value.get("event_type"), str):
        raise SlackError("invalid_metadata_format", "[ERROR] metadata needs event_type and event_payload")
    if not isinstance(value.get("event_payload"), dict):
        raise SlackError("invalid_metadata_format", "[ERROR] event_payload must be an object")
    return {"event_type": value["event_type"], "event_payload": value["event_payload"]}


def thread_of(slack: Standin, channel: Channel, args: Args) -> str | None:
    """The thread a post goes into; a deleted root is no obstacle, one that never was is."""
    thread_ts = args.text("thread_ts")
    if not thread_ts:
        return None
    root = slack.world.messages.get((channel.id, thread_ts))
    if root is None:
        raise SlackError("cannot_reply_to_message")
    if root.is_reply:
        slack.violate(f"thread_ts {thread_ts} names a reply, not the root {root.thread_ts}")
        return root.thread_ts
    return thread_ts
