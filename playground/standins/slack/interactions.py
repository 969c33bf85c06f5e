"""Clicks: their payloads, the trigger ids and response URLs that come with them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from playground.standins.journal import wall
from playground.standins.slack.blocks import interactive
from playground.standins.slack.errors import ControlError
from playground.standins.slack.message import Json, Message
from playground.standins.slack.people import APP, TEAM, Person
from playground.standins.slack.settings import Settings
from playground.standins.slack.shapes import message_json
from playground.standins.slack.world import World


@dataclass(slots=True)
class Trigger:
    """Opens one view, once, until `until`."""

    id: str
    until: float
    used: bool = False

    def refusal(self) -> Literal["exchanged_trigger_id", "expired_trigger_id"] | None:
        if self.used:
            return "exchanged_trigger_id"
        return "expired_trigger_id" if wall() > self.until else None


@dataclass(slots=True)
class ResponseUrl:
    """A way to answer one click without a token."""

    key: str
    until: float
    uses_left: int
    channel: str
    user: str
    message_ts: str
    thread_ts: str | None


class Interactions:
    """Makes payloads and remembers what they entitle to."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.triggers: dict[str, Trigger] = {}
        self.urls: dict[str, ResponseUrl] = {}

    def clear(self) -> None:
        self.triggers.clear()
        self.urls.clear()

    def trigger(self, settings: Settings) -> Trigger:
        trigger = Trigger(f"trigger.{next(self._numbers)}", wall() + settings.trigger_life)
        self.triggers[trigger.id] = trigger
        return trigger

    def _response_url(self, settings: Settings, person: Person, message: Message) -> str:
        key = f"r{next(self._numbers)}"
        until, uses = wall() + settings.response_url_life, settings.response_url_uses
        self.urls[key] = ResponseUrl(key, until, uses, message.channel, person.id, message.ts, message.thread_ts)
        return key

    def click(
        self, world: World, settings: Settings, url: str, person: Person, message: Message, element: Json
    ) -> Json:
        """The `block_actions` payload of one click on `element`; `url` is the stand-in's own."""
        channel = world.channels[message.channel]
        key = self._response_url(settings, person, message)
        thread: Json = {"thread_ts": message.thread_ts} if message.thread_ts else {}
        return {
            "type": "block_actions",
            "user": {
                "id": person.id,
                "username": person.key,
                "name": person.key,
                "team_id": person.team,
            },
            "api_app_id": APP,
            "token": "unused",
            "container": {
                "type": "message",
                "message_ts": message.ts,
                "channel_id": channel.id,
                "is_ephemeral": False,
                **thread,
            },
            "trigger_id": self.trigger(settings).id,
            "team": {"id": TEAM, "domain": "everthread"},
            "enterprise": None,
            "is_enterprise_install": False,
            "channel": {"id": channel.id, "name": "directmessage" if channel.kind == "im" else channel.name},
            "message": message_json(world, message),
            "state": {"values": {}},
            "response_url": f"{url}/response/{key}",
            "actions": [{**element, "action_ts": world.stamp()}],
        }


def find_element(message: Message, action_id: str, *, stale: bool = False) -> Json:
    """The element with this action_id as it stands now, or as it last stood if `stale`."""
    versions = reversed(message.versions) if stale else [message.now]
    for version in versions:
        for element in interactive(list(version.blocks)):
            if element.get("action_id") == action_id:
                return _pressed(element)
    offered = ", ".join(str(e.get("action_id")) for e in interactive(list(message.now.blocks))) or "no button"
    raise ControlError(f"message {message.ts} has no {action_id!r} to click; it shows {offered}")


def _pressed(element: Json) -> Json:
    """What Slack tells of an element that was used: no looks, only what identifies it."""
    kept: dict[str, Any] = {name: element[name] for name in ("action_id", "block_id", "type") if name in element}
    for name in ("text", "value", "style", "visible_to_user_ids"):
        if name in element:
            kept[name] = element[name]
    return kept
