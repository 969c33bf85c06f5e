"""What can be chosen about a stand-in: tokens, patience, and whether rate tiers are enforced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

Rates = Literal["off", "real"] | Mapping[str, tuple[int, float]]
"""`off`, Slack's own tiers (`real`), or per method `(calls, per seconds)`."""

Transport = Literal["socket", "http"]

BOT_TOKEN = "-".join(("xo" + "xb", "everthread", "playground"))
APP_TOKEN = "-".join(("xa" + "pp", "everthread", "playground"))

SIGNING_SECRET = "-".join(("signed", "everthread", "playground"))

SUBSCRIPTIONS = (
    *("app_mention", "message.channels", "message.groups", "message.im", "message.mpim"),
    *("app_home_opened", "agent_session_stopped", "agent_session_title_changed"),
    *("channel_archive", "channel_unarchive", "group_archive", "group_unarchive", "channel_left", "group_left"),
    *("member_joined_channel", "member_left_channel"),
)


class SettingError(ValueError):
    """A setting that does not exist or cannot have this value."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All times in seconds.

    transport: `socket`, or `http`: signed posts to the app's Request URL, which like Slack's own is one for events,
    interactions and commands. request_url: where it leads to: one address, or those of several processes that share
    the posts behind a router.
    ack_timeout: how long an envelope waits for its acknowledgement; Slack's support says 3 s
    (python-slack-sdk#1280).
    retry_delays: pauses before each redelivery. Slack waits 0, 60 and 300 s; these are shorter. A delivery
    that failed because nobody was connected goes out as soon as somebody is, within the same window.
    trigger_life, response_url_life, response_url_uses: Slack's 3 s, 30 min and 5 uses.
    disconnect_grace: between a disconnect frame and the close; Slack gives about 10 s.
    stream_life: Slack closes a stream about 5 min after its start, also under appends (python-slack-sdk#1859).
    scopes: what the bot token was granted; empty: everything. agent: whether the manifest declares an agent.
    lacking: methods this workspace answers with `feature_not_enabled`, as some plans and GovSlack do.
    trace: whether to find out which process made each call; among many processes that takes longer than the call.
    Of one that is held it is always found out.
    """

    bot_token: str = BOT_TOKEN
    app_token: str = APP_TOKEN
    signing_secret: str = SIGNING_SECRET
    transport: Transport = "socket"
    request_url: tuple[str, ...] = ()
    ack_timeout: float = 3.0
    retry_delays: tuple[float, ...] = (0.0, 1.0, 30.0)
    mention_order: Literal["mention_first", "message_first"] = "mention_first"
    subscriptions: tuple[str, ...] = SUBSCRIPTIONS
    rates: Rates = "off"
    trigger_life: float = 3.0
    response_url_life: float = 1800.0
    response_url_uses: int = 5
    disconnect_grace: float = 10.0
    status_life: float = 120.0
    stream_life: float = 300.0
    scopes: tuple[str, ...] = ()
    agent: bool = True
    lacking: tuple[str, ...] = ()
    trace: bool = True

    def changed(self, changes: Mapping[str, Any]) -> Settings:
        """These settings with `changes` (as JSON has them); raises `SettingError` naming a wrong one."""
        known = {field.name for field in fields(self)}
        if unknown := sorted(set(changes) - known):
            raise SettingError(f"no such setting: {', '.join(unknown)}; there are {', '.join(sorted(known))}")
        return replace(self, **{name: _from_json(name, value) for name, value in changes.items()})


def _from_json(name: str, value: Any) -> Any:
    if name == "rates":
        if value in ("off", "real"):
            return value
        if isinstance(value, dict):
            return {method: (int(calls), float(per)) for method, (calls, per) in value.items()}
        raise SettingError(f'rates must be "off", "real" or {{method: [calls, seconds]}}, not {value!r}')
    if name == "mention_order" and value not in ("mention_first", "message_first"):
        raise SettingError(f"mention_order must be mention_first or message_first, not {value!r}")
    if name == "retry_delays":
        return tuple(float(delay) for delay in value)
    if name == "transport" and value not in ("socket", "http"):
        raise SettingError(f"transport must be socket or http, not {value!r}")
    if name == "request_url" and isinstance(value, str):
        return (value,) if value else ()
    if name in ("subscriptions", "scopes", "lacking", "request_url"):
        return tuple(str(item) for item in value)
    if name in ("bot_token", "app_token", "signing_secret", "mention_order", "transport"):
        return str(value)
    if name in ("agent", "trace"):
        return bool(value)
    if name == "response_url_uses":
        return int(value)
    return float(value)


def of_manifest(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What an app's manifest settles: the scopes it was granted, its subscriptions, whether it is an agent."""
    features = manifest.get("features", {})
    return {
        "scopes": list(manifest["oauth_config"]["scopes"]["bot"]),
        "subscriptions": list(manifest["settings"]["event_subscriptions"]["bot_events"]),
        "agent": "agent_view" in features or "assistant_view" in features,
    }
