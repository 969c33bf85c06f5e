"""Whether what was seen is what must be: a scenario's own expectations, and what holds after any crash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from playground.scenarios.scenario import Scenario
from playground.scenarios.seen import Seen, SeenCall, SeenReply, SeenRun
from playground.scenarios.shown import is_fenced, is_whole
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
        if name in scenario.expect and name not in scenario.may_vary:
            found += _expectation(name, scenario.expect[name], seen)
    return list(dict.fromkeys(found))


def broken(scenario: Scenario, seen: Seen) -> Iterator[str]:
    """One standing reply a run that shows all of it, one settlement, one decision a question and no card left open,
    unsafe effects at most once, and nothing billed twice but what was cut."""
    yield from (f"a stand-in was violated: {what}" for what in seen.violations)
    standing = Counter((reply.run, reply.part) for reply in seen.replies if not reply.deleted)
    for run in seen.runs:
        if (here := standing[run.run, "reply"]) != 1 and not (here == 0 and _may_lack_a_reply(run)):
            yield f"run {run.run} has {here} standing replies, not 1"
        if run.status in SETTLED and run.settlements != 1:
            yield f"run {run.run} was settled {run.settlements} times"
        if run.status not in SETTLED and run.status != "parked":
            yield f"run {run.run} is {run.status or 'nowhere'}"
        yield from _last_words(run, seen)
    for (which, part), count in standing.items():
        if count > 1 and part != "reply" and not part.startswith("told"):
            yield f"run {which} has {count} standing posts of the part {part}"
    yield from _asked(seen)
    yield from _torn(seen)
    for (tool, key), times in Counter((effect.tool, effect.key) for effect in seen.effects).items():
        plan = scenario.tool(tool)
        allowed = 1 + sum(wait.again for wait in seen.waits if wait.call == key)
        if plan is not None and plan.replay == "unsafe" and times > allowed:
            yield f"the unsafe {tool} had its effect {times} times for {key}"
    yield from _billed_twice(seen)


def _may_lack_a_reply(run: SeenRun) -> bool:
    """Nobody sees a reply in a place that is closed, or to a message that is gone."""
    return run.deleted or run.delivered == "undeliverable"


def _last_words(run: SeenRun, seen: Seen) -> Iterator[str]:
    """What stands of a run shows all that it settled with; where Slack refused that, it says how much is missing."""
    standing = sorted((one for one in seen.replies if one.run == run.run and not one.deleted), key=_reading)
    last = [reply.versions[-1] for reply in standing]
    if not standing or is_whole(run.text, last):
        return
    told = any(reply.part == "told" for reply in standing)
    says_what_is_missing = " characters" in "".join(last)
    if (run.delivered == "degraded" and says_what_is_missing) or (
        run.delivered == "undeliverable" and (says_what_is_missing or not told)
    ):
        return
    yield f"what stands of run {run.run} ends as {last!r}, not with {run.text!r}"


def _asked(seen: Seen) -> Iterator[str]:
    """What was asked is decided once, stands open in one card at most, and in none once it is decided."""
    settled = {run.run for run in seen.runs if run.status in SETTLED}
    for wait in seen.waits:
        open_ = sum(one.wait == wait.wait and one.card == "open" and not one.deleted for one in seen.replies)
        if len(wait.decisions) > 1 or (wait.run in settled and not wait.decisions):
            yield f"{wait.wait} was decided {len(wait.decisions)} times: {', '.join(wait.decisions)}"
        if open_ > (0 if wait.decisions else 1):
            yield f"{wait.wait} has {open_} open cards, decided: {', '.join(wait.decisions) or 'not yet'}"


def _reading(reply: SeenReply) -> tuple[str, str]:
    """In the order in which people read: the file last."""
    return ("~" if reply.part == "file" else reply.part, reply.ts)


def _torn(seen: Seen) -> Iterator[str]:
    """No post was ever shown with a fence that is not closed: everything behind it would be code."""
    for reply in seen.replies:
        if reply.part != "file" and not all(map(is_fenced, reply.markdown)):
            yield f"the part {reply.part} of run {reply.run} has an open fence"


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
        case "effects" | "reactions" | "parts" | "cards" | "slack_calls":
            differs = {one: got.get(one, 0) for one in wanted if got.get(one, 0) != wanted[one]}
            return [f"{name}: {differs}, not {dict(wanted)}"] if differs else []
        case "whispers" | "status_lines" | "cards_show":
            return [] if _are_among(wanted, got) else [f"{name}: {got!r}, not {wanted!r}"]
        case "billed_once":
            return list(_billed_twice(seen)) if wanted else []
    return [] if got == wanted else [f"{name}: {got!r}, not {wanted!r}"]


def _observed(name: str, seen: Seen) -> Any:
    replies, beside = [reply for reply in seen.replies if reply.part == "reply"], seen.beside
    last = _last(replies)
    found: Mapping[str, Callable[[], Any]] = {
        "replies": lambda: len(replies),
        "posts": lambda: len(seen.replies),
        "parts": lambda: Counter(_kind(reply) for reply in seen.replies),
        "runs": lambda: len(seen.runs),
        "effects": seen.counted,
        "model_calls": lambda: seen.billed,
        "reactions": lambda: seen.reactions,
        "last_text_contains": lambda: last.versions[-1] if last else "",
        "final_text": lambda: seen.runs[-1].text if seen.runs else "",
        "answers": lambda: tuple(seen.answers),
        "footer_contains": lambda: seen.runs[-1].footer if seen.runs else "",
        "statuses": lambda: tuple(run.status for run in seen.runs),
        "delivered": lambda: tuple(run.delivered for run in seen.runs),
        "cards": lambda: _cards(seen),
        "cards_show": lambda: [card.versions[-1] for card in _standing_cards(seen)],
        "decisions": lambda: tuple(", ".join(wait.decisions) for wait in seen.waits),
        "rings": lambda: tuple(beside.rings),
        "whispers": lambda: tuple(beside.whispers),
        "status_lines": lambda: _unrepeated(beside.lines),
        "sessions": lambda: _unrepeated(beside.sessions),
        "slack_calls": lambda: beside.asked,
        "unknown": lambda: seen.unknown,
    }
    return found[name]() if name in found else None


def _kind(reply: SeenReply) -> str:
    """Its part, without the name of the wait that it is about."""
    kind, _, about = reply.part.partition(".")
    return kind if about and not about.isdecimal() else reply.part


def _standing_cards(seen: Seen) -> list[SeenReply]:
    """In the order in which they were posted."""
    return sorted((one for one in seen.replies if one.card and not one.deleted), key=lambda one: one.ts)


def _cards(seen: Seen) -> Mapping[str, int]:
    stand = _standing_cards(seen)
    posted = sum(bool(reply.card) for reply in seen.replies)
    return {"posted": posted, "standing": len(stand)} | Counter(str(card.card) for card in stand)


def _are_among(wanted: Sequence[str], got: Sequence[str]) -> bool:
    """Whether each is part of one of `got`, in this order; where none is wanted, none is there."""
    left = iter(got)
    return all(any(text in one for one in left) for text in wanted) if wanted else not got


def _unrepeated(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(value for value, _ in groupby(values))


def _last(replies: list[SeenReply]) -> SeenReply | None:
    return max(replies, key=lambda reply: reply.ts, default=None)
