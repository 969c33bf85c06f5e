"""A process dies; another goes on from the last step, in the same message, repeating and re-billing nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from store.lease import Commit
from store.ports import ModelError, Usage
from tests.crash.conftest import Killer, World, calls, says
from worker.prompt import INTERRUPTED
from worker.services import Limits
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, ToolError, tool

Make = Callable[..., World]


def counting(replay: str, effects: list[str], name: str = "act") -> Tool:
    @tool(replay=replay, name=name, title="acting on {what}")  # type: ignore[arg-type]
    def act(context: ToolContext, what: str = "it") -> str:
        """Act."""
        effects.append(f"{context.key} {what}")
        return f"acted on {what}"

    return act


def model_saw(world: World) -> str:
    return str([message for request in world.fleet.model.asked for message in request.messages])


@pytest.mark.clause("RUN-1", "RUN-2", "REPLY-1")
def test_a_finished_step_is_neither_run_nor_billed_again(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("done"), tools=[counting("unsafe", effects)])

    outcome = seen.play("go", Killer("model", "before", nth=2))

    assert outcome["text"] == "done"
    assert len(effects) == 1
    assert set(seen.fleet.model.billed.values()) == {1}
    assert len(seen.fleet.slack.standing(outcome["run"])) == 1
    assert "survived 1 restart: 2 steps kept, 1 repeated" in outcome["footer"]


@pytest.mark.clause("STEP-2", "STEP-4", "TOOL-2")
def test_an_unsafe_call_that_was_cut_off_is_reported_and_never_run_again(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("please check"), tools=[counting("unsafe", effects)])

    outcome = seen.play("go", Killer("commit tool.done", "before"))

    assert len(effects) == 1
    assert INTERRUPTED in model_saw(seen)
    assert outcome["text"] == "please check"
    head = seen.fleet.outside.inventory.head("T1/C1/1700000000.000100")
    assert head is not None
    assert [item for item in head.rest if item.startswith("unknown:")]


@pytest.mark.clause("STEP-4", "TOOL-1")
def test_a_safe_call_that_was_cut_off_runs_again(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("done"), tools=[counting("safe", effects)])

    seen.play("go", Killer("commit tool.done", "before"))

    assert len(effects) == 2


@pytest.mark.clause("STEP-4", "TOOL-1")
def test_an_idempotent_call_that_was_cut_off_runs_again_under_the_same_key(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("done"), tools=[counting("idempotent", effects)])

    seen.play("go", Killer("commit tool.done", "before"))

    assert len(effects) == 2
    assert effects[0] == effects[1]


@pytest.mark.clause("TOOL-4", "TOOL-5")
def test_of_a_batch_only_the_unsettled_call_goes_on_and_the_results_keep_their_order(world: Make) -> None:
    effects: list[str] = []
    tools = [counting("safe", effects, "first"), counting("unsafe", effects, "second")]
    wanted = calls(("first", {"what": "a"}), ("second", {"what": "b"}), ids=["x1", "x2"])
    seen = world(wanted, says("done"), tools=tools)

    seen.play("go", Killer("commit tool.done", "after"))

    assert [line.split()[-1] for line in effects] in (["a"], ["a", "b"])
    last = seen.fleet.model.asked[-1].messages[-1]
    assert [block["tool_use_id"] for block in last["content"]] == ["x1", "x2"]


@pytest.mark.clause("TOOL-5")
def test_empty_and_repeated_call_ids_are_made_unique_once(world: Make) -> None:
    effects: list[str] = []
    twice = calls(("act", {"what": "a"}), ("act", {"what": "b"}), ("act", {"what": "c"}), ids=["x", "x", ""])
    seen = world(twice, says("done"), tools=[counting("safe", effects)])

    seen.play("go", Killer("commit model.done", "after"))

    sent = [block["id"] for block in seen.fleet.model.asked[-1].messages[1]["content"]]
    assert sent == ["x", "x-2", "call_0_2"]
    assert sent == [block["tool_use_id"] for block in seen.fleet.model.asked[-1].messages[2]["content"]]


@pytest.mark.clause("TOOL-8")
def test_a_call_cut_short_by_max_tokens_is_not_run(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {}), stop="max_tokens"), says("done"), tools=[counting("unsafe", effects)])

    assert seen.play("go")["text"] == "done"

    assert effects == []
    assert "Not run: the answer ended with max_tokens" in model_saw(seen)


@pytest.mark.clause("TOOL-6")
def test_arguments_that_do_not_fit_run_nothing_and_the_model_is_told(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {"wrong": 1})), says("done"), tools=[counting("unsafe", effects)])

    seen.play("go")

    assert effects == []
    assert "its arguments do not fit" in model_saw(seen)


@pytest.mark.clause("TOOL-6")
def test_a_tool_that_is_not_there_is_answered_and_nothing_runs(world: Make) -> None:
    seen = world(calls(("nothing", {})), says("done"))

    assert seen.play("go")["text"] == "done"
    assert "there is no tool 'nothing' here" in model_saw(seen)


@pytest.mark.clause("STEP-4")
def test_a_failed_call_fails_the_same_way_after_a_crash(world: Make) -> None:
    tries: list[int] = []

    @tool(replay="unsafe")
    def refuse(context: ToolContext) -> str:
        """Refuse."""
        tries.append(1)
        raise ToolError("no room", code="full", status=507, retryable=True, retry_after=9.0, data={"free": 0})

    seen = world(calls(("refuse", {})), says("done"), tools=[refuse])
    seen.play("go", Killer("model", "before", nth=2))

    assert len(tries) == 1
    failed = next(record for record in seen.log if record.state == "failed")
    assert failed.body["error"] == {
        "name": "ToolError",
        "message": "no room",
        "code": "full",
        "status": 507,
        "retryable": True,
        "retry_after": 9.0,
        "data": {"free": 0},
    }
    block = seen.fleet.model.asked[-1].messages[-1]["content"][0]
    assert (block["content"], block["is_error"]) == ("no room", True)


@pytest.mark.clause("STEP-3")
def test_state_of_a_failed_call_is_not_kept_and_that_of_a_replayed_one_not_kept_twice(world: Make) -> None:
    @tool(replay="safe")
    def note(context: ToolContext, text: str, fail: bool = False) -> str:
        """Note."""
        context.append_state("notes", text)
        if fail:
            raise ToolError("failed after all")
        return "noted"

    both = calls(("note", {"text": "kept"}), ("note", {"text": "lost", "fail": True}))
    seen = world(both, says("done"), tools=[note])
    seen.play("go", Killer("model", "before", nth=2))

    with seen.fleet.virtual_time():
        assert seen.fleet.outside.workspace.state("T1", "notes") == ["kept"]


@pytest.mark.clause("STEP-5")
def test_control_flow_is_not_swallowed_by_a_tool_and_not_recorded_as_a_failure(world: Make) -> None:
    worlds: list[World] = []

    @tool(replay="safe")
    def careless(context: ToolContext) -> str:
        """Catch everything."""
        if worlds[0].tenures == 0 and not context.ending():
            worlds[0].tenures = -1
            try:
                raise_suspended()
            except Exception:
                return "swallowed"
        return "went on"

    seen = world(calls(("careless", {})), says("done"), tools=[careless])
    worlds.append(seen)
    outcome = seen.play("go")

    assert outcome["text"] == "done"
    assert "swallowed" not in model_saw(seen)
    assert not [record for record in seen.log if record.kind == "tool" and record.state == "failed"]


def raise_suspended() -> None:
    from store.errors import RunSuspended

    raise RunSuspended("in the middle of a tool")


@pytest.mark.clause("STEP-7")
def test_the_verdict_on_a_failed_model_call_is_recorded_and_taken_again(world: Make) -> None:
    refused = ModelError("no such model", kind="invalid", status=404)
    seen = world(refused)

    outcome = seen.play("go", Killer("commit model.failed", "after"))

    assert outcome["status"] == "failed"
    assert len(seen.fleet.model.asked) == 1


@pytest.mark.clause("STEP-7", "RUN-17")
def test_a_busy_model_is_asked_again_after_the_time_it_asked_for(world: Make) -> None:
    seen = world([ModelError("overloaded", kind="busy", retry_after=7.0), says("done")])

    outcome = seen.play("go")

    assert outcome["text"] == "done"
    failed = next(record for record in seen.log if record.kind == "model" and record.state == "failed")
    assert (failed.body["verdict"], failed.body["delay"]) == ("retry", 7.0)


@pytest.mark.clause("RUN-17", "RUN-8")
def test_an_outage_of_the_model_leaves_the_run_owed_and_counts_against_nobody(world: Make) -> None:
    down = [ModelError("down", kind="network") for _ in range(12)]
    seen = world([*down, says("done")], limits=Limits(model_attempts=2, look_again=30))

    outcome = seen.play("go")

    assert outcome["status"] == "completed"
    assert seen.tenures == 7


@pytest.mark.clause("RUN-8")
def test_a_run_that_kills_every_worker_is_parked_after_three_fruitless_resumes(world: Make) -> None:
    deaths: list[int] = []
    seen = world(calls(("poison", {})), says("never"), tools=[])

    @tool(replay="safe")
    def poison(context: ToolContext) -> str:
        """Kill the worker."""
        deaths.append(1)
        member = seen.fleet.members[-1]
        member.process.dead = True
        member.process.check()
        return "alive"

    seen.fleet.agent = type(seen.fleet.agent)((poison,), "m")
    seen.play("go")

    head = seen.fleet.outside.inventory.head("T1/C1/1700000000.000100")
    assert head is not None
    assert head.status == "parked"
    assert len(deaths) == 4
    run = seen.log[0].run
    assert seen.fleet.slack.standing(run)[0].views[-1].note.startswith("I was cut off 4 times in a row")


@pytest.mark.clause("STREAM-2", "USAGE-1")
def test_a_model_call_cut_off_by_a_crash_is_made_again_and_the_footer_says_so(world: Make) -> None:
    seen = world(says("done"))

    outcome = seen.play("go", Killer("model", "after"))

    assert len(seen.fleet.model.asked) == 2
    assert "1 model call was cut off and may be billed twice" in outcome["footer"]
    assert outcome["usage"] == [100, 10, 0, 0, True]


@pytest.mark.clause("USAGE-1")
def test_an_attempt_that_was_billed_but_unusable_counts(world: Make) -> None:
    cut = ModelError("cut", kind="network", usage=Usage(50, 5, estimated=True))
    seen = world([cut, says("done")])

    outcome = seen.play("go")

    assert outcome["usage"] == [150, 15, 0, 0, True]


@pytest.mark.clause("RUN-6")
def test_waking_a_settled_thread_runs_nothing_and_its_outcome_stays(world: Make) -> None:
    seen = world(says("done"))
    outcome = seen.play("go")

    with seen.fleet.virtual_time():
        seen.fleet.baton.run(seen.fleet.host.process, lambda: seen.fleet.host.work("T1/C1/1700000000.000100"))
        again = seen.fleet.outside.admissions.outcome("T1", outcome["run"])

    assert again == outcome
    assert len(seen.fleet.model.asked) == 1


@pytest.mark.clause("RUN-11")
def test_a_crash_after_the_settlement_repeats_the_delivery_and_chooses_nothing_anew(world: Make) -> None:
    seen = world(says("done"))

    outcome = seen.play("go", Killer("edit", "before"))

    assert outcome["text"] == "done"
    assert [record.kind for record in seen.log].count("settled") == 1
    assert len(seen.fleet.model.asked) == 1
    assert seen.fleet.slack.standing(outcome["run"])[0].views[-1].text == "done"


@pytest.mark.clause("REPLY-2")
def test_a_post_whose_outcome_was_lost_is_found_again_and_adopted(world: Make) -> None:
    seen = world(says("done"))

    outcome = seen.play("go", Killer("post", "after"))

    assert len(seen.fleet.slack.posts) - len(seen.fleet.slack.standing(outcome["run"], "done")) == 1


@pytest.mark.clause("STEER-1", "STEER-2", "ADMIT-4")
def test_messages_sent_while_a_run_works_are_answered_in_order_after_it(world: Make) -> None:
    seen = world(says("one"), says("two"), says("three"))

    seen.play("first", Killer("commit #settled.done", "after"), more=["second", "third"])

    answers = [record.body["text"] for record in seen.log if record.kind == "settled"]
    assert answers == ["one", "two", "three"]
    asked = [request.messages[-1]["content"][0]["text"].split(": ")[1] for request in seen.fleet.model.asked]
    assert list(dict.fromkeys(asked)) == ["first", "second", "third"]


@pytest.mark.clause("ACCESS-2")
def test_at_the_daily_spending_stop_the_run_parks_and_says_so(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("never"), tools=[counting("safe", effects)], limits=Limits(daily_spend=100))

    seen.play("go")

    head = seen.fleet.outside.inventory.head("T1/C1/1700000000.000100")
    assert head is not None
    assert head.status == "parked"
    view = seen.fleet.slack.posts[0].views[-1]
    assert "spending stop" in view.note
    assert len(seen.fleet.model.asked) == 1


@pytest.mark.clause("RUN-4", "RUN-14")
def test_a_resumed_run_keeps_the_definition_it_started_with(world: Make) -> None:
    seen = world(calls(("act", {})), says("done"), tools=[counting("safe", [])])

    class Changing(Killer):
        def __call__(self, call: str, side: str) -> None:
            if (call, side) == ("model", "before"):
                seen.fleet.agent = type(seen.fleet.agent)(seen.fleet.agent.tools, "another-model", system="changed")
            super().__call__(call, side)

    seen.play("go", Changing("model", "before", nth=2))

    assert {request.model for request in seen.fleet.model.asked} == {"m"}
    assert len({request.system for request in seen.fleet.model.asked}) == 1


@pytest.mark.clause("STEP-8")
def test_damaged_text_is_replaced_once_and_the_thread_stays_usable(world: Make) -> None:
    seen_live: list[str] = []

    @tool(replay="safe")
    def damaged(context: ToolContext, text: str) -> str:
        """Answer with damage."""
        seen_live.append(text)
        return "out \ud83d\x00 put"

    seen = world(calls(("damaged", {"text": "in \ud83d"})), says("done \udc00"), tools=[damaged])
    outcome = seen.play("half \ud83d a character", Killer("model", "before", nth=2))

    mark = "\N{REPLACEMENT CHARACTER}"
    assert outcome["text"] == f"done {mark}"
    assert seen_live == [f"in {mark}"]
    block = seen.fleet.model.asked[-1].messages[-1]["content"][0]
    assert block["content"] == f"out {mark}{mark} put"
    assert f"half {mark} a character" in model_saw(seen)


@pytest.mark.clause("STOP-1", "RUN-10")
def test_a_parked_run_can_be_stopped_for_good(world: Make) -> None:
    seen = world(says("never"), limits=Limits(daily_spend=1))

    def act() -> None:
        fleet, thread = seen.fleet, "T1/C1/1700000000.000100"
        fleet.say(thread, "hello", n=1)
        spent = fleet.host.store.leases.claim(thread, "someone")
        fleet.host.store.log.commit(spent.lease, Commit("x", spend=5))
        fleet.host.store.leases.release(spent.lease, idle=False)
        fleet.work_off(thread)
        assert fleet.host.store.admissions.stop(thread, "r1", "U2") == "stopping"
        fleet.work_off(thread)

    seen.fleet.run(act)

    with seen.fleet.virtual_time():
        outcome = seen.fleet.outside.admissions.outcome("T1", "r1")
        head = seen.fleet.outside.inventory.head("T1/C1/1700000000.000100")
    assert outcome is not None
    assert (outcome["status"], outcome["by"]) == ("aborted", "U2")
    assert head is not None
    assert (list(head.rest), list(head.due)) == ([], [])
