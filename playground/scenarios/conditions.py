"""What a condition of the play waits for, among everything that happens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from playground.scenarios.cards import card_state, part_of, text_of, wait_of
from playground.scenarios.happenings import BOT_IS_UP, Happening, Match
from playground.scenarios.in_slack import whispered
from playground.scenarios.scenario import Condition
from store.lifecycle import SETTLED
from store.record import OVER

HOWS = {"called": "start", "streaming": "tokens", "answered": "end"}
"""How the Claude stand-in calls the places where it holds a call."""
LEFT: Mapping[str, Collection[str]] = {"waiting": ("waiting",), "parked": ("parked",), "left": SETTLED}


def match_of(condition: Condition, ts_of: Callable[[str], str]) -> Match:
    """The matcher of one wait; it may count, so it serves once. ts_of: a message's ts by its name."""
    match condition.subject:
        case "tool":
            return _tool(condition)
        case "model":
            return lambda one: one.kind == "claude.call.held" and _is_held(condition, one)
        case "run" if condition.of in LEFT:
            return _Left(LEFT[condition.of])
        case "run":
            return lambda one: one.kind == "store.commit" and _has_status(condition.of, one)
        case "steps":
            return _Steps(int(condition.of))
        case "commit" | "admit" | "answer":
            return lambda one: one.kind == "store.held" and _is_script(condition, one)
        case "slack":
            return lambda one: one.kind == "slack.hold.reached" and _is_slack(condition, one)
        case "refused":
            return lambda one: one.kind == "slack.call.answered" and _is_refused(condition.of, one)
        case "reply":
            return lambda one: _is_ours(one) and condition.of in f"{one['text']}{one['blocks']}"
        case "card":
            return _Cards(condition)
        case "claims":
            return lambda one: one.kind == "store.claim" and bool(one["won"])
        case "owner":
            return lambda one: one.kind == "store.refused" and str(one["why"]).startswith("STALE")
        case "workers":
            return lambda one: one.kind == "store.worker.waits"
        case "bots":
            kinds = BOT_IS_UP if condition.of == "up" else ("slack.socket.closed",)
            return lambda one: one.kind in kinds
        case "acked":
            return lambda one: one.kind == "slack.event.acked" and one["ts"] == ts_of(condition.of)
        case "lost":
            return lambda one: one.kind == "slack.event.lost" and one["ts"] == ts_of(condition.of)
        case "status":
            return lambda one: one.kind == "slack.status.set" and condition.of in one["status"]
        case "session":
            return lambda one: one.kind == "slack.session.set" and one["status"] == condition.of
        case "whisper":
            return lambda one: condition.of in whispered(one)
    raise ValueError(f"no condition about {condition.subject}")


def nth_of(condition: Condition) -> int:
    return int(condition.of) if condition.subject == "claims" else condition.nth


def _tool(condition: Condition) -> Match:
    if condition.happens == "recorded":
        return _Recorded(condition.of)
    kind = f"tool.{condition.happens or 'started'}"
    return lambda one: one.kind == kind and one["tool"] == condition.of


def _is_held(condition: Condition, one: Happening) -> bool:
    turn = condition.turn in (None, one["turn"])
    return turn and one["how"] == HOWS[condition.of] and one["tokens"] >= condition.tokens


def _has_status(wanted: str, one: Happening) -> bool:
    if wanted == "delivered":
        return any(call == "#delivered" for call, _ in one["records"])
    status = one["head"].get("status")
    return status in SETTLED if wanted == "settled" else status == wanted


def _is_script(condition: Condition, one: Happening) -> bool:
    wanted = (condition.subject, int(condition.of), condition.happens or "before")
    return (one["name"], one["nth"], one["side"]) == wanted


def _is_slack(condition: Condition, one: Happening) -> bool:
    return bool(one["method"] == condition.of and one["when"] == (condition.happens or "before"))


def _is_refused(method: str, one: Happening) -> bool:
    return bool(one["method"] == method and one["outcome"] not in ("ok", "dropped"))


def _is_ours(one: Happening) -> bool:
    return one.kind in ("slack.message.posted", "slack.message.edited") and bool(one["from_app"])


class _Recorded:
    """True when the outcome of a call of this tool is recorded."""

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._ids: set[str] = set()

    def __call__(self, one: Happening) -> bool:
        if one.kind != "store.commit":
            return False
        self._ids |= {call for call, tool in one["calls"].items() if tool == self._tool}
        return any(call in self._ids and state in OVER for call, state in one["records"])


class _Left:
    """True each time a run comes to one of these, nobody works on its thread any more, and nothing is left to do."""

    def __init__(self, statuses: Collection[str]) -> None:
        self._statuses = statuses
        self._come: set[str] = set()

    def __call__(self, one: Happening) -> bool:
        thread = one["thread"]
        if one.kind == "store.commit" and "status" in one["head"]:
            (self._come.add if one["head"]["status"] in self._statuses else self._come.discard)(thread)
        if one.kind != "store.release" or not one["over"] or one["mode"] != "idle" or thread not in self._come:
            return False
        self._come.discard(thread)
        return True


class _Cards:
    """True for each card once, when it comes to this state."""

    def __init__(self, condition: Condition) -> None:
        self._condition = condition
        self._met: set[str] = set()

    def __call__(self, one: Happening) -> bool:
        if not _is_ours(one) or one["ts"] in self._met or not wait_of(part_of(one.data)):
            return False
        wanted = self._condition
        if card_state(one["blocks"]) != wanted.of or wanted.containing not in text_of(one["blocks"]):
            return False
        self._met.add(one["ts"])
        return True


class _Steps:
    """True once enough steps are recorded."""

    def __init__(self, wanted: int) -> None:
        self._left = wanted

    def __call__(self, one: Happening) -> bool:
        if one.kind != "store.commit" or one["again"]:
            return False
        before, self._left = self._left, self._left - int(one["over"])
        return before > 0 >= self._left
