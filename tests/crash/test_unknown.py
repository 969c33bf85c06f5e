"""Calls that may or may not have happened: told, asked, looked up, and never run again on a guess."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import pytest

from store.wait import Answer, Given
from tests.crash.conftest import THREAD, Killer, calls, says
from tests.crash.moments import Make
from tests.crash.test_waits import Asking
from worker.tools.context import ToolContext
from worker.tools.tool import Reconciled, Unknown, tool


class InDoubt(Asking):
    """A run whose worker dies in the middle of an unsafe call."""

    def __init__(
        self,
        world: Make,
        unknown: Unknown = "ask",
        reconcile: Callable[[ToolContext, Mapping[str, Any]], Reconciled] | None = None,
        deaths: int = 1,
    ) -> None:
        self.ran: list[str] = []
        self.deaths = deaths

        @tool(replay="unsafe", title="charging {amount}", unknown=unknown, reconcile=reconcile)
        def charge(context: ToolContext, amount: int) -> str:
            """Charge somebody."""
            self.ran.append(context.key)
            if len(self.ran) <= self.deaths:
                dying = self.fleet.members[-1].process
                dying.dead = True
                dying.check()
            return f"charged {amount}"

        super().__init__(world, calls(("charge", {"amount": 40})), says("done"), says("second"), tools=[charge])

    def say_so(self, said: str, by: str = "U9") -> str:
        wait = self.waits()[0]
        answer = Answer(wait.id, by, self.fleet.baton.time, "button", (Given((said,)),))
        return self.fleet.host.store.waits.answer(THREAD, answer).how


@pytest.mark.clause("TOOL-2", "TOOL-3")
@pytest.mark.parametrize(
    ("said", "runs", "told"),
    [
        ("It happened", 1, "It happened: <@U9> says so"),
        ("It never happened", 1, "It did not happen: <@U9> says so"),
        ("Try it again", 2, "charged 40"),
    ],
)
def test_people_say_what_became_of_it_and_the_run_goes_on_with_that(
    world: Make, said: str, runs: int, told: str
) -> None:
    doubt = InDoubt(world)

    def act() -> None:
        doubt.work()
        assert doubt.head().status == "parked"
        assert [wait.title for wait in doubt.waits()] == ["Did it happen?"]
        assert doubt.say_so(said) == "taken"
        doubt.work()

    doubt.play(act)

    assert len(doubt.ran) == runs
    assert told in doubt.told()
    assert (doubt.outcome()["text"], doubt.head().rest, doubt.standing()) == ("done", [], ["over"])


@pytest.mark.clause("TOOL-3")
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("call", ["commit", "commit tool.left", "commit #resumed", "post ask", "edit ask", "claim"])
def test_killed_anywhere_on_the_way_it_is_asked_once_and_tried_once_more(world: Make, call: str, side: str) -> None:
    doubt = InDoubt(world)

    def act() -> None:
        doubt.work(Killer("none", "before"), Killer(call, side), Killer(call, side))
        assert len(doubt.waits()) == 1
        doubt.say_so("Try it again")
        doubt.work(Killer(call, side), Killer(call, side))

    doubt.play(act)

    assert len(doubt.ran) == 2
    assert doubt.outcome()["text"] == "done"


@pytest.mark.clause("TOOL-3")
def test_cut_off_again_it_is_asked_again(world: Make) -> None:
    doubt = InDoubt(world, deaths=2)

    def act() -> None:
        doubt.work()
        first = doubt.waits()[0]
        doubt.say_so("Try it again")
        doubt.work()
        second = doubt.waits()[0]
        assert first.id != second.id
        assert len(doubt.ran) == 2
        doubt.say_so("It happened")
        doubt.work()

    doubt.play(act)

    assert len(doubt.ran) == 2
    assert doubt.outcome()["text"] == "done"


@pytest.mark.clause("ADMIT-4", "TOOL-3")
def test_messages_pass_a_run_that_is_in_doubt_and_its_resolution_queues_behind_them(world: Make) -> None:
    doubt = InDoubt(world)

    def act() -> None:
        doubt.work()
        doubt.fleet.say(THREAD, "meanwhile", n=2)
        doubt.work()
        assert doubt.head().queued == 0
        assert doubt.head().status == "completed"
        doubt.say_so("It happened")
        doubt.work()

    doubt.play(act)

    assert doubt.outcome()["status"] == "completed"


@pytest.mark.clause("TOOL-2")
@pytest.mark.parametrize(
    ("what", "told"),
    [("happened", "charge 40 is booked"), ("never", "It did not happen"), ("unsure", "may or may not")],
)
def test_a_tool_may_find_out_itself(world: Make, what: Literal["happened", "never", "unsure"], told: str) -> None:
    asked: list[tuple[str, int]] = []

    def look(context: ToolContext, arguments: Mapping[str, Any]) -> Reconciled:
        asked.append((context.key, arguments["amount"]))
        return Reconciled(what, "charge 40 is booked")

    doubt = InDoubt(world, unknown="report", reconcile=look)
    doubt.play(lambda: doubt.work() and None)

    assert asked == [(doubt.ran[0], 40)]
    assert len(doubt.ran) == 1
    assert told in doubt.told()


@pytest.mark.clause("TOOL-2")
def test_a_look_that_fails_is_no_answer(world: Make) -> None:
    def broken(context: ToolContext, arguments: Mapping[str, Any]) -> Reconciled:
        raise OSError("the bank is away")

    doubt = InDoubt(world, unknown="report", reconcile=broken)
    doubt.play(lambda: doubt.work() and None)

    assert "may or may not" in doubt.told()


@pytest.mark.clause("TOOL-3")
def test_a_stop_ends_a_run_in_doubt_and_the_call_stays_listed_as_unknown(world: Make) -> None:
    doubt = InDoubt(world)

    def act() -> None:
        doubt.work()
        doubt.fleet.host.store.admissions.stop(THREAD, doubt.run, "U1")
        doubt.work()

    doubt.play(act)

    assert doubt.outcome()["status"] == "aborted"
    assert [item.partition(":")[0] for item in doubt.head().rest] == ["unknown"]
    assert doubt.standing() == ["over"]


@pytest.mark.clause("TOOL-3", "RUN-6")
def test_a_resolution_and_an_order_at_once_take_the_run_up_once(world: Make) -> None:
    doubt = InDoubt(world)

    def act() -> None:
        doubt.work()
        assert doubt.fleet.host.store.admissions.order(THREAD, doubt.run, "resume", "U8") == "ordered"
        assert doubt.say_so("It happened") == "taken"
        doubt.work()

    doubt.play(act)

    settled = [record.body["status"] for record in doubt.seen.log if record.kind == "settled"]
    assert settled == ["parked", "completed"]
    assert doubt.head().rest == []
