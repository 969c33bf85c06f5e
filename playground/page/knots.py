"""A run as a line with a knot for every step: what the page draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from store.record import Record
from store.stepkey import StepKey
from store.wait import How
from worker.state import RunState

Json = dict[str, Any]

_HIDDEN = ("turn", "delivered")
_STEPS = ("model", "tool", "reply")
"""Kinds that the run's state holds whole: a mark, and what its outcome adds to it."""
_POSTS = {"reply": "reply posted", "done": "done post", "ask": "card posted", "told": "asked in a direct message"}
_ENDS: Mapping[How, str] = {
    "button": "answered",
    "words": "answered",
    "deadline": "too late",
    "aside": "set aside",
    "stopped": "stopped",
}


def knots(records: Sequence[Record], pids: Sequence[int]) -> list[Json]:
    """The steps of one run's records, in the order in which they began, each with its latest state.

    pids: the processes that were seen to own it, one after the other. at, ended: seconds since 1970; ended is when
    the state was reached. tenure: counted from 0. pid: its process, 0 where it is not known.
    """
    state, found, tenure = RunState(records[0], 0), dict[str, Json](), 0
    tenures = 1 + sum(record.kind == "resumed" for record in records)
    for record in records:
        if record.kind != "start":
            state.add(record)
        tenure += record.kind == "resumed"
        milestones = () if record.kind in _STEPS else (record,)
        for step in (*milestones, *state.open.values(), *state.posts.values(), *_calls(record)):
            knot = found.setdefault(str(step.key), _knot(step, state, record.at, tenure))
            if knot["state"] != _state(step) and not (step.state == "pending" and knot["state"]):
                knot |= {"state": _state(step), "title": _title(step, state), "ended": record.at}
    for knot in found.values():
        knot["pid"] = _pid(pids, knot["tenure"], tenures)
    over = state.settled is not None
    return [k for k in found.values() if k["kind"] not in _HIDDEN and not (over and k["state"] == "pending")]


def _knot(step: Record, state: RunState, at: float, tenure: int) -> Json:
    knot = {"key": str(step.key), "kind": step.kind, "title": _title(step, state), "at": at, "tenure": tenure}
    knot["state"] = ""
    if step.kind == "resumed":
        knot |= {"kept": step.body["kept"], "repeated": step.body["repeated"]}
    return knot


def _calls(record: Record) -> Iterator[Record]:
    """The tool calls of an answer: a safe one is recorded only when it is over."""
    if record.kind != "model" or record.state != "done" or record.body.get("stop_reason") != "tool_use":
        return
    for block in record.body["content"]:
        if block.get("type") == "tool_use":
            key = StepKey(record.run, record.key.turn, block["id"])
            yield Record("tool", key, "pending", record.at, {"title": str(block["name"]).replace("_", " ")})


def _pid(pids: Sequence[int], tenure: int, tenures: int) -> int:
    """A tenure too short to be seen leaves its place, and those before it, in doubt; the last one is known."""
    if len(pids) == tenures:
        return pids[tenure]
    return pids[-1] if pids and tenure == tenures - 1 else 0


def _state(step: Record) -> str:
    if step.kind == "wait" and step.state == "done":
        return _ENDS[step.body["answer"]["how"]]
    return "cut off" if step.body.get("cut_off") else step.state


def _title(step: Record, state: RunState) -> str:
    match step.kind:
        case "tool":
            return str(step.body.get("title", "a tool"))
        case "model":
            again = f", asked again ({step.key.attempt})" if step.key.attempt else ""
            return f"model call {step.key.turn + 1}{again}"
        case "resumed":
            return "taken up again"
        case "settled":
            return str(step.body["status"])
        case "reply":
            return _posted(str(step.body.get("part", "")))
        case "wait":
            body = step.body
            asked = state.waits[body["wait"]["id"] if step.state == "pending" else body["answer"]["wait"]]
            return f"{asked.wait.kind}: {asked.wait.call or asked.wait.title}"
        case "start":
            return "asked"
        case _:
            return step.kind


def _posted(part: str) -> str:
    """What a part of a run's posts is called; the number in its name says how often a card was asked again."""
    name, _, rest = part.partition(".")
    if name == "ask" and "." in rest:
        return "card posted further down"
    return _POSTS.get(name, f"{name} posted")
