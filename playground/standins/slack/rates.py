"""Slack's rate tiers: how many calls of a method a workspace's app may make per minute."""

from __future__ import annotations

import math
from collections import defaultdict, deque

from playground.standins.journal import wall
from playground.standins.slack.limits import LIMITS
from playground.standins.slack.settings import Rates

TIERS = {row.method: (row.limit, row.per) for row in LIMITS if row.unit == "calls"}
"""Calls per seconds; chat.postMessage counts per channel. The window slides: Slack's minute read strictly."""


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
