"""A tool in a process of its own, for functions that would hold the interpreter for longer than a lease.

The child gets the tool's module and name and its arguments as JSON on its input, and answers with JSON on its
output; it knows its run but reaches neither state nor thread, and dies with its call.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from store.system import SystemClock
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
    with subprocess.Popen(
        [sys.executable, "-m", "worker.tools.isolate"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as child:
        try:
            said = _converse(child, json.dumps(task), context)
        finally:
            child.kill()
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
    """Run one task from standard input, and answer on standard output."""
    task = json.load(sys.stdin)
    tool = next(
        value
        for value in vars(import_module(task["module"])).values()
        if isinstance(value, Tool) and value.name == task["tool"]
    )
    context = ToolContext(
        run=task["run"],
        thread=task["thread"],
        key=task["key"],
        asker=task["asker"],
        clock=SystemClock(),
        ending=lambda: False,
        read_state=_not_here,
        read_thread=_not_here,
        read_attachment=_not_here,
        read_channel=_not_here,
        ask=_not_here,
        show_plan=_not_here,
    )
    try:
        answer = {"output": tool.run(context, task["arguments"])}
        if context.staged:
            answer = {"error": f"{tool.name} runs in a process of its own and cannot stage state"}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    json.dump(answer, sys.stdout)


def _not_here(*_wanted: object) -> Any:
    raise ToolError("a tool in a process of its own reaches neither the workspace's state nor the thread")


if __name__ == "__main__":
    main()
