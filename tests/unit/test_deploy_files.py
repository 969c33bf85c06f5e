"""The files a host and Slack read agree with the code."""

from __future__ import annotations

import json
from pathlib import Path

from bot.listeners.command import COMMAND, VERBS
from bot.listeners.shortcuts import STOP, WHY
from bot.request_url import PATH
from everthread.console import HELP
from everthread.settings import NEEDS, Settings, variable

ROOT = Path(__file__).parents[2]


def test_every_process_is_a_command_of_ours() -> None:
    lines = (ROOT / "Procfile").read_text().splitlines()
    commands = {name: command.split() for name, _, command in (line.partition(": ") for line in lines)}
    assert set(commands) == {"web", "worker"}
    assert all(word == "everthread" and command in HELP for word, command in commands.values())


def test_every_variable_a_host_asks_for_is_a_setting_with_a_value_that_fits() -> None:
    app = json.loads((ROOT / "app.json").read_text())
    known = {variable(field): field for field in Settings.model_fields}
    assert set(app["env"]) <= set(known)
    values = {name: asked["value"] for name, asked in app["env"].items() if "value" in asked}
    assert Settings.model_validate({known[name]: value for name, value in values.items()}) is not None
    by_choice = {"SLACK_APP_TOKEN"}  # or SLACK_SIGNING_SECRET
    assert {*by_choice, "SLACK_SIGNING_SECRET"} <= set(app["env"])
    needed = {variable(field) for needs in NEEDS.values() for field in needs} - {"REDIS_URL", *by_choice}
    assert needed == {name for name, asked in app["env"].items() if asked.get("required")}
    assert set(app["formation"]) == {"web", "worker"}


def test_the_manifest_asks_for_no_event_without_its_scope() -> None:
    manifest = json.loads((ROOT / "manifest.json").read_text())
    scopes = set(manifest["oauth_config"]["scopes"]["bot"])
    needs = {
        "app_mention": "app_mentions:read",
        "message.channels": "channels:history",
        "message.groups": "groups:history",
        "message.im": "im:history",
        "message.mpim": "mpim:history",
        "app_home_opened": "assistant:write",
        "agent_session_stopped": "chat:write",
    }
    assert {needs[event] for event in manifest["settings"]["event_subscriptions"]["bot_events"]} <= scopes
    assert manifest["settings"]["socket_mode_enabled"]
    assert len(manifest["display_information"]["description"]) <= 140
    assert len(manifest["features"]["agent_view"]["agent_description"]) <= 300


def test_the_manifest_has_our_command_our_shortcuts_and_a_home_tab() -> None:
    features = json.loads((ROOT / "manifest.json").read_text())["features"]
    [command] = features["slash_commands"]
    assert command["command"] == COMMAND
    assert command["usage_hint"].split(" | ") == [*VERBS]
    assert [shortcut["callback_id"] for shortcut in features["shortcuts"]] == [WHY, STOP]
    assert max(len(shortcut["name"]) for shortcut in features["shortcuts"]) <= 24
    assert features["app_home"]["home_tab_enabled"]


def test_the_manifest_for_http_is_the_same_app_with_addresses() -> None:
    manifest = json.loads((ROOT / "manifest.json").read_text())
    over_http = json.loads((ROOT / "manifest.http.json").read_text())
    settings, elsewhere = manifest["settings"], over_http["settings"]
    urls = {elsewhere["event_subscriptions"].pop("request_url"), elsewhere["interactivity"].pop("request_url")}
    for command, same in zip(
        over_http["features"].get("slash_commands", []), manifest["features"].get("slash_commands", []), strict=True
    ):
        urls.add(command.pop("url"))
        assert command == same
    assert urls == {f"https://YOUR-APP.example.com{PATH}"}
    assert elsewhere.pop("socket_mode_enabled") is False
    assert settings.pop("socket_mode_enabled") is True
    assert over_http == manifest, "whatever changes in one manifest changes in the other"
