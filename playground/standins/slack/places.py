"""What people do to conversations: archive them, invite, leave, remove the bot."""

from __future__ import annotations

from playground.standins.slack.acts import channel, person
from playground.standins.slack.errors import ControlError
from playground.standins.slack.events import place_event
from playground.standins.slack.gestures import tell
from playground.standins.slack.message import Json
from playground.standins.slack.people import BOT_NAME, BOT_USER, TEAM
from playground.standins.slack.standin import Standin
from playground.standins.slack.text import escape


def archive(slack: Standin, where: str, by: str, *, archived: bool) -> None:
    """Archive a channel or bring it back."""
    place, who = channel(slack, where), person(slack, by)
    if place.kind not in ("channel", "group"):
        raise ControlError("only channels can be archived")
    place.archived = archived
    slack.journal.add("channel.archived", channel=place.id, archived=archived)
    if slack.world.bot_sees(place):
        kind = f"{place.kind}_{'archive' if archived else 'unarchive'}"
        tell(slack, place_event(kind, place, slack.world.stamp(), user=who.id, is_moved=0), place)


def join(slack: Standin, where: str, name: str, by: str) -> None:
    """Invite a person or the bot (`everthread`)."""
    place, who, inviter = channel(slack, where), _member(slack, name), person(slack, by)
    if who in place.members:
        raise ControlError(f"{name} is in {place.name} already")
    place.members.append(who)
    slack.journal.add("member.joined", channel=place.id, user=who)
    if slack.world.bot_sees(place):
        tell(slack, _membership(slack, "member_joined_channel", where, who) | {"inviter": inviter.id}, place)


def leave(slack: Standin, where: str, name: str, by: str) -> None:
    """Leave, or be removed by somebody.

    Slack tells a removed bot `channel_left` or `group_left` only, never `member_left_channel` (bolt-js#1847), and
    Slackbot writes a line into its own DM, which no app reads.
    """
    place, who, actor = channel(slack, where), _member(slack, name), person(slack, by)
    if who not in place.members:
        raise ControlError(f"{name} is not in {place.name}")
    place.members.remove(who)
    slack.journal.add("member.left", channel=place.id, user=who)
    if who == BOT_USER:
        kind = "group_left" if place.kind == "group" else "channel_left"
        tell(slack, place_event(kind, place, slack.world.stamp(), actor_id=actor.id), place)
    elif slack.world.bot_sees(place):
        tell(slack, _membership(slack, "member_left_channel", where, who), place)


def join_message(slack: Standin, where: str, name: str) -> str:
    """The line a channel shows when somebody joins: a message of subtype `channel_join`."""
    place, who = channel(slack, where), _member(slack, name)
    text = escape(f"<@{who}> has joined the channel")
    return slack.world.post(place, who, {"text": text}, subtype="channel_join").ts


def _membership(slack: Standin, kind: str, where: str, who: str) -> Json:
    place = channel(slack, where)
    letter = "C" if place.kind == "channel" else "G"
    return place_event(kind, place, slack.world.stamp(), user=who, channel_type=letter, team=TEAM)


def _member(slack: Standin, name: str) -> str:
    return BOT_USER if name in (BOT_NAME, BOT_USER) else person(slack, name).id
