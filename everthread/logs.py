"""Log lines: one line an event, `key=value` where there are values, never a secret."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from store.redaction import MASK, masked_text

QUIET = {
    "slack_sdk.web.base_client": logging.CRITICAL,  # we say the same, and what to do
    **dict.fromkeys(("slack_bolt", "slack_sdk", "rq", "anthropic", "httpx2", "httpcore2", "asyncio"), logging.WARNING),
}
"""From which level on a library is heard: at the lower ones they log payloads."""


LEAST = 6
"""Shorter than this, a word is no secret, and hiding it would hide half the log."""


class PlainLines(logging.Formatter):
    """`info worker.process.pool pid=7 pool starts workers=2`; the host adds the time."""

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("%(levelname)s %(name)s pid=%(process)d %(message)s")
        self._secrets = sorted((secret for secret in secrets if len(secret) >= LEAST), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, MASK)
        level, _, rest = masked_text(line).partition(" ")
        return f"{level.lower()} {rest}"


def to_stderr(level: str, secrets: Sequence[str] = ()) -> None:
    """Send everything to stderr, which no fork can deadlock on and every host collects."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines(secrets))
    handler.addFilter(_worth_a_line)
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def _worth_a_line(record: logging.LogRecord) -> bool:
    """A filter of the handler and not levels of loggers: Bolt and RQ set those themselves."""
    return record.levelno >= next((least for name, least in QUIET.items() if record.name.startswith(name)), 0)
