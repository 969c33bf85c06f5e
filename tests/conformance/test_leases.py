"""Who may write: claims, fences, releases."""

from __future__ import annotations

import pytest

from store.errors import RunLeaseHeldError, StaleEpochError
from store.lease import Commit
from store.protocol import Store
from store.submission import Submission
from tests.conftest import FakeClock

THREAD = "T1/C1/1700000000.000100"


def message(ts: str = "1700000000.000100", text: str = "hi", run: str = "r1") -> Submission:
    return Submission(THREAD, "C1", ts, "U1", text, run, 1_800_000_000.0)


@pytest.mark.clause("LEASE-1")
def test_a_new_claim_fences_off_the_owner_before_it(store: Store, clock: FakeClock) -> None:
    first = store.leases.claim(THREAD, "boot:1:1:a")
    clock.advance(16)
    second = store.leases.claim(THREAD, "boot:2:1:b")

    with pytest.raises(StaleEpochError):
        store.log.commit(first.lease, Commit("r1", records=[("r1:0:model:0", "done", "{}")]))
    answer = store.log.commit(second.lease, Commit("r1", records=[("r1:0:model:0", "done", "{}")]))

    assert answer.length == 1
    assert second.ended == "lapsed"


@pytest.mark.clause("LEASE-2")
def test_a_held_thread_names_its_owner(store: Store) -> None:
    store.leases.claim(THREAD, "boot:1:1:a")

    with pytest.raises(RunLeaseHeldError, match="boot:1:1:a"):
        store.leases.claim(THREAD, "boot:2:1:b")


@pytest.mark.clause("LEASE-2")
def test_the_lease_of_a_process_seen_dead_is_free_at_once(store: Store) -> None:
    store.admissions.admit(message())
    store.leases.claim(THREAD, "boot:1:1:a")

    assert store.leases.bury("boot:1:1:") == [THREAD]
    assert store.leases.claim(THREAD, "boot:2:1:b").ended == "dead"


@pytest.mark.clause("LEASE-4")
def test_an_owner_whose_lease_lapsed_cannot_commit_although_nobody_took_it(store: Store, clock: FakeClock) -> None:
    claim = store.leases.claim(THREAD, "boot:1:1:a")
    clock.advance(15.1)

    with pytest.raises(StaleEpochError):
        store.log.commit(claim.lease, Commit("r1", records=[("r1:0:model:0", "done", "{}")]))
    with pytest.raises(StaleEpochError):
        store.leases.renew(claim.lease)


@pytest.mark.clause("LEASE-5")
def test_input_that_arrives_during_the_release_is_not_stranded(store: Store) -> None:
    claim = store.leases.claim(THREAD, "boot:1:1:a")
    store.admissions.admit(message())

    mailbox = store.leases.release(claim.lease, idle=True)

    assert mailbox is not None
    assert [submission.text for submission in mailbox.inputs] == ["hi"]
    with pytest.raises(RunLeaseHeldError):
        store.leases.claim(THREAD, "boot:2:1:b")


@pytest.mark.clause("LEASE-5")
def test_an_empty_thread_is_released_and_owed_no_more(store: Store) -> None:
    claim = store.leases.claim(THREAD, "boot:1:1:a")

    assert store.leases.release(claim.lease, idle=True) is None
    assert store.inventory.owed("T1").threads == []


def test_a_claim_whose_answer_was_lost_is_sent_again_and_tells_the_same(store: Store) -> None:
    store.leases.claim(THREAD, "boot:1:1:a")
    store.leases.bury("boot:1:1:")
    store.admissions.admit(message())
    store.leases.bury("boot:1:1:")
    once = store.leases.claim(THREAD, "boot:2:1:b")
    again = store.leases.claim(THREAD, "boot:2:1:b")

    assert (once.ended, once.deaths) == (again.ended, again.deaths)
