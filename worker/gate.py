"""The gate before a turn's calls: denied ones do not run, those that people decide about wait for the decision.

All decisions of one answer are there before any of its calls starts, so a batch that was never dispatched is known
not to have happened. A decision is a wait like any other: recorded, found again, never asked for twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from store.redaction import masked
from store.stepkey import StepKey
from store.thread import ThreadId
from store.wait import Answer, wait_id
from worker.call import Call
from worker.rules import Rule
from worker.tools.ask import Ask
from worker.waiting import answer_to, opening, show_cards

if TYPE_CHECKING:
    from worker.run import Run

GATE = "gate"
"""The name of the step in which a call waits for its approval."""
DENIED_BY_RULE = "Not run: a rule of whoever runs this agent denies it."


def rule_for(run: Run, call: Call) -> Rule:
    """The rule in force now for a call."""
    return run.services.rules.judge(call.name, call.arguments, ThreadId.parse(run.state.input.thread).channel)


def open_gates(run: Run, calls: Sequence[Call]) -> bool:
    """Ask for every decision that these calls need, in the commit that records their answer; whether any does."""
    if not run.services.rules.rules:
        return False
    asks = [(_key(call), _ask(call, rule)) for call in calls if (rule := _to_ask(run, call)) is not None]
    if not asks:
        return False
    records, commit = opening(run, asks)
    for record in records:
        run.ledger.stage(record)
    run.ledger.flush(commit)
    show_cards(run, [wait_id(key) for key, _ in asks])
    return True


def pass_gates(run: Run, calls: Sequence[Call]) -> list[Call]:
    """The calls as they may run now, denied ones refused; `RunWaiting` while a decision is open."""
    if not run.services.rules.rules and not run.state.waits:
        return list(calls)
    waits = [wait_id(_key(call)) for call in calls]
    decisions = {wait: answer_to(run, wait) for wait in waits if wait in run.state.waits}
    return [_decided(run, call, decisions.get(wait)) for call, wait in zip(calls, waits, strict=True)]


def _decided(run: Run, call: Call, decision: Answer | None) -> Call:
    """A deny in force now goes over an approval given before."""
    if not _runs(call):
        return call
    if rule_for(run, call).then == "deny":
        return replace(call, refusal=DENIED_BY_RULE)
    if decision is None or decision.verdict == "approve":
        return call
    return replace(call, refusal=_refusal(decision))


def _refusal(decision: Answer) -> str:
    match decision.how:
        case "deadline":
            return "Not run: nobody approved it in time."
        case "aside":
            return f"Not run: <@{decision.by}> set the approval aside, because the thread went on."
        case _:
            why = f": {decision.words}" if decision.words else ""
            return f"Not run: <@{decision.by}> denied it{why}."


def _to_ask(run: Run, call: Call) -> Rule | None:
    """The rule by which people decide on a call that nobody was asked about yet, and that did not run yet."""
    if not _runs(call) or wait_id(_key(call)) in run.state.waits or str(call.key) in run.state.open:
        return None
    rule = rule_for(run, call)
    return rule if rule.then == "ask" else None


def _runs(call: Call) -> bool:
    return call.tool is not None and not call.refusal and call.answer is None


def _key(call: Call) -> StepKey:
    return call.key.nested(GATE)


def _ask(call: Call, rule: Rule) -> Ask:
    arguments = json.dumps(masked(dict(call.arguments)), ensure_ascii=False, indent=2)
    return Ask("approval", f"May I run {call.name}?", call=call.title, arguments=arguments, answerers=rule.answerers)
