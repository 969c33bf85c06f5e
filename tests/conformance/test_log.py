"""The commit door: fenced, whole, once."""

from __future__ import annotations

import pytest

from store.errors import StopWonError, StoreRegressedError
from store.lease import Claim, Commit
from store.protocol import Store
from store.submission import Submission
from tests.conftest import FakeClock

THREAD = "T1/C1/1700000000.000100"
MODEL = ("r1:0:model:0", "done", '{"v":1}')


@pytest.fixture
def claim(store: Store) -> Claim:
    store.admissions.admit(Submission(THREAD, "C1", "1700000000.000100", "U1", "hi", "r1", 0.0))
    return store.leases.claim(THREAD, "boot:1:1:a")


@pytest.mark.clause("STEP-6")
def test_a_commit_that_is_sent_again_lands_once(store: Store, claim: Claim) -> None:
    commit = Commit("r1", records=[MODEL], spend=5, state=[("notes", "a")])

    store.log.commit(claim.lease, commit)
    again = store.log.commit(claim.lease, commit)

    assert again.length == 1
    assert again.spent == 5
    assert store.workspace.state("T1", "notes") == ["a"]


@pytest.mark.clause("STEP-6")
def test_a_late_mark_does_not_reopen_a_step_that_is_over(store: Store, claim: Claim) -> None:
    store.log.commit(claim.lease, Commit("r1", records=[("r1:0:t1:0", "pending", "{}")]))
    store.log.commit(claim.lease, Commit("r1", records=[("r1:0:t1:0", "done", "{}")]))

    assert store.log.commit(claim.lease, Commit("r1", records=[("r1:0:t1:0", "pending", "{}")])).length == 2


@pytest.mark.clause("STEP-3")
def test_tool_state_lands_with_the_outcome_or_not_at_all(store: Store, claim: Claim, clock: FakeClock) -> None:
    clock.advance(20)

    with pytest.raises(BaseException, match="another process"):
        store.log.commit(claim.lease, Commit("r1", records=[MODEL], state=[("notes", "a")]))

    assert store.workspace.state("T1", "notes") == []


@pytest.mark.clause("RUN-11")
def test_the_first_of_stop_and_settlement_wins(store: Store, claim: Claim) -> None:
    settlement = Commit("r1", records=[("r1:0:#settled:0", "done", "{}")], settles=True, outcome=("r1", "{}"))
    store.admissions.stop(THREAD, "r1", "U2")

    with pytest.raises(StopWonError):
        store.log.commit(claim.lease, settlement)
    assert store.log.read(THREAD) == []


@pytest.mark.clause("RUN-11")
def test_a_settlement_that_won_leaves_nothing_to_stop(store: Store, claim: Claim) -> None:
    settlement = Commit("r1", records=[("r1:0:#settled:0", "done", "{}")], settles=True, outcome=("r1", "{}"))
    store.log.commit(claim.lease, settlement)

    assert store.admissions.stop(THREAD, "r1", "U2") == "over"


@pytest.mark.clause("LEASE-1")
def test_many_writers_of_one_tenure_do_not_get_in_each_others_way(store: Store, claim: Claim) -> None:
    seen = claim.lease.seen
    for n in range(5):
        claim.lease.seen = seen
        store.log.commit(claim.lease, Commit("r1", records=[(f"r1:0:t{n}:0", "done", "{}")]))

    assert len(store.log.read(THREAD)) == 5


@pytest.mark.clause("LOG-1")
def test_an_owner_notices_a_log_that_became_shorter(store: Store, claim: Claim) -> None:
    claim.lease.seen = 3

    with pytest.raises(StoreRegressedError):
        store.log.commit(claim.lease, Commit("r1", records=[MODEL]))


@pytest.mark.clause("USAGE-1")
def test_what_a_workspace_spent_today_adds_up_once_and_starts_anew_tomorrow(
    store: Store, claim: Claim, clock: FakeClock
) -> None:
    store.log.commit(claim.lease, Commit("r1", records=[MODEL], spend=7))
    store.log.commit(claim.lease, Commit("r1", records=[("r1:1:model:0", "done", "{}")], spend=4))

    assert store.workspace.spent_today("T1") == 11
    clock.advance(86_400)
    assert store.workspace.spent_today("T1") == 0


@pytest.mark.clause("STOP-1")
def test_every_commit_tells_whether_somebody_pressed_stop(store: Store, claim: Claim) -> None:
    store.admissions.stop(THREAD, "r1", "U2")

    stop = store.log.commit(claim.lease, Commit("r1", records=[MODEL])).stop

    assert stop is not None
    assert stop.by == "U2"
