"""Running one prepared call's handler, and wording what came of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from store.record import State
from worker.call import Call
from worker.tools.context import ToolContext
from worker.tools.isolate import run_isolated
from worker.tools.tool import ToolError

MAX_OUTPUT = 256 * 1024
"""Characters of a tool's output that are kept; a longer one keeps its head and tail (TOOL-7)."""
HEAD, TAIL = 200 * 1024, 48 * 1024

Outcome = tuple[State, dict[str, Any], list[tuple[str, str]]]
"""The state reached, what the record says of it, and the tool state staged."""


def execute(call: Call, context: ToolContext) -> Outcome:
    """Run the handler; an exception of its own is a failed outcome, which stages nothing. Control flow passes."""
    if call.refusal:
        return "failed", {"error": {"name": "Refused", "message": call.refusal}}, []
    if call.answer is not None:
        return "done", {"output": call.answer}, []
    if call.tool is None:
        raise TypeError(f"{call.name} has neither a tool nor a refusal")
    run = partial(run_isolated, call.tool) if call.tool.isolate else call.tool.run
    try:
        output = run(context, call.arguments)
    except Exception as error:
        return "failed", {"error": describe(error)}, []
    return "done", {"output": clamp(output)}, context.staged


def describe(error: Exception) -> dict[str, Any]:
    """An exception as it is recorded: enough to raise and classify the same one again."""
    found: dict[str, Any] = {"name": type(error).__name__, "message": str(error) or type(error).__name__}
    if isinstance(error, ToolError):
        facts = {
            "code": error.code or None,
            "status": error.status,
            "retryable": error.retryable,
            "retry_after": error.retry_after,
            "data": error.data,
        }
        found |= {name: value for name, value in facts.items() if value is not None}
    return found


def clamp(output: str) -> str:
    """The output, or its head and tail with a plain line about what is missing between them."""
    if len(output) <= MAX_OUTPUT:
        return output
    missing = len(output) - HEAD - TAIL
    return f"{output[:HEAD]}\n… {missing:,} characters are left out here …\n{output[-TAIL:]}"
