"""What time it is."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from worker.tools.context import ToolContext
from worker.tools.tool import ToolError, tool


@tool(replay="safe", title="looking at the clock ({zone})")
def current_time(context: ToolContext, zone: str = "UTC") -> str:
    """Tell the current date and time in an IANA time zone, such as Europe/Berlin."""
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ToolError(f"{zone!r} is not a time zone; give an IANA name such as Europe/Berlin or UTC") from error
    return f"{datetime.fromtimestamp(context.clock.now(), place):%A, %Y-%m-%d %H:%M:%S %Z}"
