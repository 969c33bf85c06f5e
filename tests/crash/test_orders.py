"""What operators order: a parked run goes on, or is closed without an answer."""

from __future__ import annotations

import pytest

from store.ports import ModelError
from store.protocol import OrderVerb
from store.wait import Answer as GivenAnswer
from store.wait import Given
from tests.crash.conftest import THREAD, Killer, World, calls, says
from tests.crash.moments import At, Both, Make
from tests.crash.test_waits import COLOR, PEOPLE
from worker.process.sweep import UNSEEN, Sweep

REVOKED = ModelError("the key was revoked", kind="credentials")


def parked(world: Make) -> World:
    """A world whose first run is parked for want of credentials, and goes on once it is resumed."""
    return world([REVOKED, says("done")], says("second"), tools=PEOPLE)


def order(seen: World, verb: OrderVerb) -> str:
    store = seen.fleet.host.store
    return store.admissions.order(THREAD, seen.log[0].run, verb, "U9")


@pytest.mark.clause("RUN-10")
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("call", ["commit", "commit #resumed", "commit model.done", "claim"])
def test_a_parked_run_goes_on_when_it_is_resumed_and_once_only(world: Make, call: str, side: str) -> None:
    seen = parked(world)

    def act() -> None:
        run = seen.fleet.say(THREAD, "go").run
        seen.fleet.work_off(THREAD)
        assert order(seen, "resume") == "ordered"
        assert order(seen, "resume") == "again"
        seen.fleet.work_off(THREAD, [Killer(call, side), Killer(call, side)])
        outcome = seen.fleet.host.store.admissions.outcome("T1", run)
        assert outcome is not None
        assert outcome["text"] == "done"
        assert order(seen, "resume") == "over"

    seen.fleet.run(act)

    assert [record.body["status"] for record in seen.log if record.kind == "settled"] == ["parked", "completed"]


@pytest.mark.clause("RUN-10")
def test_a_healed_run_is_closed_without_an_answer_and_nothing_is_run(world: Make) -> None:
    seen = parked(world)

    def act() -> None:
        run = seen.fleet.say(THREAD, "go").run
        seen.fleet.work_off(THREAD)
        asked = len(seen.fleet.model.asked)
        assert order(seen, "heal") == "ordered"
        seen.fleet.work_off(THREAD)
        outcome = seen.fleet.host.store.admissions.outcome("T1", run)
        assert outcome is not None
        assert (outcome["status"], outcome["by"], len(seen.fleet.model.asked)) == ("healed", "U9", asked)

    seen.fleet.run(act)

    head = seen.fleet.outside.inventory.head(THREAD)
    assert head is not None
    assert (head.rest, head.due) == ([], [])


@pytest.mark.clause("RUN-10")
def test_a_run_resumed_while_another_waits_for_people_goes_on_when_the_thread_is_free(world: Make) -> None:
    seen = world([REVOKED, says("done")], calls(COLOR), says("second"), tools=PEOPLE)
    store = seen.fleet.host.store

    def act() -> None:
        first = seen.fleet.say(THREAD, "go").run
        seen.fleet.work_off(THREAD)
        seen.fleet.model.answer = lambda request: (
            calls(COLOR) if "another" in str(request.messages[-1]) else says("done")
        )
        seen.fleet.say(THREAD, "another", n=2)
        seen.fleet.work_off(THREAD)
        assert store.admissions.order(THREAD, first, "resume", "U9") == "ordered"
        seen.fleet.work_off(THREAD)
        assert store.admissions.outcome("T1", first) is None
        head = store.inventory.head(THREAD)
        assert head is not None
        assert (head.status, f"resume:{first}" in head.rest) == ("waiting", True)
        store.admissions.stop(THREAD, head.run, "U1")
        seen.fleet.work_off(THREAD)
        outcome = store.admissions.outcome("T1", first)
        assert outcome is not None
        assert outcome["text"] == "done"

    seen.fleet.run(act)


@pytest.mark.clause("RUN-10")
def test_a_run_that_is_not_parked_takes_no_orders(world: Make) -> None:
    seen = world(calls(COLOR), says("done"), tools=PEOPLE)

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        seen.fleet.work_off(THREAD)
        assert order(seen, "heal") == "not_parked"

    seen.fleet.run(act)


@pytest.mark.clause("ASK-2")
def test_the_sweep_has_cards_looked_for_that_nobody_looked_after_for_hours(world: Make) -> None:
    seen = world(calls(COLOR), says("done"), tools=PEOPLE)
    rung: list[str] = []

    def ring(thread: str) -> bool:
        rung.append(thread)
        return True

    def act() -> None:
        seen.fleet.say(THREAD, "go")
        seen.fleet.work_off(THREAD)
        sweep = Sweep(seen.fleet.host.store, ring, lambda: 1)
        sweep.once()
        assert rung == []
        seen.fleet.host.threads.sleep(UNSEEN + 1)
        sweep.once()
        assert rung == [THREAD]
        seen.fleet.work_off(THREAD)
        sweep.once()
        assert rung == [THREAD]

    seen.fleet.run(act)


@pytest.mark.clause("RUN-10", "STOP-1")
@pytest.mark.parametrize("how", ["stop", "heal"])
def test_closing_a_parked_run_leaves_the_one_that_waits_beside_it_alone(world: Make, how: str) -> None:
    seen = world([REVOKED, says("done")], calls(COLOR), says("second"), tools=PEOPLE)
    store = seen.fleet.host.store

    def act() -> None:
        parked = seen.fleet.say(THREAD, "go").run
        seen.fleet.work_off(THREAD)
        seen.fleet.model.answer = lambda request: (
            says("second") if "answered" in str(request.messages[-1]) else calls(COLOR)
        )
        waiting = seen.fleet.say(THREAD, "another", n=2).run
        seen.fleet.work_off(THREAD)
        if how == "stop":
            store.admissions.stop(THREAD, parked, "U1")
        else:
            store.admissions.order(THREAD, parked, "heal", "U1")
        seen.fleet.work_off(THREAD)
        head = store.inventory.head(THREAD)
        assert head is not None
        assert (head.run, head.status) == (waiting, "waiting")
        wait = store.waits.open_in(THREAD)[0]
        store.waits.answer(THREAD, GivenAnswer(wait.id, "U2", 1.0, "button", (Given(("red",)),)))
        seen.fleet.work_off(THREAD)
        outcome = store.admissions.outcome("T1", waiting)
        assert outcome is not None
        assert outcome["text"] == "second"

    seen.fleet.run(act)


@pytest.mark.clause("REPLY-6", "RUN-10")
def test_closing_a_parked_run_hides_no_crash_of_the_one_beside_it(world: Make) -> None:
    seen = world([REVOKED, says("done")], says("unused"), tools=PEOPLE)
    store = seen.fleet.host.store

    def act() -> None:
        parked = seen.fleet.say(THREAD, "go").run
        seen.fleet.work_off(THREAD)
        seen.fleet.model.answer = lambda _request: says("second")
        second = seen.fleet.say(THREAD, "another", n=2).run
        stopping = At(
            "commit #start.done", "after", lambda _member: store.admissions.stop(THREAD, parked, "U1") and None
        )
        seen.fleet.work_off(THREAD, [Both(stopping, Killer("model", "before"))])
        outcome = store.admissions.outcome("T1", second)
        assert outcome is not None
        assert "survived 1 restart" in outcome["footer"]

    seen.fleet.run(act)
