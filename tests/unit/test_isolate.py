"""Tools in a process of their own."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

from store.ports import Attachment, Said
from store.system import SystemClock
from worker.tools.context import ToolContext
from worker.tools.isolate import run_isolated
from worker.tools.tool import ToolError, tool


@tool(isolate=True)
def whereabouts(context: ToolContext, word: str) -> dict[str, str]:
    """Say who runs this."""
    return {"word": word, "pid": str(os.getpid()), "run": context.run}


@tool(isolate=True)
def broken(context: ToolContext) -> str:
    """Fail."""
    raise ValueError("no such luck")


@tool(isolate=True)
def endless(context: ToolContext) -> str:
    """Never end."""
    while True:
        pass


def context(*, ending: bool = False) -> ToolContext:
    def nothing(*_: object) -> list[Said]:
        return []

    def no_file(file: str) -> Attachment:
        return Attachment(file, "a.txt", "text/plain", 0, "")

    reads = (nothing, no_file, nothing)

    def not_asked(*_: object) -> NoReturn:
        pytest.fail("an isolated tool asks nobody")

    asks = (not_asked, not_asked)
    clock = SystemClock()
    return ToolContext("r1", "T1/C1/1.0", "r1:0:t1:0", "U1", clock, lambda: ending, lambda _: [], *reads, *asks)


@pytest.mark.clause("LEASE-3")
def test_it_runs_elsewhere_and_answers_here() -> None:
    answer = run_isolated(whereabouts, context(), {"word": "hello"})

    assert '"word": "hello"' in answer
    assert '"run": "r1"' in answer
    assert f'"pid": "{os.getpid()}"' not in answer


@pytest.mark.clause("LEASE-3")
def test_what_it_raised_there_is_a_tool_error_here() -> None:
    with pytest.raises(ToolError, match="ValueError: no such luck"):
        run_isolated(broken, context(), {})


@pytest.mark.clause("TOOL-9")
def test_one_that_never_ends_is_ended_with_its_call() -> None:
    with pytest.raises(ToolError, match="stopped or suspended"):
        run_isolated(endless, context(ending=True), {})
