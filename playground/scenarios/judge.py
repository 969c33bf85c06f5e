"""Whether what was seen is what must be: a scenario's own expectations, and what holds after any crash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from playground.scenarios.scenario import Scenario
from playground.scenarios.seen import Seen, SeenCall, SeenReply
from store.lifecycle import SETTLED


def failures(scenario: Scenario, seen: Seen) -> list[str]:
    """Every expectation that does not hold, and whatever may never happen."""
    found = list(broken(scenario, seen))
    found += [line for name, wanted in scenario.expect.items() for line in _expectation(name, wanted, seen)]
    return list(dict.fromkeys(found))


def regardless(scenario: Scenario, seen: Seen) -> list[str]:
    """What must hold wherever a process dies: the invariants, and the texts that the script leads to."""
    found = list(broken(scenario, seen))
    for name in ("final_text", "statuses", "runs"):
        if name in scenario.expect:
            found += _expectation(name, scenario.expect[name], seen)
    return list(dict.fromkeys(found))


def broken(scenario: Scenario, seen: Seen) -> Iterator[str]:
    """One standing reply a run, one settlement, unsafe effects at most once, nothing billed twice but what was cut."""
    yield from (f"a stand-in was violated: {what}" for what in seen.violations)
    standing = Counter((reply.run, reply.part) for reply in seen.replies if not reply.deleted)
    for run in seen.runs:
        if standing[run.run, "reply"] != 1 and not (run.deleted and standing[run.run, "reply"] == 0):
            yield f"run {run.run} has {standing[run.run, 'reply']} standing replies, not 1"
        if standing[run.run, "done"] > 1:
            yield f"run {run.run} said {standing[run.run, 'done']} times that it is done"
        if run.status in SETTLED and run.settlements != 1:
            yield f"run {run.run} was settled {run.settlements} times"
        if run.status not in SETTLED and run.status != "parked":
            yield f"run {run.run} is {run.status or 'nowhere'}"
        yield from _last_words(run.run, run.text, seen)
    for (tool, key), times in Counter((effect.tool, effect.key) for effect in seen.effects).items():
        plan = scenario.tool(tool)
        if plan is not None and plan.replay == "unsafe" and times > 1:
            yield f"the unsafe {tool} had its effect {times} times for {key}"
    yield from _billed_twice(seen)


def _last_words(run: str, text: str, seen: Seen) -> Iterator[str]:
    """The standing reply shows what the run settled with."""
    for reply in seen.replies:
        if (reply.run, reply.part, reply.deleted) == (run, "reply", False) and text not in reply.versions[-1]:
            yield f"the reply of run {run} ends as {reply.versions[-1]!r}, not with {text!r}"


def _billed_twice(seen: Seen) -> Iterator[str]:
    """Only a call whose process ended before it could record the answer may be asked and billed again."""
    by_digest: dict[str, list[SeenCall]] = {}
    for call in seen.calls:
        if call.billed:
            by_digest.setdefault(call.digest, []).append(call)
    for digest, calls in by_digest.items():
        if any(not call.cut for call in calls[:-1]):
            yield f"a model call was made {len(calls)} times, although nobody cut it off ({digest[:12]})"


def _expectation(name: str, wanted: Any, seen: Seen) -> list[str]:
    got = _observed(name, seen)
    match name:
        case "last_text_contains" | "footer_contains":
            return [] if wanted in got else [f"{name}: {wanted!r} is not in {got!r}"]
        case "model_saw":
            return [f"the model never saw {text!r}" for text in wanted if text not in seen.asked]
        case "model_never_saw":
            return [f"the model saw {text!r}" for text in wanted if text in seen.asked]
        case "recovery_ms_below":
            return [f"recovered after {ms:.0f} ms, not below {wanted:g}" for ms in seen.recovery_ms if ms >= wanted]
        case "shown":
            every = "\n".join(version for reply in seen.replies for version in reply.versions)
            return [f"no reply ever showed {text!r}" for text in wanted if text not in every]
        case "effects" | "reactions":
            differs = {tool: got.get(tool, 0) for tool in wanted if got.get(tool, 0) != wanted[tool]}
            return [f"{name}: {differs}, not {dict(wanted)}"] if differs else []
        case "billed_once":
            return list(_billed_twice(seen)) if wanted else []
    return [] if got == wanted else [f"{name}: {got!r}, not {wanted!r}"]


def _observed(name: str, seen: Seen) -> Any:
    replies = [reply for reply in seen.replies if reply.part == "reply"]
    last = _last(replies)
    match name:
        case "replies":
            return len(replies)
        case "posts":
            return len(seen.replies)
        case "runs":
            return len(seen.runs)
        case "effects":
            return seen.counted()
        case "model_calls":
            return seen.billed
        case "reactions":
            return seen.reactions
        case "last_text_contains":
            return last.versions[-1] if last else ""
        case "final_text":
            return seen.runs[-1].text if seen.runs else ""
        case "answers":
            return tuple(seen.notes.get("answers", ()))  # type: ignore[arg-type]
        case "footer_contains":
            return seen.runs[-1].footer if seen.runs else ""
        case "statuses":
            return tuple(run.status for run in seen.runs)
        case "unknown":
            return seen.unknown
    return None


def _last(replies: list[SeenReply]) -> SeenReply | None:
    return max(replies, key=lambda reply: reply.ts, default=None)
