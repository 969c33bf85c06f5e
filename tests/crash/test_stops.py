"""Stop, and messages that are none: each is heard at once and does what it says."""

from __future__ import annotations

from typing import Any

import pytest

from playground.simulation.fleet import Member
from store.ports import ModelAnswer, ModelError
from tests.crash.conftest import THREAD, calls, says
from tests.crash.moments import At, Make, later, replies, slow_run, stop
from worker.services import Limits
from worker.tools.context import ToolContext
from worker.tools.tool import tool


@pytest.mark.clause("TOOL-9", "STOP-1")
def test_a_running_tool_sees_that_somebody_pressed_stop(world: Make) -> None:
    seen, _ = slow_run(world, 100, patient=False)
    said: list[str] = []
    press = At("commit model.done", "after", lambda member: later(member, 5, stop(seen)))
    seen.fleet.slack.said = []

    outcome = seen.play("go", press)

    assert (outcome["status"], outcome["by"]) == ("aborted", "U2")
    said = [str(record.body["output"]) for record in seen.log if record.kind == "tool" and record.state == "done"]
    assert said in (["left after 5.0 s"], ["left after 5.5 s"])


@pytest.mark.clause("STOP-1")
def test_a_stop_before_the_run_began_asks_no_model(world: Make) -> None:
    seen = world(says("never"))
    outcome: dict[str, Any] = {}

    def act() -> None:
        said = seen.fleet.say(THREAD, "go")
        assert seen.fleet.host.store.admissions.stop(THREAD, said.run, "U2") == "stopping"
        seen.fleet.work_off(THREAD)
        outcome.update(seen.fleet.host.store.admissions.outcome("T1", said.run) or {})

    seen.fleet.run(act)

    assert (outcome["status"], outcome["by"]) == ("aborted", "U2")
    assert seen.fleet.model.asked == []


@pytest.mark.clause("STOP-1", "USAGE-1")
def test_a_stop_cuts_a_silent_model_within_a_second_and_its_cost_counts(world: Make) -> None:
    seen = world(says("never"))
    seen.fleet.model.takes = 600
    began: list[float] = []

    def press(member: Member) -> None:
        began.append(seen.fleet.baton.time)
        later(member, 3, stop(seen))

    outcome = seen.play("go", At("model", "before", press))

    settled = next(record for record in seen.log if record.kind == "settled")
    assert settled.at - began[0] < 4
    assert (outcome["status"], outcome["usage"]) == ("aborted", [10, 1, 0, 0, True])


@pytest.mark.clause("STOP-1")
def test_no_tool_starts_after_a_stop(world: Make) -> None:
    effects: list[int] = []

    @tool(replay="unsafe")
    def act(context: ToolContext) -> str:
        """Act."""
        effects.append(1)
        return "acted"

    seen = world(calls(("act", {})), says("never"), tools=[act])
    outcome = seen.play("go", At("model", "after", lambda _member: stop(seen)()))

    assert (outcome["status"], effects) == ("aborted", [])


@pytest.mark.clause("RUN-11", "STOP-1")
def test_a_stop_that_comes_just_before_the_settlement_wins_and_what_was_billed_stays(world: Make) -> None:
    seen = world(says("done"))

    outcome = seen.play("go", At("commit #settled.done", "before", lambda _member: stop(seen)()))

    assert (outcome["status"], outcome["by"], outcome["usage"]) == ("aborted", "U2", [100, 10, 0, 0, False])
    assert [record.body["status"] for record in seen.log if record.kind == "settled"] == ["aborted"]


@pytest.mark.clause("RUN-11", "STOP-1")
def test_a_stop_that_comes_just_before_a_failure_is_recorded_wins_as_well(world: Make) -> None:
    seen = world(ModelError("no such model", kind="invalid"))

    outcome = seen.play("go", At("commit #settled.done", "before", lambda _member: stop(seen)()))

    assert (outcome["status"], outcome["by"], seen.tenures) == ("aborted", "U2", 1)


@pytest.mark.clause("STOP-1", "RUN-11")
def test_a_stop_after_the_settlement_comes_too_late(world: Make) -> None:
    seen = world(says("done"))
    heard: list[str] = []

    outcome = seen.play("go", At("commit #settled.done", "after", lambda _member: heard.append(stop(seen)())))

    assert (outcome["text"], heard) == ("done", ["over"])


@pytest.mark.clause("STEER-2", "STEER-1")
def test_a_message_in_the_middle_of_a_long_call_is_answered_after_it(world: Make) -> None:
    seen, ran = slow_run(world, 60, answers=[calls(("slow", {})), says("one"), says("two")])

    def say(member: Member) -> None:
        later(member, 5, lambda: seen.fleet.say(THREAD, "and this?", n=2))

    seen.play("go", At("commit model.done", "after", say))

    assert [record.body["text"] for record in seen.log if record.kind == "settled"] == ["one", "two"]
    assert (seen.tenures, ran) == (1, ["slow"])


@pytest.mark.clause("ACCESS-2")
def test_a_stop_at_nothing_lets_nothing_be_spent(world: Make) -> None:
    seen = world(says("never"), limits=Limits(daily_spend=0))

    seen.play("go")

    assert seen.fleet.model.asked == []
    assert "EVERTHREAD_DAILY_SPEND and" in replies(seen)[0].views[-1].note


@pytest.mark.clause("STOP-1", "REPLY-4")
def test_a_run_that_is_stopped_in_a_tool_keeps_what_it_had_said(world: Make) -> None:
    answer = calls(("slow", {"patient": False}))
    spoken = ModelAnswer([{"type": "text", "text": "I look it up."}, *answer.content], "tool_use", answer.usage, "m")
    seen, _ = slow_run(world, 30, answers=[spoken, says("done")])

    outcome = seen.play("go", At("commit model.done", "after", lambda member: later(member, 3, stop(seen))))

    assert (outcome["status"], outcome["text"]) == ("aborted", "I look it up.")
    assert replies(seen)[0].views[-1].text == "I look it up."
