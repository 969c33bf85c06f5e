"""The Slack client: it never sends anything twice on its own."""

from __future__ import annotations

from copy import copy
from typing import cast

from slack_sdk import WebClient

CALL_SECONDS = 10
"""For calls that state no patience of their own, such as opening a socket."""

_SHORTEST = 0.05


def slack_client(token: str, *, base_url: str = WebClient.BASE_URL) -> WebClient:
    """A client without retries.

    slack_sdk's default repeats a call whose connection was dropped, so that an accepted post is posted again.
    """
    return WebClient(token=token, base_url=base_url, timeout=CALL_SECONDS, retry_handlers=[])


def within(client: WebClient, seconds: float) -> WebClient:
    """The same client for one call that shall end within `seconds`."""
    hurried = copy(client)
    # The socket's timeout counts for each wait: one to connect, one for the answer. urllib takes fractions.
    hurried.timeout = cast("int", max(seconds / 2, _SHORTEST))
    return hurried
