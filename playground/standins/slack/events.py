"""The payloads Slack delivers when something happens, and which of them one change causes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import APP, BOT_USER, TEAM, Channel
from playground.standins.slack.settings import Settings
from playground.standins.slack.shapes import message_json
from playground.standins.slack.text import mentions_bot
from playground.standins.slack.world import Change, World

_CHANNEL_TYPES = {"channel": "message.channels", "im": "message.im"}
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
    return [event for event in events if _subscription(event, channel) in settings.subscriptions]


def _events(world: World, change: Change, channel: Channel) -> Iterator[Json]:
    message = change.message
    match change.kind:
        case "posted":
            if channel.kind == "channel" and not message.from_app and mentions_bot(message.now.text):
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
