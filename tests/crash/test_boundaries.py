"""Where a run stands, by the last boundary that is durable."""

from __future__ import annotations

import pytest

from store.errors import LifecycleError
from tests.crash.conftest import Killer, World, calls, says
from tests.crash.moments import Make
from worker.ending import park, settle
from worker.run import Run
from worker.state import fold
from worker.tools.context import ToolContext
from worker.tools.tool import tool


@tool(replay="unsafe")
def act(context: ToolContext) -> str:
    """Act."""
    return "acted"


def boundaries(world: World) -> list[str]:
    """The boundary after each record, repetitions left out."""
    found: list[str] = []
    for length in range(1, len(world.log) + 1):
        (state,) = fold(world.log[:length]).values()
        if not found or found[-1] != state.boundary:
            found.append(state.boundary)
    return found


@pytest.mark.clause("LOG-1")
def test_each_boundary_of_a_run_has_a_name(world: Make) -> None:
    seen = world(calls(("act", {})), says("done"), tools=[act])
    seen.play("go")

    assert boundaries(seen) == ["asking", "working", "asking", "working", "asking", "settling"]


@pytest.mark.clause("LOG-1")
def test_an_effect_in_doubt_is_a_boundary_of_its_own(world: Make) -> None:
    seen = world(calls(("act", {})), says("please check"), tools=[act])
    seen.play("go", Killer("commit tool.done", "before"))

    assert "unknown" in boundaries(seen)


@pytest.mark.clause("RUN-10")
def test_a_settled_run_can_become_nothing_else(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[LifecycleError] = []

    def twice(run: Run, *args: object, **kwargs: object) -> None:
        settle(run, "completed", text="once")
        for again in (lambda: settle(run, "failed", note="twice"), lambda: park(run, "fault", "twice")):
            with pytest.raises(LifecycleError) as raised:
                again()
            refused.append(raised.value)

    monkeypatch.setattr("worker.ending.settle", twice)
    seen = world(says("done"))
    outcome = seen.play("go")

    assert [str(error).split(" is ")[1] for error in refused] == [
        "completed and cannot become failed",
        "completed and cannot become parked",
    ]
    assert outcome["text"] == "once"
