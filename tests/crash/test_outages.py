"""Services that fail: what a run does when Claude, Slack or Redis does not do its part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from playground.simulation.fleet import Member
from store.ports import ModelAnswer, ModelError, ReplyError, Usage
from tests.crash.conftest import THREAD, Killer, World, calls, says
from tests.crash.moments import At, Make, later, raising, replies, stop
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, tool


class Always:
    """Refuses a call while a condition holds."""

    def __init__(self, call: str, error: Exception, while_: Callable[[], bool]) -> None:
        self.call, self.error, self.while_ = call, error, while_
        self.member: Member | None = None

    def __call__(self, call: str, side: str) -> None:
        if side == "before" and set(self.call.split()) <= set(call.split()) and self.while_():
            raise self.error


def stubborn(worlds: list[World], seconds: float, ran: list[int]) -> Tool:
    """A tool that never looks whether it shall end."""

    @tool(replay="unsafe")
    def work(context: ToolContext) -> str:
        """Take time."""
        ran.append(1)
        worlds[0].fleet.members[-1].threads.sleep(seconds)
        return "finished"

    return work


@pytest.mark.clause("RUN-17")
@pytest.mark.parametrize("kind", ["credentials", "billing"])
def test_a_model_account_that_needs_an_operator_parks_the_run(world: Make, kind: Any) -> None:
    seen = world(ModelError("the key was revoked", kind=kind, status=401))

    seen.play("go")

    head = seen.fleet.outside.inventory.head(THREAD)
    assert head is not None
    assert (head.status, [item.partition(":")[0] for item in head.rest]) == ("parked", ["parked"])
    assert "needs an operator: the key was revoked" in replies(seen)[0].views[-1].note


@pytest.mark.clause("RUN-17")
@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("closed", "undeliverable"),
        ("payload", "undeliverable"),
        ("busy", "delivered"),
        ("credentials", "delivered"),
    ],
)
def test_a_reply_that_slack_refuses_for_good_or_for_a_while_does_not_change_the_outcome(
    world: Make, kind: Any, how: str
) -> None:
    seen = world(says("done"))
    began = seen.fleet.baton.time
    refusing = Always(
        "edit",
        ReplyError("no", kind=kind, retry_after=20.0),
        lambda: how == "undeliverable" or seen.fleet.baton.time < began + 60,
    )

    outcome = seen.play("go", *[refusing] * 10)

    assert (outcome["status"], outcome["text"]) == ("completed", "done")
    assert [record.body["how"] for record in seen.log if record.kind == "delivered"] == [how]
    assert len(seen.fleet.model.asked) == 1


@pytest.mark.clause("REPLY-2")
def test_a_post_that_slack_took_without_answering_is_adopted_in_the_same_tenure(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 15

    seen.play("go", At("post", "after", raising(ReplyError("no answer", kind="lost"))))

    assert (len(replies(seen)), seen.tenures) == (1, 1)
    assert replies(seen)[0].views[-1].text == "done"


@pytest.mark.clause("REPLY-2")
def test_a_twin_that_appears_late_is_deleted(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 30
    slack = seen.fleet.slack

    def appear(_member: Member) -> None:
        twin = type(slack.posts[0])("1800000999.000000", slack.posts[0].run, "reply", list(slack.posts[0].views))
        slack.posts.append(twin)

    seen.play("go", Killer("post", "after"), At("find", "after", appear))

    run = slack.posts[0].run
    assert len(slack.standing(run)) == 1
    assert slack.standing(run)[0].views[-1].text == "done"


@pytest.mark.clause("STOP-1")
def test_a_tool_that_will_not_end_is_left_behind_soon_after_a_stop(world: Make) -> None:
    worlds: list[World] = []
    ran: list[int] = []
    seen = world(calls(("work", {})), says("never"), tools=[stubborn(worlds, 600, ran)])
    worlds.append(seen)
    began: list[float] = []

    def press(member: Member) -> None:
        began.append(seen.fleet.baton.time)
        later(member, 5, stop(seen))

    outcome = seen.play("go", At("commit model.done", "after", press))

    settled = next(record for record in seen.log if record.kind == "settled")
    assert (outcome["status"], ran) == ("aborted", [1])
    assert settled.at - began[0] < 9
    assert [record.state for record in seen.log if record.kind == "tool"] == ["pending", "interrupted"]


@pytest.mark.clause("RUN-9")
def test_a_tool_that_will_not_end_is_left_behind_before_the_grace_is_over(world: Make) -> None:
    worlds: list[World] = []
    ran: list[int] = []
    seen = world(calls(("work", {})), says("check"), tools=[stubborn(worlds, 600, ran)])
    worlds.append(seen)
    released: list[float] = []

    def deploy(member: Member) -> None:
        began = seen.fleet.baton.time
        member.drain.begin()

        def note() -> None:
            released.append(seen.fleet.baton.time - began)

        later(member, 19.6, note)

    seen.play("go", At("commit model.done", "after", lambda member: later(member, 1, lambda: deploy(member))))

    assert ran == [1]
    assert [record.state for record in seen.log if record.kind == "tool"] == ["pending", "interrupted"]
    assert [record.body["text"] for record in seen.log if record.kind == "settled"] == ["check"]


@pytest.mark.clause("RUN-17", "LEASE-1")
def test_with_the_store_away_for_longer_than_the_lease_nothing_is_saved_and_another_goes_on(world: Make) -> None:
    seen = world(says("done"))
    began = seen.fleet.baton.time

    def away() -> bool:
        return seen.fleet.baton.time < began + 40

    class CutOff(Always):
        def __call__(self, call: str, side: str) -> None:
            if call.split()[0] not in ("model", "post", "edit", "find"):
                super().__call__(call, side)

    cut_off = CutOff("", RedisConnectionError("away"), lambda: seen.log != [] and away())
    outcome: dict[str, Any] = {}

    def act() -> None:
        said = seen.fleet.say(THREAD, "go")
        worker = seen.fleet.member("cut-off", cut_off)
        task = seen.fleet.baton.start(worker.process, "work", lambda: worker.work(THREAD))
        task.join()
        assert task.raised is None
        seen.fleet.host.threads.sleep(60)
        seen.fleet.work_off(THREAD)
        outcome.update(seen.fleet.host.store.admissions.outcome("T1", said.run) or {})

    seen.fleet.run(act)

    assert outcome["text"] == "done"
    names = [(str(record.key), record.state) for record in seen.log]
    assert len(names) == len(set(names))


@pytest.mark.clause("RUN-11")
@pytest.mark.parametrize(
    ("stop_reason", "status", "words"),
    [
        ("refusal", "failed", "declined"),
        ("model_context_window_exceeded", "failed", "too long for the model"),
        ("max_tokens", "completed", "cut at its length limit"),
        ("end_turn", "completed", ""),
        ("stop_sequence", "completed", ""),
    ],
)
def test_each_way_an_answer_can_end_is_one_commit_with_the_outcome(
    world: Make, stop_reason: str, status: str, words: str
) -> None:
    seen = world(says("so far", stop=stop_reason))
    ends: list[str] = []

    class Noting(At):
        def __call__(self, call: str, side: str) -> None:
            if side == "after" and "#settled.done" in call:
                ends.append(call)

    outcome = seen.play("go", Noting("", "", lambda _member: None))

    assert (outcome["status"], words in outcome["note"]) == (status, True)
    assert len(ends) == 1
    assert "model.done" in ends[0]


def test_an_answer_that_was_paused_by_the_service_goes_on_in_the_next_turn(world: Make) -> None:
    paused = ModelAnswer([{"type": "text", "text": "let me"}], "pause_turn", Usage(1, 1), "m")
    seen = world(paused, says("done"))

    assert seen.play("go")["text"] == "done"
    assert len(seen.fleet.model.asked) == 2


@pytest.mark.clause("USAGE-1")
def test_what_a_run_cost_is_counted_once_in_the_workspace_whatever_crashed(world: Make) -> None:
    @tool(replay="safe")
    def act(context: ToolContext) -> str:
        """Act."""
        return "acted"

    seen = world(calls(("act", {})), says("done"), tools=[act])
    outcome = seen.play("go", Killer("commit model.done", "after"), Killer("commit #settled.done", "after"))

    assert (outcome["cost"], outcome["usage"][:2]) == (220, [200, 20])
    with seen.fleet.virtual_time():
        assert seen.fleet.outside.workspace.spent_today("T1") == 220


@pytest.mark.clause("RUN-17")
@pytest.mark.parametrize(
    "fault",
    [
        At("model", "before", raising(RuntimeError("a bug of ours"))),
        At("commit model.done", "before", raising(RedisConnectionError("gone"))),
        At("post", "before", raising(ReplyError("busy", kind="busy"))),
        At("post", "after", raising(ReplyError("no answer", kind="lost"))),
        At("edit", "before", raising(ReplyError("expired", kind="credentials"))),
    ],
    ids=lambda gate: f"{gate.call} {gate.side}",
)
def test_a_fault_of_a_service_or_of_ours_does_not_fail_a_run(world: Make, fault: At) -> None:
    seen = world(says("done"))

    outcome = seen.play("go", At(fault.call, fault.side, fault.do))

    assert outcome["text"] == "done"
    assert len([post for post in replies(seen) if not post.deleted]) == 1
    assert replies(seen)[0].views[-1].text == "done"


@pytest.mark.clause("STEP-6")
@pytest.mark.parametrize("commit", ["#start.done", "model.done", "tool.done", "#settled.done"])
def test_a_commit_whose_answer_was_lost_is_sent_again_and_lands_once(world: Make, commit: str) -> None:
    effects: list[int] = []

    @tool(replay="unsafe")
    def act(context: ToolContext) -> str:
        """Act."""
        effects.append(1)
        return "acted"

    seen = world(calls(("act", {})), says("done"), tools=[act])
    lost = At(f"commit {commit}", "after", raising(RedisConnectionError("no answer")))
    outcome = seen.play("go", lost)

    names = [(str(record.key), record.state) for record in seen.log]
    assert len(names) == len(set(names))
    assert (outcome["text"], seen.tenures, len(effects)) == ("done", 1, 1)
    assert set(seen.fleet.model.billed.values()) == {1}
