"""Whether a play is over: every message taken, every run at its end, and every end shown."""

from __future__ import annotations

from playground.scenarios.happenings import Happenings
from store.lifecycle import SETTLED

STOP = "everthread_stop"
"""The action of the button that only a run at work has."""


def is_quiet(happenings: Happenings) -> bool:
    return not what_is_left(happenings)


def what_is_left(happenings: Happenings) -> str:
    """What there is still to wait for, in words; '' when nothing is."""
    if missing := _unacknowledged(happenings):
        return f"{missing} events are not acknowledged"
    runs = {str(one["run"]) for one in happenings.all("store.admit") if one["word"] == "NEW"}
    ended = _ended(happenings)
    if missing := len(runs - ended):
        return f"{missing} runs are not over"
    if missing := len(runs - _shown(happenings)):
        return f"the end of {missing} runs is not shown"
    return ""


def _unacknowledged(happenings: Happenings) -> int:
    sent = {one["event_id"] for one in happenings.all("slack.event.delivered")}
    over = {one["event_id"] for one in happenings.all("slack.event.acked", "slack.event.lost")}
    return len(sent - over)


def _ended(happenings: Happenings) -> set[str]:
    """Runs whose last word on their status is an end, or that they are parked."""
    status: dict[str, str] = {}
    for one in happenings.all("store.commit"):
        if "status" in one["head"]:
            status[str(one["run"])] = one["head"]["status"]
    return {run for run, its in status.items() if its in SETTLED or its == "parked"}


def _shown(happenings: Happenings) -> set[str]:
    """Runs whose end was recorded as delivered, or whose reply looks like it."""
    shown = set()
    run_of: dict[str, str] = {}
    for one in happenings.all("store.commit", "slack.message.posted", "slack.message.edited"):
        if one.kind == "store.commit":
            if any(call == "#delivered" for call, _, _ in one["records"]):
                shown.add(str(one["run"]))
            continue
        payload = (one["metadata"] or {}).get("event_payload") or {}
        if payload.get("part") == "reply":
            run_of[one["ts"]] = payload["run"]
        if one["ts"] in run_of and not _works(one["blocks"]):
            shown.add(run_of[one["ts"]])
    return shown


def _works(blocks: list[dict[str, object]]) -> bool:
    elements = [element for block in blocks for element in block.get("elements") or ()]  # type: ignore[attr-defined]
    return any(element.get("action_id") == STOP for element in elements)
