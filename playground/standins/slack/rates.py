"""Slack's rate tiers: how many calls of a method a workspace's app may make per minute."""

from __future__ import annotations

import math
from collections import defaultdict, deque

from playground.standins.journal import wall
from playground.standins.slack.settings import Rates

_TIER_2, _TIER_3, _TIER_4 = (20, 60.0), (50, 60.0), (100, 60.0)

TIERS: dict[str, tuple[int, float]] = {
    "chat.update": _TIER_3,
    "chat.delete": _TIER_3,
    "reactions.add": _TIER_3,
    "conversations.replies": _TIER_3,
    "conversations.history": _TIER_3,
    "conversations.info": _TIER_3,
    "apps.connections.open": _TIER_3,
    "reactions.remove": _TIER_2,
    "users.list": _TIER_2,
    "chat.postEphemeral": _TIER_4,
    "users.info": _TIER_4,
    "conversations.members": _TIER_4,
    "assistant.threads.setStatus": (600, 60.0),
    "chat.postMessage": (1, 1.0),
}
"""Calls per seconds, from the rate_limit labels of docs.slack.dev; chat.postMessage counts per channel."""


class RateTiers:
    """A sliding window per method; a method without a row is free."""

    def __init__(self) -> None:
        self._windows: defaultdict[str, deque[float]] = defaultdict(deque)

    def retry_after(self, method: str, channel: str, rates: Rates) -> int | None:
        """Seconds to wait (at least 1, as Slack sends them), or None if the call may go; counts it then."""
        tiers = TIERS if rates == "real" else ({} if isinstance(rates, str) else rates)
        if method not in tiers:
            return None
        calls, per = tiers[method]
        window = self._windows[f"{method} {channel}" if method == "chat.postMessage" else method]
        now = wall()
        while window and window[0] <= now - per:
            window.popleft()
        if len(window) >= calls:
            return max(1, math.ceil(window[0] + per - now))
        window.append(now)
        return None
