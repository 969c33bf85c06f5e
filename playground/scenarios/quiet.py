"""Whether a play is over: every message taken, every run at its end, and every end shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from playground.scenarios.cards import standing_cards
from playground.scenarios.happenings import Happenings
from store.lifecycle import SETTLED

STOP = "everthread_stop"
"""The action of the button that only a run at work has."""


class Quiet:
    """Asked again and again, it looks only at news. now: seconds of any clock."""

    def __init__(self, happenings: Happenings, now: Callable[[], float]) -> None:
        self._happenings, self._now = happenings, now
        self._count, self._quiet, self._since = -1, False, 0.0

    def lasts(self, seconds: float) -> bool:
        """Whether everything has been over for so long."""
        if self._count != self._happenings.count:
            self._count, self._since = self._happenings.count, self._now()
            self._quiet = is_quiet(self._happenings)
        return self._quiet and self._now() - self._since >= seconds


def is_quiet(happenings: Happenings) -> bool:
    return not what_is_left(happenings)


def what_is_left(happenings: Happenings) -> str:
    """What there is still to wait for, in words; '' when nothing is."""
    if missing := _unacknowledged(happenings):
        return f"{missing} events are not acknowledged"
    runs = {str(one["run"]) for one in happenings.all("store.admit") if one["word"] == "NEW"}
    runs -= withdrawn(happenings)
    ended = _ended(happenings)
    if missing := len(runs - ended.keys()):
        return f"{missing} runs are not over"
    if missing := len(runs - _shown(happenings, ended)):
        return f"the end of {missing} runs is not shown"
    return _left_of_waits(happenings)


def _left_of_waits(happenings: Happenings) -> str:
    """Answers that nobody took into account yet, and cards that do not say yet how it ended."""
    taken = {one["wait"] for one in happenings.all("store.answer") if one["how"] == "TAKEN"}
    commits = happenings.all("store.commit")
    closed = {wait for one in commits for wait in one["closed"]}
    if missing := len(taken - closed):
        return f"{missing} answers are not taken into account"
    ends = {name: one.n for one in commits for name in one["due"] if name.startswith("retire:")}
    shown = {name: one.n for one in commits for name in one["done"]}
    late = {name.partition(":")[2] for name, n in ends.items() if shown.get(name, -1) < n}
    if _has_lapsed(happenings):  # then it is said once more later, as with replies
        late &= {wait for wait, state in standing_cards(happenings).values() if state == "open"}
    return f"{len(late)} cards do not say how it ended" if late else ""


def withdrawn(happenings: Happenings) -> set[str]:
    """Runs that never began, because their messages were taken back."""
    return {str(run) for one in happenings.all("store.retract", "store.withdraw") for run in one["withdrawn"]}


def _unacknowledged(happenings: Happenings) -> int:
    sent = {one["event_id"] for one in happenings.all("slack.event.delivered")}
    over = {one["event_id"] for one in happenings.all("slack.event.acked", "slack.event.lost")}
    return len(sent - over)


def _ended(happenings: Happenings) -> Mapping[str, int]:
    """Runs whose last word on their status is an end, or that they are parked, and the number of that happening."""
    said: dict[str, tuple[str, int]] = {}
    for one in happenings.all("store.commit"):
        if "status" in one["head"]:
            said[str(one["run"])] = one["head"]["status"], one.n
    return {run: n for run, (status, n) in said.items() if status in SETTLED or status == "parked"}


def _shown(happenings: Happenings, ended: Mapping[str, int]) -> set[str]:
    """Runs whose end was recorded as delivered, after it came. Over late edits of a lapsed owner it is written once
    more ten seconds later, and nobody waits for that: the reply is looked at instead."""
    shown = {
        str(one["run"])
        for one in happenings.all("store.commit")
        if any(call == "#delivered" for call, _ in one["records"]) and one.n > ended.get(str(one["run"]), -1)
    }
    return shown | _looks_ended(happenings) if _has_lapsed(happenings) else shown


def _has_lapsed(happenings: Happenings) -> bool:
    """Whether an owner not known dead was followed by another."""
    return any(one["ended"] == "lapsed" for one in happenings.all("store.claim"))


def _looks_ended(happenings: Happenings) -> set[str]:
    """Runs whose reply shows no way to stop them any more."""
    ended: set[str] = set()
    run_of: dict[str, str] = {}
    for one in happenings.all("slack.message.posted", "slack.message.edited"):
        payload = (one["metadata"] or {}).get("event_payload") or {}
        if payload.get("part") == "reply":
            run_of[one["ts"]] = payload["run"]
        if one["ts"] in run_of and not _works(one["blocks"]):
            ended.add(run_of[one["ts"]])
    return ended


def _works(blocks: list[dict[str, object]]) -> bool:
    elements = [element for block in blocks for element in block.get("elements") or ()]  # type: ignore[attr-defined]
    return any(element.get("action_id") == STOP for element in elements)
