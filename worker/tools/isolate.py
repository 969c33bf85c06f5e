"""A tool in a process of its own, for functions that would hold the interpreter for longer than a lease.

The child gets the tool's module and name and its arguments as JSON on its input, and answers with JSON on its
output; it has no context to stage state with, and dies with its call.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from worker.tools.context import ToolContext
from worker.tools.tool import Tool, ToolError

POLL = 0.2
"""Seconds between looks at whether the call shall end."""


def run_isolated(tool: Tool, context: ToolContext, arguments: Mapping[str, Any]) -> str:
    """The handler's output, computed elsewhere; `ToolError` carries what it raised there."""
    task = {
        "module": tool.function.__module__,
        "tool": tool.name,
        "arguments": dict(arguments),
        "run": context.run,
        "thread": context.thread,
        "key": context.key,
        "asker": context.asker,
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "worker.tools.isolate"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        said = _converse(child, json.dumps(task), context)
    finally:
        child.kill()
        child.wait()
    if not said:
        raise ToolError(f"{tool.name} ended without an answer (exit status {child.returncode})")
    answer = json.loads(said)
    if "error" in answer:
        raise ToolError(answer["error"])
    return str(answer["output"])


def _converse(child: subprocess.Popen[str], task: str, context: ToolContext) -> str:
    waiting: str | None = task
    while not context.ending():
        try:
            return child.communicate(waiting, timeout=POLL)[0]
        except subprocess.TimeoutExpired:
            waiting = None
    raise ToolError("ended because the run was stopped or suspended")


def main() -> None:
    """Run one task from standard input."""
    task = json.load(sys.stdin)
    tool = next(
        value
        for value in vars(import_module(task["module"])).values()
        if isinstance(value, Tool) and value.name == task["tool"]
    )
    parsed = tool.arguments.model_validate(task["arguments"])
    values = {name: getattr(parsed, name) for name in type(parsed).model_fields}
    try:
        from worker.tools.tool import as_output

        answer = {"output": as_output(tool.function(None, **values))}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
