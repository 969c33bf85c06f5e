"""A tenure's time: long calls, deploys, and owners that come back too late."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import fakeredis
import pytest

from playground.simulation.fleet import Member
from store.errors import StaleEpochError, TenureOver
from store.redis.keyspace import thread_keys
from tests.crash.conftest import THREAD, Killer, World, calls, says
from tests.crash.moments import At, Both, Make, later, replies, slow_run
from worker.door import Door
from worker.services import Limits
from worker.tools.context import ToolContext
from worker.tools.tool import tool


@pytest.mark.clause("LEASE-3")
def test_the_lease_is_kept_while_a_tool_runs_four_times_as_long(world: Make) -> None:
    seen, ran = slow_run(world, 60)

    outcome = seen.play("go")

    assert (outcome["text"], seen.tenures, ran) == ("done", 1, ["slow"])


@pytest.mark.clause("LEASE-3")
def test_a_lease_is_renewed_every_few_seconds_whatever_the_reply_does(world: Make) -> None:
    renewed: list[float] = []

    class Watch:
        member: Member | None = None

        def __call__(self, call: str, side: str) -> None:
            if (call, side) == ("renew", "after") and self.member is not None:
                renewed.append(self.member.fleet.baton.time)

    seen, _ = slow_run(world, 60)
    seen.play("go", Watch())

    gaps = [later - earlier for earlier, later in pairwise(renewed)]
    assert len(renewed) >= 60 / Limits().renewal - 1
    assert max(gaps) <= Limits().renewal + 0.01


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
    outcome = seen.play("go", At("commit model.done", "after", lambda member: member.drain.begin()))

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
    assert seen.play("go", gate)["text"] == "done"

    assert len(seen.fleet.model.asked) == (2 if cut else 1)
    assert ended[0] - began[0] == pytest.approx(12 if cut else takes, abs=1)


@pytest.mark.clause("TOOL-9", "RUN-9")
def test_a_running_tool_sees_that_its_process_is_about_to_end(world: Make) -> None:
    seen, ran = slow_run(world, 100, patient=False)

    def deploy(member: Member) -> None:
        later(member, 5, member.drain.begin)

    outcome = seen.play("go", At("commit model.done", "after", deploy))

    assert (outcome["text"], seen.tenures, ran) == ("done", 2, ["slow"])
    assert [record.body["output"] for record in seen.log if record.kind == "tool" and record.state == "done"] in (
        ["left after 5.0 s"],
        ["left after 5.5 s"],
    )


@pytest.mark.clause("TOOL-9", "LEASE-1")
def test_a_running_tool_sees_that_its_lease_is_somebody_elses_and_saves_nothing(world: Make) -> None:
    seen, _ = slow_run(world, 100, patient=False)
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
def test_no_call_to_the_outside_begins_after_the_lapse_and_its_timeout_ends_before_it(world: Make) -> None:
    seen, _ = slow_run(world, 1)
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
def test_the_time_budget_carries_over_a_crash(world: Make) -> None:
    again = calls(("slow", {}))
    seen, ran = slow_run(world, 30, answers=[again, again, again, says("never")], max_active=80.0)

    outcome = seen.play("go", Killer("model", "before", nth=2))

    assert (outcome["status"], outcome["code"]) == ("failed", "max_active")
    assert ran == ["slow"] * 3


@pytest.mark.clause("RUN-8")
def test_a_new_record_resets_the_count_of_fruitless_tenures(world: Make) -> None:
    turns = [calls(("act", {})) for _ in range(4)]

    @tool(replay="safe")
    def act(context: ToolContext) -> str:
        """Act."""
        return "acted"

    seen = world(*turns, says("done"), tools=[act], limits=Limits(fruitless=1))
    outcome = seen.play("go", *(Killer("model", "before", nth=2) for _ in range(4)))

    assert (outcome["text"], seen.tenures) == ("done", 5)


@pytest.mark.clause("TOOL-9", "RUN-4")
def test_a_running_tool_sees_that_its_runs_time_is_over(world: Make) -> None:
    seen, _ = slow_run(world, 100, patient=False, max_active=20.0)

    outcome = seen.play("go")

    assert (outcome["status"], outcome["code"]) == ("failed", "max_active")
    (said,) = [record.body["output"] for record in seen.log if record.kind == "tool" and record.state == "done"]
    assert said in ("left after 20.0 s", "left after 20.5 s")


@pytest.mark.clause("LEASE-3", "TOOL-2")
def test_a_tool_that_holds_the_interpreter_for_longer_than_the_lease_is_unknown(world: Make) -> None:
    worlds: list[World] = []
    ran: list[int] = []

    @tool(replay="unsafe")
    def compute(context: ToolContext) -> str:
        """Let nobody else run for 40 s."""
        ran.append(1)
        worlds[0].fleet.baton.time += 40
        return "computed"

    seen = world(calls(("compute", {})), says("check"), tools=[compute])
    worlds.append(seen)
    seen.play("go")

    assert ran == [1]
    assert [record.state for record in seen.log if record.kind == "tool"] == ["pending", "interrupted"]
    assert "may or may not have happened" in str(seen.fleet.model.asked[-1].messages)


@pytest.mark.clause("RUN-3", "WORK-2", "LEASE-2")
def test_a_lost_hosts_run_goes_on_within_the_lease_and_three_seconds_without_any_wake(world: Make) -> None:
    seen = world(says("done"))
    died: list[float] = []

    def act() -> None:
        fleet = seen.fleet
        fleet.say(THREAD, "go")
        lost = fleet.member("lost", Killer("model", "before"))
        fleet.baton.start(lost.process, "work", partial(lost.work, THREAD)).join()
        died.append(fleet.baton.time)
        while fleet.baton.time < died[0] + 60:
            for thread in fleet.host.store.inventory.sweep("T1", 32, 2):
                worker = fleet.member("another")
                fleet.baton.start(worker.process, "work", partial(worker.work, thread))
            fleet.host.threads.sleep(2)

    seen.fleet.run(act)

    again = next(record for record in seen.log if record.kind == "resumed")
    assert 10 < again.at - died[0] <= 18
    assert [record.body["text"] for record in seen.log if record.kind == "settled"] == ["done"]
