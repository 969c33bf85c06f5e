"""conversations.*: what a channel is, who is in it, what was said."""

from __future__ import annotations

import base64
from typing import TypeVar

from playground.standins.slack.errors import SlackError
from playground.standins.slack.limits import enforce, limit_of
from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import BOT_USER, Channel
from playground.standins.slack.shapes import channel_json, message_json
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args

T = TypeVar("T")


def channel_of(slack: Standin, args: Args, name: str = "channel", *, member: bool = True) -> Channel:
    """The channel an argument names by id; the app must be in it if `member`."""
    channel = slack.world.channels.get(args.text(name)) or _by_name_or_partner(slack, args.text(name))
    if channel is None or (channel.kind != "channel" and not slack.world.bot_sees(channel)):
        raise SlackError("channel_not_found")
    if member and not slack.world.bot_sees(channel):
        raise SlackError("not_in_channel")
    return channel


def _by_name_or_partner(slack: Standin, name: str) -> Channel | None:
    """`#name` and a user id (their DM) are taken too; a bare name is not."""
    return slack.world.channel(name) if name.startswith(("#", "U")) else None


def info(slack: Standin, args: Args) -> Json:
    return {"channel": channel_json(slack.world, channel_of(slack, args, member=False))}


def members(slack: Standin, args: Args) -> Json:
    channel = channel_of(slack, args)
    page, more = paged(channel.members, args, "members page", 100)
    return {"members": page, **more}


def history(slack: Standin, args: Args) -> Json:
    """Newest first; replies are not in it unless they were broadcast."""
    channel = channel_of(slack, args)
    found = [m for m in reversed(slack.world.top_level(channel.id)) if _in_range(m, args)]
    page, more = paged(found, args, "history page", 100)
    return {
        "messages": [_shown(slack, m, args) for m in page],
        "pin_count": 0,
        **_has_more(more),
    }


def replies(slack: Standin, args: Args) -> Json:
    """The root, then replies oldest first; the root comes on every page, whatever `oldest` says."""
    channel = channel_of(slack, args)
    ts = args.need("ts")
    root = slack.world.messages.get((channel.id, ts))
    found = slack.world.thread(channel.id, ts)
    if root is None or (root.deleted and not found):
        raise SlackError("thread_not_found")
    page, more = paged([m for m in found if _in_range(m, args)], args, "replies page", 1_000)
    return {"messages": [_shown(slack, m, args) for m in (root, *page)], **_has_more(more)}


def list_all(slack: Standin, args: Args) -> Json:
    """Every conversation of these `types` that the app may know of: public ones, and those it is in."""
    return _listed(slack, args, [c for c in slack.world.channels.values() if c.kind == "channel" or _in(slack, c)])


def list_own(slack: Standin, args: Args) -> Json:
    """users.conversations: those the app, or `user`, is in."""
    user = args.text("user") or BOT_USER
    if user not in slack.world.people:
        raise SlackError("user_not_found")
    return _listed(slack, args, [c for c in slack.world.channels.values() if user in c.members])


def open_direct(slack: Standin, args: Args) -> Json:
    """The DM, or group DM, with these people; made when it is new."""
    if args.text("channel"):
        return {"channel": {"id": channel_of(slack, args).id}}
    users = [user for user in args.text("users").split(",") if user and user != BOT_USER]
    if not users:
        raise SlackError("users_list_not_supplied")
    if any(user not in slack.world.people for user in users):
        raise SlackError("user_not_found")
    enforce("people of a group DM", len(users))
    known = slack.world.direct(users)
    place = known or slack.world.add_group_dm(users)
    more = {"no_op": True, "already_open": True} if known else {}
    shown = channel_json(slack.world, place) if args.flag("return_im") else {"id": place.id}
    return {**more, "channel": shown}


_TYPES = {"public_channel": "channel", "private_channel": "group", "im": "im", "mpim": "mpim"}


def _listed(slack: Standin, args: Args, found: list[Channel]) -> Json:
    kinds = set()
    for name in (args.text("types") or "public_channel").split(","):
        if name.strip() not in _TYPES:
            raise SlackError("invalid_types")
        kinds.add(_TYPES[name.strip()])
    wanted = [c for c in found if c.kind in kinds and not (c.archived and args.flag("exclude_archived"))]
    page, more = paged(wanted, args, "conversations page", 100)
    return {"channels": [channel_json(slack.world, channel) for channel in page], **more}


def _in(slack: Standin, channel: Channel) -> bool:
    return slack.world.bot_sees(channel)


def _has_more(more: Json) -> Json:
    return {"has_more": bool(more["response_metadata"]["next_cursor"]), **more}


def _shown(slack: Standin, message: Message, args: Args) -> Json:
    return message_json(slack.world, message, metadata=args.flag("include_all_metadata"))


def _in_range(message: Message, args: Args) -> bool:
    ts = float(message.ts)
    oldest, latest = _ts(args, "oldest"), _ts(args, "latest")
    if args.flag("inclusive"):
        return (oldest is None or ts >= oldest) and (latest is None or ts <= latest)
    return (oldest is None or ts > oldest) and (latest is None or ts < latest)


def _ts(args: Args, name: str) -> float | None:
    text = args.text(name)
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise SlackError(f"invalid_ts_{name}") from None


def paged(items: list[T], args: Args, subject: str, default: int) -> tuple[list[T], Json]:
    """One page and its `response_metadata`; the cursor is opaque and ends with an empty one."""
    row = limit_of(subject)
    limit = args.number("limit", default, row.error)
    if limit > row.limit:
        raise SlackError(row.error)
    start = _position(args.text("cursor"))
    following = start + limit
    cursor = base64.b64encode(f"at:{following}".encode()).decode() if following < len(items) else ""
    return items[start:following], {"response_metadata": {"next_cursor": cursor}}


def _position(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(cursor).decode().removeprefix("at:"))
    except ValueError:
        raise SlackError("invalid_cursor") from None
