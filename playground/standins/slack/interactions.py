"""Clicks, commands, shortcuts and forms: their payloads, the trigger ids and response URLs that come with them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from playground.standins.journal import wall
from playground.standins.slack.blocks import interactive
from playground.standins.slack.errors import ControlError
from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import APP, TEAM, Channel, Person
from playground.standins.slack.settings import Settings
from playground.standins.slack.shapes import message_json
from playground.standins.slack.views import View
from playground.standins.slack.world import World


@dataclass(slots=True)
class Trigger:
    """Opens one view, once, until `until`, for the person who caused it; above `view`, if it came from one."""

    id: str
    until: float
    user: str
    view: str = ""
    used: bool = False

    def refusal(self) -> Literal["exchanged_trigger_id", "expired_trigger_id"] | None:
        if self.used:
            return "exchanged_trigger_id"
        return "expired_trigger_id" if wall() > self.until else None


@dataclass(slots=True)
class ResponseUrl:
    """A way to answer one interaction without a token. message_ts: empty after a command or shortcut."""

    key: str
    until: float
    uses_left: int
    channel: str
    user: str
    message_ts: str = ""
    thread_ts: str | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """Who does something in which surroundings: what every payload is made from. url: the stand-in's own."""

    world: World
    settings: Settings
    url: str
    person: Person


class Interactions:
    """Makes payloads and remembers what they entitle to."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.triggers: dict[str, Trigger] = {}
        self.urls: dict[str, ResponseUrl] = {}

    def clear(self) -> None:
        self.triggers.clear()
        self.urls.clear()

    def trigger(self, hand: Hand, view: str = "") -> str:
        trigger = Trigger(f"trigger.{next(self._numbers)}", wall() + hand.settings.trigger_life, hand.person.id, view)
        self.triggers[trigger.id] = trigger
        return trigger.id

    def response_url(self, hand: Hand, channel: str, message_ts: str = "", thread_ts: str | None = None) -> str:
        key = f"r{next(self._numbers)}"
        until, uses = wall() + hand.settings.response_url_life, hand.settings.response_url_uses
        self.urls[key] = ResponseUrl(key, until, uses, channel, hand.person.id, message_ts, thread_ts)
        return f"{hand.url}/response/{key}"

    def click(self, hand: Hand, message: Message, element: Json, values: Json) -> Json:
        """`block_actions` of one click on a message. values: `state.values` of its inputs."""
        thread: Json = {"thread_ts": message.thread_ts} if message.thread_ts else {}
        shown = {"message": message_json(hand.world, message), "state": {"values": values}}
        return self._click(hand, message.channel, message.ts, element, thread, shown, ephemeral=False)

    def click_ephemeral(self, hand: Hand, ephemeral: Json, element: Json, values: Json) -> Json:
        """`block_actions` of one click on what only this person sees: Slack does not show the message."""
        thread: Json = {"thread_ts": ephemeral["thread_ts"]} if ephemeral["thread_ts"] else {}
        shown = {"state": {"values": values}}
        return self._click(hand, ephemeral["channel"], ephemeral["ts"], element, thread, shown, ephemeral=True)

    def _click(
        self, hand: Hand, channel: str, ts: str, element: Json, thread: Json, shown: Json, *, ephemeral: bool
    ) -> Json:
        container = {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": ephemeral, **thread}
        return {
            **_common("block_actions", hand),
            "container": container,
            "trigger_id": self.trigger(hand),
            "channel": _place(hand.world.channels[channel]),
            **shown,
            "response_url": self.response_url(hand, channel, ts, thread.get("thread_ts")),
            "actions": [{**element, "action_ts": hand.world.stamp()}],
        }

    def click_in_view(self, hand: Hand, view: View, element: Json, values: Json) -> Json:
        """`block_actions` of one click in a modal or on the home tab: no channel, no response URL."""
        return {
            **_common("block_actions", hand),
            "container": {"type": "view", "view_id": view.id},
            "trigger_id": self.trigger(hand, view.id),
            "view": view.shown(values),
            "actions": [{**element, "action_ts": hand.world.stamp()}],
        }

    def submit(self, hand: Hand, view: View, values: Json) -> Json:
        """`view_submission` of a modal filled in with `values`: block_id → action_id → element state."""
        return {
            **_common("view_submission", hand),
            "trigger_id": self.trigger(hand, view.id),
            "view": view.shown(values),
            "response_urls": [],
        }

    def close(self, hand: Hand, view: View, *, is_cleared: bool) -> Json:
        return {**_common("view_closed", hand), "view": view.shown(), "is_cleared": is_cleared}

    def shortcut(self, hand: Hand, callback_id: str) -> Json:
        """A global shortcut: it happens nowhere in particular."""
        return {
            **_common("shortcut", hand),
            "action_ts": hand.world.stamp(),
            "callback_id": callback_id,
            "trigger_id": self.trigger(hand),
        }

    def message_action(self, hand: Hand, callback_id: str, message: Message) -> Json:
        """A message shortcut."""
        return {
            **_common("message_action", hand),
            "action_ts": hand.world.stamp(),
            "callback_id": callback_id,
            "trigger_id": self.trigger(hand),
            "response_url": self.response_url(hand, message.channel, "", message.thread_ts),
            "message_ts": message.ts,
            "channel": _place(hand.world.channels[message.channel]),
            "message": message_json(hand.world, message),
        }

    def slash(self, hand: Hand, command: str, text: str, channel: Channel) -> Json:
        """A slash command: a flat form of strings, without any thread (bolt-python#873)."""
        return {
            "token": "unused",
            "team_id": TEAM,
            "team_domain": "everthread",
            "channel_id": channel.id,
            "channel_name": "directmessage" if channel.kind == "im" else channel.name,
            "user_id": hand.person.id,
            "user_name": hand.person.key,
            "command": command,
            "text": text,
            "api_app_id": APP,
            "is_enterprise_install": "false",
            "response_url": self.response_url(hand, channel.id),
            "trigger_id": self.trigger(hand),
        }


def _common(kind: str, hand: Hand) -> Json:
    person = hand.person
    return {
        "type": kind,
        "user": {"id": person.id, "username": person.key, "name": person.key, "team_id": person.team},
        "api_app_id": APP,
        "token": "unused",
        "team": {"id": TEAM, "domain": "everthread"},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _place(channel: Channel) -> Json:
    names = {"im": "directmessage", "group": "privategroup"}
    return {"id": channel.id, "name": names.get(channel.kind, channel.name)}


def find_element(message: Message, action_id: str, *, stale: bool = False) -> tuple[Json, list[Json]]:
    """The element with this action_id as it stands now, or as it last stood if `stale`; and the blocks around it."""
    versions = reversed(message.versions) if stale else [message.now]
    for version in versions:
        if (found := element_in(list(version.blocks), action_id)) is not None:
            return found, list(version.blocks)
    raise _no_element(f"message {message.ts}", list(message.now.blocks), action_id)


def need_element(what: str, blocks: list[Json], action_id: str) -> Json:
    found = element_in(blocks, action_id)
    if found is None:
        raise _no_element(what, blocks, action_id)
    return found


def element_in(blocks: list[Json], action_id: str) -> Json | None:
    return next((_pressed(e) for e in interactive(blocks) if e.get("action_id") == action_id), None)


def _no_element(what: str, blocks: list[Json], action_id: str) -> ControlError:
    offered = ", ".join(str(e.get("action_id")) for e in interactive(blocks)) or "no button"
    return ControlError(f"{what} has no {action_id!r} to click; it shows {offered}")


def _pressed(element: Json) -> Json:
    """What Slack tells of an element that was used: no looks, only what identifies it."""
    kept: dict[str, Any] = {name: element[name] for name in ("action_id", "block_id", "type") if name in element}
    for name in ("text", "value", "style", "visible_to_user_ids"):
        if name in element:
            kept[name] = element[name]
    return kept
