"""files.*: an upload in three steps, and what is known of a file."""

from __future__ import annotations

from typing import Any

from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import SlackError
from playground.standins.slack.files import File, file_json
from playground.standins.slack.message import Json
from playground.standins.slack.people import BOT_USER, Channel
from playground.standins.slack.standin import Standin
from playground.standins.slack.text import escape
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.chat import thread_of
from playground.standins.slack.web_api.conversations import channel_of


def get_upload_url(slack: Standin, args: Args) -> Json:
    """Step 1: where to send `length` bytes. Step 2 is a POST to it."""
    name, length = args.need("filename"), args.number("length", 0)
    if not length:
        raise SlackError("invalid_arguments", "[ERROR] missing required field: length")
    file = slack.world.files.ask(name, length, BOT_USER)
    return {"upload_url": f"{slack.url}/upload/v1/{file.key}", "file_id": file.id}


def complete_upload(slack: Standin, args: Args) -> Json:
    """Step 3: the files are named and, with a channel, shared in one message; not idempotent, and it tells no ts."""
    wanted = args.json("files", "invalid_arguments")
    if not isinstance(wanted, list) or not wanted or not all(isinstance(item, dict) for item in wanted):
        raise SlackError("invalid_arguments", "[ERROR] files must be a list with at least one item")
    files = [_uploaded(slack, item) for item in wanted]
    places = [name for name in (args.text("channels") or args.text("channel_id")).split(",") if name]
    if len(places) > 1 and args.text("thread_ts"):
        raise SlackError("invalid_arguments", "[ERROR] thread_ts goes with one channel only")
    channels = [channel_of(slack, Args({"channel": name})) for name in places]
    if any(channel.archived for channel in channels):
        raise SlackError("is_archived")
    threads = [thread_of(slack, channel, args) for channel in channels]
    for file, item in zip(files, wanted, strict=True):
        file.title, file.completed = str(item.get("title") or file.name), True
    for channel, thread_ts in zip(channels, threads, strict=True):
        _share(slack, channel, thread_ts, files, args)
    return {"files": [file_json(file, slack.url) for file in files]}


def info(slack: Standin, args: Args) -> Json:
    """The file, and in which messages it is shown."""
    file = slack.world.files.need(args.need("file"))
    shares: Json = {"public": {}, "private": {}}
    for channel, stamps in file.shares.items():
        kind = "public" if slack.world.channels[channel].kind == "channel" else "private"
        found = [slack.world.messages[channel, ts] for ts in stamps]
        shares[kind][channel] = [{"ts": m.ts, **({"thread_ts": m.thread_ts} if m.thread_ts else {})} for m in found]
    return {"file": file_json(file, slack.url) | {"shares": shares}, "comments": []}


def delete(slack: Standin, args: Args) -> Json:
    file = slack.world.files.need(args.need("file"))
    if file.user != BOT_USER:
        raise SlackError("cant_delete_file")
    file.deleted = True
    slack.journal.add("file.deleted", file=file.id)
    return {}


def _uploaded(slack: Standin, item: Json) -> File:
    file = slack.world.files.by_id.get(str(item.get("id")))
    if file is None or file.content is None:
        raise SlackError("file_not_found")
    if file.completed:
        raise SlackError("file_already_completed")
    return file


def _share(slack: Standin, channel: Channel, thread_ts: str | None, files: list[File], args: Args) -> None:
    blocks: Any = args.json("blocks", "invalid_blocks_format")
    draft = {
        "text": escape(args.text("initial_comment")),
        "blocks": tuple(check_blocks(blocks)) if blocks else (),
        "call": args.call,
    }
    shown = tuple(file_json(file, slack.url) for file in files)
    message = slack.world.post(
        channel, BOT_USER, draft, thread_ts=thread_ts, from_app=True, subtype="file_share", files=shown
    )
    for file in files:
        file.shares.setdefault(channel.id, []).append(message.ts)
