"""Small facts of a workspace, and one budget of edits for all of its processes."""

from __future__ import annotations

import pytest

from store.protocol import Store
from store.redis.workspace import EDITS_A_MINUTE, RESERVED_EDITS
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


def test_edits_share_one_budget_and_the_last_ones_are_kept_for_what_matters(store: Store, clock: FakeClock) -> None:
    progress = [store.workspace.take_edit("T1", urgent=False).wait for _ in range(EDITS_A_MINUTE)]
    assert progress.count(0) == EDITS_A_MINUTE - RESERVED_EDITS
    assert progress[-1] == 60

    urgent = [store.workspace.take_edit("T1", urgent=True).wait for _ in range(RESERVED_EDITS + 1)]
    assert urgent == [0] * RESERVED_EDITS + [60]

    assert store.workspace.take_edit("T2", urgent=False).wait == 0
    clock.advance(61)
    assert store.workspace.take_edit("T1", urgent=False).wait == 0


def test_a_pause_that_slack_asked_for_holds_for_everybody(store: Store, clock: FakeClock) -> None:
    store.workspace.pause_edits("T1", 7)

    assert store.workspace.take_edit("T1", urgent=True).wait == 7
    clock.advance(8)
    assert store.workspace.take_edit("T1", urgent=True).wait == 0


def test_runs_at_work_are_counted_so_that_each_can_pace_itself(store: Store) -> None:
    for n in range(3):
        store.leases.claim(f"T1/C1/170000000{n}.000100", f"boot:{n}:1:a")

    assert store.workspace.take_edit("T1", urgent=False).active == 3
