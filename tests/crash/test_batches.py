"""The calls of one answer, and what a run built on."""

from __future__ import annotations

from typing import Any

import pytest

from store.ports import ModelAnswer, Usage
from tests.crash.conftest import THREAD, Killer, World, calls, says
from tests.crash.moments import Make, replies, slow
from worker.agent import Agent
from worker.tools.context import ToolContext
from worker.tools.tool import tool


@pytest.mark.clause("TOOL-4")
@pytest.mark.parametrize(("limit", "seconds"), [(10, 10), (2, 20), (1, 30)])
def test_a_batch_runs_at_once_up_to_its_limit(world: Make, limit: int, seconds: float) -> None:
    worlds: list[World] = []
    tools = [slow(worlds, 10, [], name) for name in "abc"]
    seen = world(calls(*((name, {}) for name in "abc")), says("done"), tools=tools, max_concurrent_tools=limit)
    worlds.append(seen)

    seen.play("go")

    model = [record.at for record in seen.log if record.kind == "model" and record.state == "done"]
    assert model[1] - model[0] == pytest.approx(seconds, abs=1)


@pytest.mark.clause("TOOL-4")
def test_after_a_crash_the_unsettled_calls_are_shown_as_resumed(world: Make) -> None:
    worlds: list[World] = []
    tools = [slow(worlds, 1, [], "quick"), slow(worlds, 20, [], "long", "safe")]
    seen = world(calls(("quick", {}), ("long", {})), says("done"), tools=tools)
    worlds.append(seen)

    seen.play("go", Killer("commit tool.done", "after"))

    shown = {(call.title, call.state, call.resumed) for view in replies(seen)[0].views for call in view.calls}
    assert ("long", "running", True) in shown
    assert ("quick", "done", False) in shown
    assert not [title for title, _, resumed in shown if resumed and title == "quick"]


@pytest.mark.clause("RUN-14")
def test_thinking_of_an_earlier_definition_is_left_out_and_its_text_stays(world: Make) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    first = ModelAnswer([thought, {"type": "text", "text": "one"}], "end_turn", Usage(1, 1), "m")
    seen = world(first, says("two"), says("three"))

    def act() -> None:
        for n, system in ((1, "one way"), (2, "one way"), (3, "another way")):
            seen.fleet.agent = Agent((), "m", system=system)
            seen.fleet.say(THREAD, f"question {n}", n=n)
            seen.fleet.work_off(THREAD)

    seen.fleet.run(act)

    same, other = (str(request.messages) for request in seen.fleet.model.asked[1:])
    assert "'thinking': 'hm'" in same
    assert "'thinking'" not in other
    assert "'one'" in other


@pytest.mark.clause("RUN-1")
@pytest.mark.parametrize("side", ["before", "after"])
def test_a_recorded_answer_is_never_asked_for_again(world: Make, side: str) -> None:
    effects: list[int] = []

    @tool(replay="safe")
    def act(context: ToolContext) -> str:
        """Act."""
        effects.append(1)
        return "acted"

    seen = world(calls(("act", {})), says("done"), tools=[act])
    seen.play("go", Killer("commit model.done", side))

    recorded = side == "after"
    assert sorted(seen.fleet.model.billed.values()) == ([1, 1] if recorded else [1, 2])
    assert len(effects) == 1


@pytest.mark.clause("TOOL-1")
def test_a_tool_that_declares_nothing_is_never_run_again_on_its_own(world: Make) -> None:
    effects: list[int] = []

    @tool()
    def act(context: ToolContext) -> str:
        """Act."""
        effects.append(1)
        return "acted"

    seen = world(calls(("act", {})), says("done"), tools=[act])
    seen.play("go", Killer("commit tool.done", "before"))

    assert len(effects) == 1


@pytest.mark.clause("TOOL-5")
def test_an_answer_that_would_pass_the_limit_of_calls_is_refused_whole(
    world: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.asking.MAX_CALLS", 2)
    effects: list[int] = []

    @tool(replay="safe")
    def act(context: ToolContext) -> str:
        """Act."""
        effects.append(1)
        return "acted"

    seen = world(calls(("act", {})), calls(("act", {}), ("act", {})), says("never"), tools=[act])
    outcome = seen.play("go")

    assert (outcome["status"], outcome["code"], len(effects)) == ("failed", "calls", 1)
    assert outcome["usage"] == [200, 20, 0, 0, False]


@pytest.mark.clause("TOOL-6")
def test_a_preflight_may_change_the_arguments_or_answer_before_anything_runs(world: Make) -> None:
    effects: list[str] = []

    def check(arguments: Any) -> Any:
        return "Not here." if arguments["what"] == "forbidden" else {"what": arguments["what"].upper()}

    @tool(preflight=check)
    def act(context: ToolContext, what: str) -> str:
        """Act."""
        effects.append(what)
        return "acted"

    seen = world(calls(("act", {"what": "forbidden"}), ("act", {"what": "it"})), says("done"), tools=[act])
    seen.play("go")

    assert effects == ["IT"]
    assert [record.body["output"] for record in seen.log if record.kind == "tool" and record.state == "done"] in (
        ["Not here.", "acted"],
        ["acted", "Not here."],
    )
