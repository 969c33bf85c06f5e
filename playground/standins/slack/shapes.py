"""How Slack writes a message, a person and a channel in JSON."""

from __future__ import annotations

from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import APP, BOT, BOT_NAME, BOT_USER, TEAM, Channel, Person
from playground.standins.slack.world import World

BOT_PROFILE: Json = {
    "id": BOT,
    "app_id": APP,
    "user_id": BOT_USER,
    "name": BOT_NAME,
    "icons": {"image_36": "", "image_48": "", "image_72": ""},
    "deleted": False,
    "updated": 1_767_225_600,
    "team_id": TEAM,
}


def message_json(world: World, message: Message, *, metadata: bool = False) -> Json:
    """A message as the Web API and events show it; a deleted root with replies is a tombstone."""
    if message.deleted and not message.is_reply:
        return {**_tombstone(message), **_thread_fields(world, message)}
    now = message.now
    shown: Json = {"type": "message", "user": message.user, "ts": message.ts, "text": now.text}
    if message.subtype:
        shown["subtype"] = message.subtype
    if message.client_msg_id:
        shown["client_msg_id"] = message.client_msg_id
    if message.from_app:
        shown |= {"bot_id": BOT, "app_id": APP, "bot_profile": BOT_PROFILE}
    shown["team"] = world.people[message.user].team
    if now.blocks:
        shown["blocks"] = list(now.blocks)
    if now.attachments:
        shown["attachments"] = list(now.attachments)
    if message.files:
        shown["files"] = list(message.files)
    if message.edited:
        shown["edited"] = message.edited
    if message.reactions:
        shown["reactions"] = [
            {"name": name, "users": users, "count": len(users)} for name, users in message.reactions.items()
        ]
    if metadata and now.metadata:
        shown["metadata"] = now.metadata
    return shown | _thread_fields(world, message)


def _tombstone(message: Message) -> Json:
    return {
        "type": "message",
        "subtype": "tombstone",
        "text": "This message was deleted.",
        "user": "USLACKBOT",
        "hidden": True,
        "ts": message.ts,
    }


def _thread_fields(world: World, message: Message) -> Json:
    if message.thread_ts is None:
        return {}
    if message.is_reply:
        root = world.messages.get((message.channel, message.thread_ts))
        parent = {"parent_user_id": root.user} if root is not None else {}
        return {"thread_ts": message.thread_ts, **parent}
    replies = world.thread(message.channel, message.ts)
    users = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": message.thread_ts,
        "reply_count": len(replies),
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts if replies else "0000000000.000000",
        "reply_users": users,
        "is_locked": False,
        "subscribed": False,
    }


def person_json(person: Person) -> Json:
    """A user as `users.info` shows it."""
    profile = {"real_name": person.real_name, "display_name": person.key, "team": person.team}
    shown: Json = {
        "id": person.id,
        "team_id": person.team,
        "name": person.key,
        "deleted": False,
        "real_name": person.real_name,
        "tz": "Europe/Berlin",
        "tz_label": "Central European Time",
        "tz_offset": 3600,
        "profile": profile,
        "is_admin": person.is_admin,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": person.is_guest,
        "is_ultra_restricted": False,
        "is_bot": person.is_bot,
        "is_app_user": False,
        "updated": 1_767_225_600,
    }
    if person.is_bot:
        shown["profile"] = profile | {"bot_id": BOT, "api_app_id": APP}
    if person.team != TEAM:
        shown["is_stranger"] = True
    return shown


def channel_json(world: World, channel: Channel) -> Json:
    """A conversation as `conversations.info` shows it."""
    shared = world.is_shared(channel)
    shown: Json = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.archived,
        "is_im": channel.kind == "im",
        "is_org_shared": False,
        "is_ext_shared": shared,
        "context_team_id": TEAM,
    }
    if channel.kind == "im":
        return shown | {"user": channel.partner, "is_user_deleted": False}
    return shown | {
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": channel.kind != "mpim",
        "is_group": channel.kind == "mpim",
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind != "channel",
        "is_general": channel.name == "general",
        "is_shared": shared,
        "is_member": world.bot_sees(channel),
        "creator": world.people[channel.members[0]].id,
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "num_members": len(channel.members),
    }
