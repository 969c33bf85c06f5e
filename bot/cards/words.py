"""The words in which a run's state is said."""

from __future__ import annotations

from collections.abc import Mapping

from store.lifecycle import Status

NOW: Mapping[Status, str] = {
    "queued": "In line",
    "running": "Working",
    "waiting": "Waiting",
    "suspended": "Paused; goes on by itself",
    "parked": "Needs a person",
    "completed": "Done",
    "failed": "Failed",
    "aborted": "Stopped",
    "healed": "Closed without an answer",
}
"""What a run is, where nothing nearer is known."""

ENDING: Mapping[Status, str] = {
    "completed": "Done, with nothing to say.",
    "failed": "This run failed.",
    "aborted": "Stopped.",
    "healed": "This run was closed without an answer.",
    "parked": "This run cannot go on without a person.",
}
"""A sentence for a run that ended without a note of its own."""


def minutes(seconds: float) -> str:
    """`0:07`, `12:40`, `1:02:03`."""
    whole = max(int(seconds), 0)
    hours, rest = divmod(whole, 3600)
    clock = f"{rest // 60}:{rest % 60:02}"
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else clock


def age(seconds: float) -> str:
    """`8 s`, `12 min`, `3 h`, `2 days`: as coarse as one says it."""
    whole = max(0, int(seconds))
    for unit, size, most in (("s", 1, 60), ("min", 60, 3_600), ("h", 3_600, 172_800)):
        if whole < most:
            return f"{whole // size} {unit}"
    return f"{whole // 86_400} days"
