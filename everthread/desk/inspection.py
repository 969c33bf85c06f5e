"""A run step by step, from its records: masked, and each text clamped."""

from __future__ import annotations

import json
from typing import Any

from everthread.desk.steps import Step, steps_of
from everthread.desk.subject import Subject
from everthread.desk.words import ended, line, row_of
from store.desk import Inspection, PostRow, StepRow
from store.redaction import masked
from worker.prompt import text_of

MOST = 400
"""Characters of an argument list or an output that are shown."""


def inspect(subject: Subject, now: float) -> Inspection:
    state = subject.state
    steps = steps_of(subject.records, subject.run)
    usage = state.usage if state is not None else None
    settled = state.settled if state is not None else None
    return Inspection(
        thread=subject.thread,
        run=subject.run,
        status=subject.status,
        asker=subject.asker,
        asked=subject.asked,
        now=now,
        asks=line(subject.submission.text, MOST) if subject.submission is not None else "",
        model=str(state.definition.get("model", "")) if state is not None else "",
        steps=tuple(_row(step, state.start.at if state is not None else 0.0) for step in steps if step.kind != "turn"),
        waits=tuple((row_of(one.wait), ended(one.answer)) for one in state.waits.values()) if state is not None else (),
        posts=tuple(_post(record.body, record.state) for record in state.posts.values()) if state is not None else (),
        tokens=usage.input + usage.output + usage.cache_read + usage.cache_write if usage is not None else 0,
        cost=state.cost if state is not None else 0,
        restarts=state.restarts if state is not None else 0,
        footer=str(settled.body.get("footer", "")) if settled is not None else "",
    )


def _row(step: Step, began: float) -> StepRow:
    return StepRow(
        turn=step.key.turn + 1,
        what=step.what,
        state=step.stands,
        at=max(0.0, step.began - began),
        took=step.took,
        given=_given(step.body),
        got=_got(step),
        cost=int(step.body.get("cost", 0)),
    )


def _given(body: Any) -> str:
    return line(json.dumps(masked(body["args"]), ensure_ascii=False), MOST) if body.get("args") else ""


def _got(step: Step) -> str:
    """An output, an error, a text, an answer: whatever came of the step."""
    body = step.body
    if error := body.get("error"):
        return line(str(error.get("message") or error.get("code") or error), MOST)
    if step.kind == "model":
        content = body.get("content") or ()
        calls = [str(block.get("name")) for block in content if block.get("type") == "tool_use"]
        return line(text_of(content), MOST) or (f"calls {', '.join(calls)}" if calls else "")
    return line(str(body.get("output", "")), MOST)


def _post(body: Any, state: str) -> PostRow:
    return PostRow(str(body.get("part", "")), "stands" if state == "done" else "begun", str(body.get("ts", "")))
