"""A moment, in the words and the time zone of whoever reads it. Pure."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(at: float) -> str:
    """Slack's markup for a date, with UTC for where it is not understood. at: wall-clock seconds."""
    shown = datetime.fromtimestamp(at, UTC)
    return f"<!date^{int(at)}^{{date_short_pretty}} {{time}}|{shown:%Y-%m-%d %H:%M} UTC>"
