"""What is unfinished is listed, whatever it is, and what is finished costs nothing."""

from __future__ import annotations

import pytest
from fakeredis import FakeRedis

from store.lease import Commit, Lease
from store.protocol import Store
from store.submission import Submission
from tests.conftest import FakeClock

THREAD = "T1/C1/1700000001.000100"
TS = "1700000001.000100"
SAID = Submission(THREAD, "C1", TS, "U1", "hi", "r1", 0.0)
SETTLED = ("r1:0:#settled:0", "done", "{}")


def claimed(store: Store) -> Lease:
    store.admissions.admit(SAID)
    return store.leases.claim(THREAD, "boot:1:1:a").lease


@pytest.mark.clause("WORK-1")
@pytest.mark.parametrize(
    "left",
    [
        Commit("r1", records=[SETTLED], due={"run:r1": ""}, taken=[SAID]),
        Commit("r1", records=[SETTLED], due={"delivery:r1": ""}, taken=[SAID]),
        Commit("r1", records=[SETTLED], rest={"parked:r1": "{}"}, taken=[SAID]),
        Commit("r1", records=[SETTLED], rest={"unknown:r1:0:t1:0": "{}"}, taken=[SAID]),
        Commit("r1", records=[SETTLED]),
    ],
    ids=["an open run", "a delivery", "a parked run", "an unknown effect", "an admission"],
)
def test_whatever_is_unfinished_stays_listed_after_its_owner_let_go(store: Store, left: Commit) -> None:
    lease = claimed(store)
    store.log.commit(lease, left)

    store.leases.release(lease, idle=False)

    assert store.inventory.owed("T1").threads == [THREAD]
    head = store.inventory.head(THREAD)
    assert head is not None
    assert [*head.due, *head.rest] == [*left.due, *left.rest]
    assert head.queued == (0 if left.taken else 1)


@pytest.mark.clause("WORK-1")
def test_what_waits_for_a_person_is_listed_and_nobody_is_rung_for_it(store: Store, clock: FakeClock) -> None:
    lease = claimed(store)
    store.log.commit(lease, Commit("r1", records=[SETTLED], rest={"parked:r1": "{}"}, taken=[SAID]))
    store.leases.release(lease, idle=True)
    clock.advance(3600)

    assert store.inventory.owed("T1").threads == [THREAD]
    assert store.inventory.sweep("T1", 32, 64) == []


@pytest.mark.clause("WORK-1")
def test_a_thread_that_fell_out_of_the_index_is_put_back_by_its_name(store: Store, redis: FakeRedis) -> None:
    store.leases.release(claimed(store), idle=False)
    redis.delete("everthread:{T1}:owed")

    assert store.inventory.look(THREAD)
    assert store.inventory.owed("T1").threads == [THREAD]


@pytest.mark.clause("WORK-3")
@pytest.mark.parametrize("name", ["nonsense", "T1/C1/170.9"])
def test_one_poisoned_thread_is_put_off_and_the_others_are_rung(
    store: Store, redis: FakeRedis, clock: FakeClock, name: str
) -> None:
    store.leases.release(claimed(store), idle=False)
    redis.set("everthread:{T1}:t:C1:170.9:head", "not a hash")
    redis.zadd("everthread:{T1}:owed", {name: 0})

    assert store.inventory.sweep("T1", 1, 8) == []
    assert store.inventory.sweep("T1", 1, 8) == [THREAD]
    assert redis.zscore("everthread:{T1}:owed", name) == clock.now() * 1000 + 60_000


@pytest.mark.clause("LOG-4")
def test_finished_threads_cost_the_listing_and_the_sweep_nothing(store: Store) -> None:
    for n in range(50):
        thread = f"T1/C1/170000{n:04}.000100"
        said = Submission(thread, "C1", f"170000{n:04}.000100", "U1", "hi", f"r{n}", 0.0)
        store.admissions.admit(said)
        lease = store.leases.claim(thread, "boot:1:1:a").lease
        store.log.commit(lease, Commit(f"r{n}", records=[SETTLED], taken=[said]))
        store.leases.release(lease, idle=True)

    page = store.inventory.owed("T1")

    assert (page.threads, page.cursor) == ([], None)
    assert store.inventory.sweep("T1", 32, 64) == []


@pytest.mark.clause("ADMIT-2")
def test_a_receipt_leads_to_the_outcome_once_there_is_one(store: Store) -> None:
    lease = claimed(store)
    assert store.admissions.outcome("T1", "r1") is None

    store.log.commit(lease, Commit("r1", records=[SETTLED], taken=[SAID], outcome=("r1", '{"text":"done"}')))

    receipt = store.admissions.admit(Submission(THREAD, "C1", TS, "U1", "hi", "r9", 0.0))
    assert receipt is not None
    assert store.admissions.outcome("T1", receipt.run) == {"text": "done"}


@pytest.mark.clause("LEASE-2")
def test_a_claim_counts_a_new_epoch_each_time_and_tells_the_status_it_found(store: Store) -> None:
    lease = claimed(store)
    store.log.commit(lease, Commit("r1", records=[SETTLED], head={"status": "suspended", "run": "r1"}))
    store.leases.release(lease, idle=False)

    claim = store.leases.claim(THREAD, "boot:1:1:b")

    first, second = lease.epoch.split("."), claim.lease.epoch.split(".")
    assert (int(second[0]) - int(first[0]), first[1] == second[1]) == (1, False)
    assert (claim.status, claim.run, claim.ended) == ("suspended", "r1", "released")


@pytest.mark.clause("LEASE-1")
def test_a_stop_or_a_message_of_anybody_reaches_the_mailbox_and_never_the_log(store: Store) -> None:
    lease = claimed(store)
    store.admissions.admit(Submission(THREAD, "C1", "1700000002.000100", "U2", "and", "r2", 0.0))
    store.admissions.stop(THREAD, "r1", "U2")

    assert store.log.read(THREAD) == []
    assert sorted(store.leases.signals(lease, 0.1) + store.leases.signals(lease, 0.1)) == ["mail", "stop"]
    assert list(store.leases.renew(lease).stops) == ["r1"]
