"""The payloads Slack delivers when something happens, and which of them one change causes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from playground.standins.slack.files import file_stub
from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import APP, BOT_USER, TEAM, Channel
from playground.standins.slack.settings import Settings
from playground.standins.slack.shapes import message_json
from playground.standins.slack.text import mentions_bot
from playground.standins.slack.world import Change, World

_CHANNEL_TYPES = {
    "channel": "message.channels",
    "group": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}
SCOPES = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "channel_archive": "channels:read",
    "channel_unarchive": "channels:read",
    "channel_left": "channels:read",
    "group_archive": "groups:read",
    "group_unarchive": "groups:read",
    "group_left": "groups:read",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
}
"""Events that Slack withholds from a token without this scope (docs.slack.dev, each event's page)."""

_numbers = count(1)


def events_of(world: World, change: Change, settings: Settings) -> list[Json]:
    """The inner events the app is subscribed to, in the order they go out."""
    message = change.message
    channel = world.channels[message.channel]
    if not world.bot_sees(channel):
        return []
    events = list(_events(world, change, channel))
    if settings.mention_order == "message_first":
        events.reverse()
    return [event for event in events if wanted(_subscription(event, channel), settings)]


def wanted(subscription: str, settings: Settings) -> bool:
    """Whether the app hears of it: subscribed, and granted the scope."""
    scope = SCOPES.get(subscription, "")
    return subscription in settings.subscriptions and (not settings.scopes or not scope or scope in settings.scopes)


def _events(world: World, change: Change, channel: Channel) -> Iterator[Json]:
    message = change.message
    match change.kind:
        case "posted":
            if channel.kind != "im" and not message.from_app and mentions_bot(message.now.text):
                yield {**_spoken(world, message), "type": "app_mention"}
            yield {**_spoken(world, message), "channel_type": channel.kind}
        case "edited":
            yield _about(world, change, channel, "message_changed") | {"message": message_json(world, message)}
        case "deleted":
            if not message.is_reply and world.thread(message.channel, message.ts):
                # a root with replies leaves a tombstone, which Slack tells as an edit (openclaw#22035)
                tombstone = message_json(world, message)
                yield _about(world, change, channel, "message_changed") | {"message": tombstone}
            else:
                yield _about(world, change, channel, "message_deleted") | {"deleted_ts": message.ts}


def _spoken(world: World, message: Message) -> Json:
    event = message_json(world, message) | {"channel": message.channel, "event_ts": message.ts}
    if message.files and world.is_shared(world.channels[message.channel]):
        event["files"] = [file_stub(world.files.by_id[file["id"]]) for file in message.files]
    team = world.people[message.user].team
    if team != TEAM:
        event |= {"user_team": team, "source_team": team}
    return event


def _about(world: World, change: Change, channel: Channel, subtype: str) -> Json:
    before = change.before
    return {
        "type": "message",
        "subtype": subtype,
        "previous_message": message_json(world, before) if before is not None else {},
        "channel": channel.id,
        "hidden": True,
        "ts": change.ts,
        "event_ts": change.ts,
        "channel_type": channel.kind,
    }


def reaction_event(message: Message, user: str, name: str, ts: str, kind: str) -> Json:
    return {
        "type": kind,
        "user": user,
        "reaction": name,
        "item": {"type": "message", "channel": message.channel, "ts": message.ts},
        "item_user": message.user,
        "event_ts": ts,
    }


def place_event(kind: str, channel: Channel, ts: str, **fields: object) -> Json:
    """What became of a conversation: archived, joined, left."""
    return {"type": kind, "channel": channel.id, **fields, "event_ts": ts}


def _subscription(event: Json, channel: Channel) -> str:
    return _CHANNEL_TYPES[channel.kind] if event["type"] == "message" else str(event["type"])


def payload(world: World, event: Json, channel: Channel) -> Json:
    """The outer payload around one inner event, with an `event_id` of its own."""
    return {
        "token": "unused",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "context_enterprise_id": None,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{next(_numbers):09d}",
        "event_time": int(float(event["event_ts"])),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": BOT_USER,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": world.is_shared(channel),
        "event_context": "4-" + channel.id,
    }
