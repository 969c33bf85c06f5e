"""What Slack has only in some workspaces: called as long as it is there, latched off for good where it is not."""

from __future__ import annotations

import logging
from typing import Any

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from store.ports import ReplyError

LACKING = frozenset(
    {
        *("unknown_method", "method_deprecated", "feature_not_enabled", "missing_scope", "not_allowed_token_type"),
        *("access_denied", "no_permission", "channel_type_not_supported", "channel_not_supported"),
    }
)
"""Codes that will not go away by themselves: this plan, this app or this token does not have the feature."""

log = logging.getLogger(__name__)


class Features:
    """Calls of optional methods; one of these a process."""

    def __init__(self, client: WebClient) -> None:
        self._client = client
        self._lacking: set[str] = set()

    def call(self, method: str, timeout: float, **given: Any) -> bool:
        """Whether the workspace has it; `ReplyError` where it has, and did not do it."""
        if method in self._lacking:
            return False
        try:
            with slack_call(f"showing a sign of life ({method})"):
                within(self._client, timeout).api_call(method, json=given)
        except ReplyError as error:
            if error.code not in LACKING:
                raise
            self._lacking.add(method)
            log.info("this workspace has no %s (%s): it is left out from now on", method, error.code)
            return False
        return True
