"""What the records of a run decide, when another process reads them."""

from __future__ import annotations

from functools import partial
from typing import Any

import fakeredis
import pytest

from playground.simulation.fleet import Member
from store.redis.keyspace import thread_keys
from store.values import decode, encode
from tests.crash.conftest import THREAD, Killer, World, calls, says
from tests.crash.moments import At, Make, replies
from worker.agent import Agent
from worker.prompt import INTERRUPTED
from worker.services import Limits
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, ToolError, tool


def acting(replay: str, effects: list[str], **more: Any) -> Tool:
    @tool(replay=replay, name="act", **more)
    def act(context: ToolContext, what: str = "it") -> str:
        """Act."""
        effects.append(what)
        return f"acted on {what}"

    return act


def raw(world: World) -> Any:
    return fakeredis.FakeRedis(server=world.fleet.server, decode_responses=True)


def work_once(world: World, name: str, gate: Any = None) -> Member:
    """One worker's tenure on the thread."""
    fleet = world.fleet
    worker = fleet.member(name, gate) if gate is not None else fleet.member(name)
    fleet.baton.start(worker.process, "work", partial(worker.work, THREAD)).join()
    if worker.process.dead:
        fleet.host.store.leases.bury(worker.owner)
    return worker


@pytest.mark.clause("STEP-2")
@pytest.mark.parametrize("replay", ["unsafe", "idempotent"])
def test_the_mark_of_a_call_is_durable_before_its_handler_starts(world: Make, replay: str) -> None:
    seen_before: list[dict[str, Any]] = []
    worlds: list[World] = []

    @tool(replay=replay, title="acting on {what}")
    def act(context: ToolContext, what: str) -> str:
        """Act."""
        seen_before.extend(record.body | {"key": str(record.key)} for record in worlds[0].log if record.kind == "tool")
        assert context.key == seen_before[-1]["key"]
        return "acted"

    seen = world(calls(("act", {"what": "it"})), says("done"), tools=[act])
    worlds.append(seen)
    seen.play("go")

    (mark,) = seen_before
    assert (mark["name"], mark["title"], mark["args"], mark["policy"]) == (
        "act",
        "acting on it",
        {"what": "it"},
        replay,
    )
    assert mark["fingerprint"]
    assert mark["tool"] == act.digest


@pytest.mark.clause("SEC-2")
def test_a_calls_line_masks_its_secrets_and_the_tool_and_the_log_have_the_real_ones(world: Make) -> None:
    given: list[str] = []

    @tool(replay="unsafe", title="logging in as {user} with {password}")
    def log_in(context: ToolContext, user: str, password: str) -> str:
        """Log in."""
        given.append(password)
        return "in"

    seen = world(calls(("log_in", {"user": "bob", "password": "hunter2"})), says("done"), tools=[log_in])
    seen.play("go")

    (mark,) = [record for record in seen.log if record.kind == "tool" and record.state == "pending"]
    assert mark.body["title"] == "logging in as bob with ***"
    assert (given, mark.body["args"]) == (["hunter2"], {"user": "bob", "password": "hunter2"})


@pytest.mark.clause("STEP-2")
@pytest.mark.parametrize(("asked", "marks"), [(False, 0), (True, 1)])
def test_a_safe_call_is_marked_only_when_it_asks_for_it(world: Make, asked: bool, marks: int) -> None:
    seen = world(calls(("act", {})), says("done"), tools=[acting("safe", [], mark_started=asked)])

    seen.play("go")

    assert len([record for record in seen.log if record.kind == "tool" and record.state == "pending"]) == marks


@pytest.mark.clause("STEP-4")
def test_a_call_whose_mark_stands_for_other_arguments_is_interrupted(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("check"), tools=[acting("idempotent", effects)])

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        work_once(seen, "first", Killer("commit tool.done", "before"))
        (log,) = thread_keys(THREAD, "log")
        server = raw(seen)
        for at, line in enumerate(server.lrange(log, 0, -1)):
            found = decode(line)
            if found["kind"] == "tool":
                server.lset(log, at, encode(found | {"fingerprint": "another"}))
        seen.fleet.work_off(THREAD)

    seen.fleet.run(act)

    assert effects == ["it"]
    assert INTERRUPTED in str(seen.fleet.model.asked[-1].messages)


@pytest.mark.clause("STEP-4")
def test_a_call_of_a_tool_that_was_redefined_meanwhile_is_interrupted(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("check"), tools=[acting("idempotent", effects)])

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        work_once(seen, "first", Killer("commit tool.done", "before"))
        seen.fleet.agent = Agent((acting("safe", effects),), "m")
        seen.fleet.work_off(THREAD)

    seen.fleet.run(act)

    assert effects == ["it"]
    assert INTERRUPTED in str(seen.fleet.model.asked[-1].messages)


@pytest.mark.clause("STEP-3")
def test_the_turn_names_its_results_in_the_order_of_the_calls(world: Make) -> None:
    worlds: list[World] = []

    @tool(replay="safe")
    def wait(context: ToolContext, seconds: float) -> str:
        """Wait."""
        worlds[0].fleet.members[-1].threads.sleep(seconds)
        return str(seconds)

    seen = world(calls(*(("wait", {"seconds": n}) for n in (3, 1, 2))), says("done"), tools=[wait])
    worlds.append(seen)
    seen.play("go")

    results = seen.fleet.model.asked[-1].messages[-1]["content"]
    assert [block["content"] for block in results] == ["3.0", "1.0", "2.0"]
    assert [block["tool_use_id"] for block in results] == ["t0", "t1", "t2"]


@pytest.mark.clause("LOG-4")
def test_a_turn_costs_two_commits_and_as_many_bytes_however_long_the_thread(world: Make) -> None:
    turns = [calls(("act", {"what": f"{n:03}"}), ids=[f"c{n:03}"]) for n in range(40)]
    seen = world(*turns, says("done"), tools=[acting("unsafe", [])])
    commits: list[str] = []

    class Counting:
        member: Member | None = None

        def __call__(self, call: str, side: str) -> None:
            if side == "before" and call.startswith("commit") and "#reply" not in call:
                commits.append(call)

    seen.play("go", Counting())

    assert len(commits) - 1 == 2 * 40 + 2  # the start, forty turns, the last answer with its settlement, the delivery
    sizes: dict[int, int] = {}
    for record, line in zip(seen.log, seen.raw_log, strict=True):
        if record.kind in ("model", "tool", "turn"):
            sizes[record.key.turn] = sizes.get(record.key.turn, 0) + len(line)
    assert max(sizes[turn] for turn in range(10, 40)) - min(sizes[turn] for turn in range(10, 40)) < 50


@pytest.mark.clause("LOG-1", "RUN-2")
def test_the_run_can_be_told_from_its_records_alone(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("done"), tools=[acting("unsafe", effects)])

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        work_once(seen, "first", Killer("model", "before", nth=2))
        (head,) = thread_keys(THREAD, "head")
        raw(seen).hdel(head, "active", "deaths", "pause")
        seen.fleet.work_off(THREAD)

    seen.fleet.run(act)

    assert effects == ["it"]
    assert [record.body["text"] for record in seen.log if record.kind == "settled"] == ["done"]


@pytest.mark.clause("LOG-6", "RUN-2")
def test_altered_evidence_runs_nothing_and_leaves_the_work_owed(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("never"), tools=[acting("safe", effects)])

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        work_once(seen, "first", Killer("model", "before", nth=2))
        (log,) = thread_keys(THREAD, "log")
        server = raw(seen)
        for at, line in enumerate(server.lrange(log, 0, -1)):
            if decode(line)["kind"] == "tool":
                server.lset(log, at, line.replace("acted on it", "acted on that"))
        work_once(seen, "second")
        assert seen.fleet.owed_in(THREAD) == pytest.approx(60, abs=1)

    seen.fleet.run(act)

    assert (effects, len(seen.fleet.model.asked)) == (["it"], 1)
    assert "settled" not in [record.kind for record in seen.log]


@pytest.mark.clause("ADMIT-4")
def test_a_parked_run_lets_later_messages_pass(world: Make) -> None:
    limits = Limits(daily_spend=1)
    seen = world(calls(("act", {})), says("unused"), says("two"), tools=[acting("safe", [])], limits=limits)

    def act() -> None:
        first = seen.fleet.say(THREAD, "first")
        seen.fleet.work_off(THREAD)
        seen.fleet.limits = Limits()
        second = seen.fleet.say(THREAD, "second", n=2)
        seen.fleet.work_off(THREAD)
        outcomes = [seen.fleet.host.store.admissions.outcome("T1", said.run) for said in (first, second)]
        assert outcomes[0] is None
        assert outcomes[1] is not None
        assert outcomes[1]["status"] == "completed"

    seen.fleet.run(act)

    head = seen.fleet.outside.inventory.head(THREAD)
    assert head is not None
    assert [item.partition(":")[0] for item in head.rest] == ["parked"]
    assert "waits for an operator" in str(seen.fleet.model.asked[-1].messages)


@pytest.mark.clause("RUN-6")
def test_a_failed_run_keeps_its_error_and_is_not_tried_again(world: Make) -> None:
    seen = world(calls(("act", {})), says("never"), tools=[acting("safe", [])], max_turns=1)
    outcome = seen.play("go")
    asked = len(seen.fleet.model.asked)

    def act() -> None:
        work_once(seen, "again")
        assert seen.fleet.host.store.admissions.outcome("T1", outcome["run"]) == outcome

    seen.fleet.run(act)

    assert (outcome["status"], outcome["code"]) == ("failed", "max_turns")
    assert len(seen.fleet.model.asked) == asked == 1


@pytest.mark.clause("REPLY-6")
def test_the_footer_says_what_it_took_and_what_a_crash_cost(world: Make) -> None:
    seen = world(calls(("act", {})), says("done"), tools=[acting("unsafe", [])])
    seen.fleet.model.takes = 2

    seen.play("go", Killer("model", "before", nth=2))

    footer = replies(seen)[0].views[-1].footer
    assert footer.startswith("4 s · 220 tokens · about $0.0002 · ")
    assert "survived 1 restart: 2 steps kept, 1 repeated" in footer


@pytest.mark.clause("REPLY-6")
def test_while_it_works_the_thread_shows_what_it_does(world: Make) -> None:
    worlds: list[World] = []

    @tool(replay="safe", title="reading {what}")
    def read(context: ToolContext, what: str) -> str:
        """Read."""
        worlds[0].fleet.members[-1].threads.sleep(20)
        return "read"

    seen = world(calls(("read", {"what": "a"})), says("done"), tools=[read])
    worlds.append(seen)
    seen.play("go")

    views = replies(seen)[0].views
    assert "running reading a" in {view.doing for view in views}
    assert {call.state for view in views for call in view.calls} >= {"running", "done"}
    written_anew = [view.elapsed for view in views if view.status == "running"]
    assert max(written_anew) >= 10


@pytest.mark.clause("STEP-5")
def test_a_tool_that_stops_the_run_from_inside_leaves_no_failure_behind(world: Make) -> None:
    from store.errors import RunSuspended

    tries: list[int] = []

    @tool(replay="safe")
    def pause(context: ToolContext) -> str:
        """Suspend the run the first time."""
        tries.append(1)
        try:
            if len(tries) == 1:
                raise RunSuspended("for now", 5)
        except Exception:
            return "swallowed"
        return "went on"

    seen = world(calls(("pause", {})), says("done"), tools=[pause])
    outcome = seen.play("go")

    assert (outcome["text"], seen.tenures, len(tries)) == ("done", 2, 2)
    assert [record.state for record in seen.log if record.kind == "tool"][-1] == "done"
    assert "failed" not in {record.state for record in seen.log if record.kind == "tool"}
    assert "survived" not in outcome["footer"]


@pytest.mark.clause("TOOL-6")
def test_rights_that_were_taken_away_meanwhile_run_nothing(world: Make) -> None:
    effects: list[str] = []
    seen = world(calls(("act", {})), says("done"), tools=[acting("unsafe", effects)])

    class Revoking(At):
        def __call__(self, call: str, side: str) -> None:
            if self.member is not None and self.member.services.may_use("T1", "U1", "C1"):
                object.__setattr__(self.member.services, "may_use", lambda _team, user, _channel: user != "U1")

    seen.play("go", Revoking("", "", lambda _member: None))

    assert effects == []
    assert "may not use this agent any more" in str(seen.fleet.model.asked[-1].messages)


@pytest.mark.clause("STEP-4")
def test_a_failure_is_classified_the_same_after_a_crash_in_the_same_turn(world: Make) -> None:
    tries: list[str] = []

    @tool(replay="unsafe")
    def refuse(context: ToolContext, name: str) -> str:
        """Refuse."""
        tries.append(name)
        raise ToolError(f"no {name}", code="full", retryable=False)

    both = calls(("refuse", {"name": "a"}), ("refuse", {"name": "b"}))
    seen = world(both, says("done"), tools=[refuse], max_concurrent_tools=1)
    seen.play("go", Killer("commit tool.failed", "after"))

    blocks = seen.fleet.model.asked[-1].messages[-1]["content"]
    assert tries == ["a", "b"]
    assert [(block["content"], block["is_error"]) for block in blocks] == [("no a", True), ("no b", True)]
