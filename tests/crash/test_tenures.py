"""A tenure's time: long calls, deploys, stops, messages in between, and owners that come back too late."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from playground.simulation.doubles import Posted
from playground.simulation.fleet import Member
from store.errors import StaleEpochError, TenureOver
from store.ports import ModelAnswer, ModelError, ReplyError, Usage
from store.redis.keyspace import thread_keys
from tests.crash.conftest import THREAD, Killer, World, calls, says
from worker.agent import Agent
from worker.door import Door
from worker.services import Limits
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, tool

Make = Callable[..., World]


class At:
    """Does something at the n-th such call, before or after it takes effect."""

    def __init__(self, call: str, side: str, do: Callable[[Member], None], nth: int = 1) -> None:
        self.call, self.side, self.do, self.nth = call, side, do, nth
        self.member: Member | None = None

    def __call__(self, call: str, side: str) -> None:
        if side == self.side and set(self.call.split()) <= set(call.split()):
            self.nth -= 1
            if self.nth == 0:
                assert self.member is not None
                self.do(self.member)


def raising(error: Exception) -> Callable[[Member], None]:
    def do(_member: Member) -> None:
        raise error

    return do


def slow(worlds: list[World], seconds: float, ran: list[str], name: str = "slow", replay: str = "unsafe") -> Tool:
    """A tool that takes virtual seconds, and leaves early when it sees that it shall end."""

    @tool(replay=replay, name=name)  # type: ignore[arg-type]
    def work(context: ToolContext, patient: bool = True) -> str:
        """Take time."""
        ran.append(name)
        threads = worlds[0].fleet.members[-1].threads
        if patient:
            threads.sleep(seconds)
            return "slept"
        for n in range(int(seconds * 2)):
            if context.ending():
                return f"left after {n / 2:.1f} s"
            threads.sleep(0.5)
        return "stayed to the end"

    return work


def later(member: Member, seconds: float, do: Callable[[], Any]) -> None:
    """Do something from outside after so many virtual seconds."""
    host = member.fleet.host

    def wait() -> None:
        host.threads.sleep(seconds)
        do()

    member.fleet.baton.start(host.process, "later", wait)


def stop(world: World, by: str = "U2") -> Callable[[], Any]:
    return lambda: world.fleet.host.store.admissions.stop(THREAD, world.log[0].run, by)


def replies(world: World, part: str = "reply") -> list[Posted]:
    return [post for post in world.fleet.slack.posts if post.part == part]


@pytest.fixture
def slow_world(world: Make) -> Callable[..., tuple[World, list[str]]]:
    """A run whose first turn calls a tool that takes its time."""

    def make(seconds: float, *, patient: bool = True, **more: Any) -> tuple[World, list[str]]:
        worlds: list[World] = []
        ran: list[str] = []
        answers = more.pop("answers", [calls(("slow", {"patient": patient})), says("done")])
        seen = world(*answers, tools=[slow(worlds, seconds, ran)], **more)
        worlds.append(seen)
        return seen, ran

    return make


@pytest.mark.clause("LEASE-3")
def test_the_lease_is_kept_while_a_tool_runs_four_times_as_long(slow_world: Any) -> None:
    seen, ran = slow_world(60)

    outcome = seen.play("go")

    assert (outcome["text"], seen.tenures, ran) == ("done", 1, ["slow"])


@pytest.mark.clause("LEASE-3")
def test_the_lease_is_kept_while_the_model_answers_for_minutes(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 300

    assert seen.play("go")["text"] == "done"
    assert seen.tenures == 1


@pytest.mark.clause("LEASE-3")
def test_a_tool_that_holds_the_interpreter_is_warned_of(world: Make, caplog: pytest.LogCaptureFixture) -> None:
    worlds: list[World] = []

    @tool(replay="safe")
    def compute(context: ToolContext) -> str:
        """Let nobody else run for 12 s."""
        worlds[0].fleet.baton.time += 12
        worlds[0].fleet.members[-1].threads.sleep(0.1)
        return "computed"

    seen = world(calls(("compute", {})), says("done"), tools=[compute])
    worlds.append(seen)
    seen.play("go")

    assert "should be @tool(isolate=True)" in caplog.text


@pytest.mark.clause("RUN-9")
def test_at_a_deploy_no_new_call_starts_and_the_next_worker_goes_on_in_order(world: Make) -> None:
    effects: list[str] = []

    @tool(replay="unsafe")
    def act(context: ToolContext) -> str:
        """Act."""
        effects.append(seen.fleet.members[-1].process.name)
        return "acted"

    seen = world(calls(("act", {})), says("done"), tools=[act])
    outcome = seen.play("go", At("commit model.done", "after", lambda member: member.drain.begin()))  # type: ignore[arg-type]

    assert (outcome["text"], seen.tenures, len(effects)) == ("done", 2, 1)
    assert effects[0] == seen.fleet.members[-1].process.name
    assert not [record for record in seen.log if record.state == "interrupted"]
    assert "survived 1 restart" in outcome["footer"]
    assert set(seen.fleet.model.billed.values()) == {1}


@pytest.mark.clause("RUN-9")
@pytest.mark.parametrize(("takes", "cut"), [(11, False), (60, True)])
def test_at_a_deploy_a_stream_runs_until_eight_seconds_before_the_end(world: Make, takes: float, cut: bool) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = takes
    began: list[float] = []
    ended: list[float] = []

    def deploy(member: Member) -> None:
        began.append(seen.fleet.baton.time)
        member.drain.begin()
        member.drain.begin()

    def note(_member: Member) -> None:
        ended.append(seen.fleet.baton.time)
        seen.fleet.model.takes = 0

    gate = Both(At("model", "before", deploy), At("release", "after", note))
    assert seen.play("go", gate)["text"] == "done"  # type: ignore[arg-type]

    assert len(seen.fleet.model.asked) == (2 if cut else 1)
    assert ended[0] - began[0] == pytest.approx(12 if cut else takes, abs=1)


class Both:
    """Two gates of one member."""

    def __init__(self, *gates: At) -> None:
        self._gates = gates

    @property
    def member(self) -> Member | None:
        return self._gates[0].member

    @member.setter
    def member(self, member: Member) -> None:
        for gate in self._gates:
            gate.member = member

    def __call__(self, call: str, side: str) -> None:
        for gate in self._gates:
            gate(call, side)


@pytest.mark.clause("TOOL-9", "STOP-1")
def test_a_running_tool_sees_that_somebody_pressed_stop(slow_world: Any) -> None:
    seen, _ = slow_world(100, patient=False)
    said: list[str] = []
    press = At("commit model.done", "after", lambda member: later(member, 5, stop(seen)))
    seen.fleet.slack.said = []

    outcome = seen.play("go", press)

    assert (outcome["status"], outcome["by"]) == ("aborted", "U2")
    said = [str(record.body["output"]) for record in seen.log if record.kind == "tool" and record.state == "done"]
    assert said in (["left after 5.0 s"], ["left after 5.5 s"])


@pytest.mark.clause("TOOL-9", "RUN-9")
def test_a_running_tool_sees_that_its_process_is_about_to_end(slow_world: Any) -> None:
    seen, ran = slow_world(100, patient=False)

    def deploy(member: Member) -> None:
        later(member, 5, member.drain.begin)

    outcome = seen.play("go", At("commit model.done", "after", deploy))

    assert (outcome["text"], seen.tenures, ran) == ("done", 2, ["slow"])
    assert [record.body["output"] for record in seen.log if record.kind == "tool" and record.state == "done"] in (
        ["left after 5.0 s"],
        ["left after 5.5 s"],
    )


@pytest.mark.clause("TOOL-9", "LEASE-1")
def test_a_running_tool_sees_that_its_lease_is_somebody_elses_and_saves_nothing(slow_world: Any) -> None:
    seen, _ = slow_world(100, patient=False)
    stolen: list[str] = []

    def steal(member: Member) -> None:
        def act() -> None:
            member.fleet.host.store.leases.bury(member.owner)
            stolen.append(member.fleet.host.store.leases.claim(THREAD, "boot:thief:0:y").lease.epoch)

        later(member, 5, act)

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        worker = seen.fleet.member("victim", At("commit model.done", "after", steal))
        seen.fleet.baton.start(worker.process, "work", partial(worker.work, THREAD)).join()

    seen.fleet.run(act)

    assert len(stolen) == 1
    assert not [record for record in seen.log if record.kind == "tool" and record.state != "pending"]
    assert "settled" not in [record.kind for record in seen.log]


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

    outcome = seen.play("go", At("model", "before", press))  # type: ignore[arg-type]

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
    outcome = seen.play("go", At("model", "after", lambda _member: stop(seen)()))  # type: ignore[arg-type]

    assert (outcome["status"], effects) == ("aborted", [])


@pytest.mark.clause("RUN-11", "STOP-1")
def test_a_stop_that_comes_just_before_the_settlement_wins_and_what_was_billed_stays(world: Make) -> None:
    seen = world(says("done"))

    outcome = seen.play("go", At("commit #settled.done", "before", lambda _member: stop(seen)()))  # type: ignore[arg-type]

    assert (outcome["status"], outcome["by"], outcome["usage"]) == ("aborted", "U2", [100, 10, 0, 0, False])
    assert [record.body["status"] for record in seen.log if record.kind == "settled"] == ["aborted"]


@pytest.mark.clause("RUN-11", "STOP-1")
def test_a_stop_that_comes_just_before_a_failure_is_recorded_wins_as_well(world: Make) -> None:
    seen = world(ModelError("no such model", kind="invalid"))

    outcome = seen.play("go", At("commit #settled.done", "before", lambda _member: stop(seen)()))  # type: ignore[arg-type]

    assert (outcome["status"], outcome["by"], seen.tenures) == ("aborted", "U2", 1)


@pytest.mark.clause("STOP-1", "RUN-11")
def test_a_stop_after_the_settlement_comes_too_late(world: Make) -> None:
    seen = world(says("done"))
    heard: list[str] = []

    outcome = seen.play("go", At("commit #settled.done", "after", lambda _member: heard.append(stop(seen)())))  # type: ignore[arg-type]

    assert (outcome["text"], heard) == ("done", ["over"])


@pytest.mark.clause("STEER-2", "STEER-1")
def test_a_message_in_the_middle_of_a_long_call_is_answered_after_it(slow_world: Any) -> None:
    seen, ran = slow_world(60, answers=[calls(("slow", {})), says("one"), says("two")])

    def say(member: Member) -> None:
        later(member, 5, lambda: seen.fleet.say(THREAD, "and this?", n=2))

    seen.play("go", At("commit model.done", "after", say))

    assert [record.body["text"] for record in seen.log if record.kind == "settled"] == ["one", "two"]
    assert (seen.tenures, ran) == (1, ["slow"])


@pytest.mark.clause("WORK-2")
def test_two_wakes_for_one_thread_make_one_tenure(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 5

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        pair = [seen.fleet.member(name) for name in ("first", "second")]
        tasks = [seen.fleet.baton.start(one.process, "work", partial(one.work, THREAD)) for one in pair]
        for task in tasks:
            task.join()
        assert [task.raised for task in tasks] == [None, None]

    seen.fleet.run(act)

    assert len(seen.fleet.model.asked) == 1
    assert [record.kind for record in seen.log].count("settled") == 1


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

    outcome = seen.play("go", At(fault.call, fault.side, fault.do))  # type: ignore[arg-type]

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
    outcome = seen.play("go", lost)  # type: ignore[arg-type]

    names = [(str(record.key), record.state) for record in seen.log]
    assert len(names) == len(set(names))
    assert (outcome["text"], seen.tenures, len(effects)) == ("done", 1, 1)
    assert set(seen.fleet.model.billed.values()) == {1}


@pytest.mark.clause("LEASE-4")
def test_an_owner_that_took_over_writes_the_final_state_again_ten_seconds_later(world: Make) -> None:
    seen = world(says("done"))
    times: list[float] = []

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        frozen = seen.fleet.member("frozen", Killer("model", "before"))
        seen.fleet.baton.start(frozen.process, "work", partial(frozen.work, THREAD)).join()
        wait = seen.fleet.owed_in(THREAD)
        assert wait == pytest.approx(15, abs=1)
        seen.fleet.host.threads.sleep(wait)
        took_over = seen.fleet.baton.time
        for name in ("second", "third"):
            worker = seen.fleet.member(name)
            seen.fleet.baton.start(worker.process, "work", partial(worker.work, THREAD)).join()
            times.append(seen.fleet.baton.time - took_over)
            seen.fleet.host.threads.sleep(seen.fleet.owed_in(THREAD) or 0)

    seen.fleet.run(act)

    final = [view for view in replies(seen)[0].views if view.text == "done" and view.footer]
    assert len(final) == 2
    assert times[0] < 2 < 10 <= times[1]
    assert [record.kind for record in seen.log].count("delivered") == 1


@pytest.mark.clause("LEASE-4")
def test_no_call_to_the_outside_begins_after_the_lapse_and_its_timeout_ends_before_it(slow_world: Any) -> None:
    seen, _ = slow_world(1)
    allowances: list[float] = []
    refused: list[BaseException] = []

    def act() -> None:
        host = seen.fleet.host
        seen.fleet.say(THREAD, "go")
        lease = host.store.leases.claim(THREAD, "boot:host:0:x").lease
        door = Door(host.services, lease, {}, 0, fruitless=False)
        for pause in (0.0, 5.0, 8.0):
            host.threads.sleep(pause)
            allowances.append(door.allowance(30.0))
        host.threads.sleep(30)
        for _ in range(2):
            try:
                door.allowance(30.0)
            except StaleEpochError as error:
                refused.append(error)
        door.close()
        try:
            door.allowance(30.0)
        except TenureOver as error:
            refused.append(error)

    seen.fleet.run(act)

    assert allowances == pytest.approx([14.0, 9.0, 14.0], abs=0.1)
    assert len(refused) == 3


@pytest.mark.clause("LOG-2")
def test_a_record_of_a_newer_build_changes_nothing_and_leaves_the_thread_owed(world: Make) -> None:
    import fakeredis

    seen = world(says("never"))
    raw = fakeredis.FakeRedis(server=seen.fleet.server, decode_responses=True)
    (log,) = thread_keys(THREAD, "log")
    newer = '{"v":2,"kind":"start"}'

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        raw.rpush(log, newer)
        worker = seen.fleet.member("old")
        seen.fleet.baton.start(worker.process, "work", partial(worker.work, THREAD)).join()

    seen.fleet.run(act)

    assert raw.lrange(log, 0, -1) == [newer]
    assert seen.fleet.model.asked == []
    with seen.fleet.virtual_time():
        head = seen.fleet.outside.inventory.head(THREAD)
        wait = seen.fleet.owed_in(THREAD)
    assert head is not None
    assert (head.queued, head.deaths, head.owner) == (1, 0, "")
    assert wait == pytest.approx(60, abs=1)


@pytest.mark.clause("RUN-4")
def test_the_time_budget_carries_over_a_crash(slow_world: Any) -> None:
    again = calls(("slow", {}))
    seen, ran = slow_world(30, answers=[again, again, again, says("never")], max_active=80.0)

    outcome = seen.play("go", Killer("model", "before", nth=2))

    assert (outcome["status"], outcome["code"]) == ("failed", "max_active")
    assert ran == ["slow"] * 3


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

    seen.play("go", Killer("commit tool.done", "after"))  # type: ignore[arg-type]

    shown = {(call.title, call.state, call.resumed) for view in replies(seen)[0].views for call in view.calls}
    assert ("long", "running", True) in shown
    assert ("quick", "done", False) in shown
    assert not [title for title, _, resumed in shown if resumed and title == "quick"]


@pytest.mark.clause("REPLY-1")
@pytest.mark.parametrize(("takes", "posts"), [(5, 0), (70, 1)])
def test_a_run_of_over_a_minute_ends_with_a_post_that_notifies(world: Make, takes: float, posts: int) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = takes

    seen.play("go")

    assert len(replies(seen, "done")) == posts
    assert len(replies(seen)) == 1
    assert len(replies(seen)[0].views) > 1


@pytest.mark.clause("REPLY-1")
def test_the_post_at_the_end_is_adopted_like_the_reply(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 70

    seen.play("go", Killer("post", "after", nth=2))  # type: ignore[arg-type]

    assert len(replies(seen, "done")) == 1


@pytest.mark.clause("REPLY-2")
def test_a_reply_that_a_person_deleted_is_posted_once_more(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 10

    def remove(_member: Member) -> None:
        raise ReplyError("message_not_found", kind="gone")

    seen.play("go", At("edit", "before", remove))  # type: ignore[arg-type]

    assert [post.views[-1].text for post in replies(seen)][-1] == "done"
    assert len(replies(seen)) == 2


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
    seen.play("go", Killer("commit model.done", side))  # type: ignore[arg-type]

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
    seen.play("go", Killer("commit tool.done", "before"))  # type: ignore[arg-type]

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


@pytest.mark.clause("RUN-8")
def test_a_new_record_resets_the_count_of_fruitless_tenures(world: Make) -> None:
    turns = [calls(("act", {})) for _ in range(4)]

    @tool(replay="safe")
    def act(context: ToolContext) -> str:
        """Act."""
        return "acted"

    seen = world(*turns, says("done"), tools=[act], limits=Limits(fruitless=1))
    outcome = seen.play("go", *(Killer("model", "before", nth=2) for _ in range(4)))  # type: ignore[arg-type]

    assert (outcome["text"], seen.tenures) == ("done", 5)


@pytest.mark.clause("ACCESS-2")
def test_a_stop_at_nothing_lets_nothing_be_spent(world: Make) -> None:
    seen = world(says("never"), limits=Limits(daily_spend=0))

    seen.play("go")

    assert seen.fleet.model.asked == []
    assert "EVERTHREAD_DAILY_SPEND and" in replies(seen)[0].views[-1].note
