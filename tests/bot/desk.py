"""A bot at the desk of a workspace with a run of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bot.operators import Operators
from tests.bot.doubles import ME, Bot
from tests.conftest import FakeClock, FakeIds
from tests.scene import ADA, GENERAL, Scene

Json = dict[str, Any]
EVE = "U0EVE"


class Desk:
    """The bot and the scene, while everything still stands as it was left. Ada is an admin."""

    def __init__(self, scene: Scene, **build: Any) -> None:
        self.scene = scene
        self.bot = Bot(FakeClock(), FakeIds())
        self.bot.slack.people[ADA] = {"is_admin": True}
        self.bot.slack.people[EVE] = {"team_id": "T0OTHER", "is_admin": True}
        groups: frozenset[str] = build.pop("groups", frozenset())
        admins: frozenset[str] = build.pop("admins", frozenset())
        self.operators = Operators(scene.desk, admins, groups)
        self.bot.build(store=scene.fleet.outside, operators=self.operators, **build)

    def type(self, text: str, user: str = ADA, channel: str = GENERAL) -> Json:
        """What `/everthread` answers, as Slack gets it with the acknowledgement."""
        answer = self.bot.tell(command(text, user, channel))
        assert answer.status == 200
        body: Json = json.loads(answer.body) if answer.body else {}
        return body

    def use(self, shortcut: str, word: str, user: str = ADA) -> int:
        """Use a message shortcut on the first message of that thread; the status of the acknowledgement."""
        _, channel, root = self.scene.threads[word].split("/")
        return int(self.bot.tell(message_action(shortcut, user, channel, root)).status)

    def open_home(self, user: str = ADA, tab: str = "home") -> list[Json]:
        """The blocks that were published for somebody who opened the tab."""
        inner = {"type": "app_home_opened", "user": user, "channel": "D" + user[1:], "tab": tab}
        before = len(self.bot.slack.made("views.publish"))
        body = {"type": "event_callback", "team_id": ME.team, "event_id": "Ev1", "event": inner}
        assert self.bot.tell(body).status == 200
        published = self.bot.slack.made("views.publish")[before:]
        return [block for call in published for block in view_of(call.args)["blocks"]]

    def close(self) -> None:
        for app in self.bot.apps:
            app.listener_runner.listener_executor.shutdown(wait=True)


def seen(look: Callable[[Desk], Any], **build: Any) -> Any:
    """What `look` answers; build: as `Desk` takes it."""
    found: list[Any] = []

    def at(scene: Scene) -> None:
        desk = Desk(scene, **build)
        try:
            found.append(look(desk))
        finally:
            desk.close()

    Scene().play(at)
    return found[0]


def command(text: str, user: str, channel: str) -> Json:
    return {
        "command": "/everthread",
        "text": text,
        "user_id": user,
        "team_id": ME.team,
        "channel_id": channel,
        "trigger_id": "1.2.3",
        "response_url": "http://127.0.0.1:9/r",
    }


def message_action(callback_id: str, user: str, channel: str, ts: str, **message: Any) -> Json:
    return {
        "type": "message_action",
        "callback_id": callback_id,
        "user": {"id": user, "team_id": ME.team},
        "team": {"id": ME.team},
        "channel": {"id": channel},
        "message": {"ts": ts, **message},
        "message_ts": ts,
        "trigger_id": "1.2.3",
        "response_url": "http://127.0.0.1:9/r",
    }


def submission(channel: str, mode: str, user: str = ADA) -> Json:
    picked = {"everthread_listen": {"mode": {"type": "static_select", "selected_option": {"value": mode}}}}
    view = {"type": "modal", "callback_id": "everthread_settings", "id": "V1", "private_metadata": channel}
    return {
        "type": "view_submission",
        "user": {"id": user, "team_id": ME.team},
        "team": {"id": ME.team},
        "view": {**view, "state": {"values": picked}},
    }


def view_of(args: Json) -> Json:
    view = args["view"]
    found: Json = json.loads(view) if isinstance(view, str) else view
    return found


def text_of(blocks: list[Json]) -> str:
    """Everything that blocks say, a line each."""
    found: list[str] = []
    for block in blocks:
        for part in (block, *block.get("elements", ())):
            text = part.get("text")
            if isinstance(text, (dict, str)):
                found.append(text["text"] if isinstance(text, dict) else text)
    return "\n".join(found)
