"""Small facts of a workspace, and the budgets that all of its processes share."""

from __future__ import annotations

import pytest

from store.protocol import Store
from store.redis.workspace import RATES
from tests.conftest import FakeClock


@pytest.mark.clause("ACCESS-1")
def test_what_is_known_of_a_person_is_forgotten_after_a_day(store: Store, clock: FakeClock) -> None:
    assert store.workspace.person("T1", "U1") is None
    store.workspace.know("T1", {"U1": "guest", "U2": "member"})

    assert [store.workspace.person("T1", user) for user in ("U1", "U2")] == ["guest", "member"]
    assert store.workspace.person("T2", "U1") is None
    clock.advance(86_401)
    assert store.workspace.person("T1", "U1") is None


@pytest.mark.clause("ACCESS-1")
def test_a_refusal_is_said_once_a_day(store: Store, clock: FakeClock) -> None:
    assert [store.workspace.refuse_once("T1", "U1") for _ in range(3)] == [True, False, False]
    assert store.workspace.refuse_once("T1", "U2")
    clock.advance(86_401)
    assert store.workspace.refuse_once("T1", "U1")


EDIT, POST = RATES["edit"], RATES["post"]


def final(store: Store, run: str) -> float:
    return store.workspace.take_turn("T1", "edit", run, urgent=True).wait


def progress(store: Store, run: str) -> float:
    return store.workspace.take_turn("T1", "edit", run, urgent=False).wait


@pytest.mark.clause("REPLY-3")
def test_no_minute_takes_more_edits_than_slack_allows(store: Store) -> None:
    waits = [final(store, f"r{n}") for n in range(EDIT.most + 3)]

    assert waits[: EDIT.most] == [0] * EDIT.most
    assert all(55 < wait <= 60 for wait in waits[EDIT.most :])
    assert store.workspace.take_turn("T2", "edit", "r1", urgent=False).wait == 0


@pytest.mark.clause("REPLY-3")
def test_progress_goes_one_at_a_time_and_a_final_text_passes_it(store: Store) -> None:
    assert progress(store, "a") == 0
    waits = [progress(store, run) for run in "bcd"]

    assert [round(wait - waits[0], 1) for wait in waits] == [0, EDIT.apart, 2 * EDIT.apart]
    assert 0 < waits[0] <= EDIT.apart
    assert final(store, "e") == 0


@pytest.mark.clause("REPLY-3")
def test_progress_goes_in_turn_and_keeps_its_place(store: Store, clock: FakeClock) -> None:
    assert progress(store, "a") == 0
    assert [progress(store, run) > 0 for run in "abc"] == [True] * 3
    clock.advance(EDIT.apart)

    assert progress(store, "c") > 0, "a waits longer and is due now"
    assert progress(store, "a") == 0
    clock.advance(EDIT.apart)
    assert progress(store, "b") == 0


@pytest.mark.clause("REPLY-3")
def test_who_does_not_come_back_holds_nobody_up(store: Store, clock: FakeClock) -> None:
    assert progress(store, "a") == 0
    for run in "bcdef":
        progress(store, run)
    clock.advance(30)

    assert progress(store, "z") == 0
    assert progress(store, "a") == EDIT.apart, "nobody of those is in the line any more"


@pytest.mark.clause("REPLY-3")
def test_a_run_that_ends_keeps_the_place_it_had_or_gets_a_better_one(store: Store, clock: FakeClock) -> None:
    for n in range(3):
        store.leases.claim(f"T1/C1/170000000{n}.000100", f"boot:{n}:1:a")
    assert [progress(store, run) > 0 for run in "abcd"] == [False, True, True, True]
    clock.advance(EDIT.apart)
    assert progress(store, "d") > 0, "b and c are due before it"
    for n in range(EDIT.most - 1):
        final(store, f"r{n}")

    assert final(store, "d") < progress(store, "c")


@pytest.mark.clause("REPLY-3")
def test_posts_keep_a_second_apart_in_each_channel(store: Store, clock: FakeClock) -> None:
    def post(run: str, channel: str) -> float:
        return store.workspace.take_turn("T1", "post", run, urgent=True, place=channel).wait

    assert (post("a", "C1"), post("b", "C2")) == (0, 0)
    assert (post("c", "C1"), post("d", "C1")) == (POST.per, POST.per + POST.apart)
    clock.advance(POST.per)
    assert post("c", "C1") == 0


@pytest.mark.clause("REPLY-3")
def test_a_pause_that_slack_asked_for_holds_for_everybody(store: Store, clock: FakeClock) -> None:
    store.workspace.pause_turns("T1", "edit", 7)

    assert final(store, "a") == 7
    assert store.workspace.take_turn("T1", "read", "a", urgent=True).wait == 0
    clock.advance(8)
    assert final(store, "a") == 0


@pytest.mark.clause("REPLY-5")
def test_while_slack_refuses_our_token_one_call_a_minute_tries_it(store: Store, clock: FakeClock) -> None:
    def turns() -> list[tuple[float, bool]]:
        found = [store.workspace.take_turn("T1", "read", run, urgent=True) for run in "ab"]
        return [(turn.wait, turn.trial) for turn in found]

    store.workspace.bar("T1")
    assert turns() == [(60, False), (60, False)]
    clock.advance(60)
    assert turns() == [(0, True), (60, False)]
    store.workspace.unbar("T1")
    assert turns() == [(0, False), (0, False)]


def test_runs_at_work_are_counted(store: Store) -> None:
    for n in range(3):
        store.leases.claim(f"T1/C1/170000000{n}.000100", f"boot:{n}:1:a")

    assert store.workspace.take_turn("T1", "edit", "r", urgent=False).active == 3
