"""What is owed, and the sweep that rings for it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from fakeredis import FakeRedis

from store.lease import Commit
from store.protocol import Store
from store.submission import Submission
from tests.conftest import FakeClock

SETTLED = ("r1:0:#settled:0", "done", "{}")


def thread(n: int = 1) -> str:
    return f"T1/C1/170000000{n}.000100"


def said(n: int = 1) -> Submission:
    return Submission(thread(n), "C1", f"170000000{n}.000100", "U1", "hi", f"r{n}", 0.0)


def admit(store: Store, n: int = 1) -> None:
    store.admissions.admit(said(n))


@pytest.mark.clause("WORK-1")
def test_an_admission_is_owed_until_it_is_settled_and_delivered(store: Store) -> None:
    admit(store)
    assert store.inventory.owed("T1").threads == [thread()]

    lease = store.leases.claim(thread(), "o").lease
    settlement = Commit("r1", records=[SETTLED], due={"delivery:r1": ""}, taken=[said()])
    store.log.commit(lease, settlement)
    store.leases.release(lease, idle=False)
    head = store.inventory.head(thread())
    assert head is not None
    assert list(head.due) == ["delivery:r1"]

    lease = store.leases.claim(thread(), "o").lease
    store.log.commit(lease, Commit("r1", records=[("r1:0:#delivered:1", "done", "{}")], done=["delivery:r1"]))
    assert store.leases.release(lease, idle=True) is None
    assert store.inventory.owed("T1").threads == []


@pytest.mark.clause("WORK-1")
def test_the_inventory_is_paged_and_lists_everything(store: Store) -> None:
    for n in range(1, 8):
        admit(store, n)

    found, cursor, pages = [], None, 0
    while True:
        page = store.inventory.owed("T1", cursor=cursor, limit=3)
        found += page.threads
        pages += 1
        if (cursor := page.cursor) is None:
            break

    assert sorted(found) == [thread(n) for n in range(1, 8)]


@pytest.mark.clause("WORK-1")
def test_reading_the_inventory_grants_nothing_and_changes_nothing(store: Store, redis: FakeRedis) -> None:
    admit(store)
    before = {key: redis.dump(key) for key in redis.scan_iter()}

    store.inventory.owed("T1")
    store.inventory.head(thread())

    assert {key: redis.dump(key) for key in redis.scan_iter()} == before


@pytest.mark.clause("WORK-3")
def test_the_sweep_rings_what_is_due_and_then_less_and_less_often(store: Store, clock: FakeClock) -> None:
    admit(store)

    rings = []
    for second in range(200):
        if store.inventory.sweep("T1", 32, 64):
            rings.append(second)
        clock.advance(1)

    gaps = [later - earlier for earlier, later in pairwise(rings)]
    assert gaps == [2, 4, 8, 16, 32, 60, 60]


@pytest.mark.clause("WORK-3")
def test_a_held_thread_is_not_rung_until_its_lease_is_over(store: Store, clock: FakeClock) -> None:
    admit(store)
    store.leases.claim(thread(), "o")

    clock.advance(14)
    assert store.inventory.sweep("T1", 32, 64) == []
    clock.advance(2)
    assert store.inventory.sweep("T1", 32, 64) == [thread()]


@pytest.mark.clause("WORK-3")
def test_a_pass_of_the_sweep_is_bounded(store: Store) -> None:
    for n in range(1, 8):
        admit(store, n)

    assert len(store.inventory.sweep("T1", 32, 3)) == 3
    assert len(store.inventory.sweep("T1", 2, 64)) == 2


@pytest.mark.clause("WORK-3")
def test_an_index_that_says_too_much_is_mended(store: Store, redis: FakeRedis) -> None:
    redis.zadd("everthread:{T1}:owed", {thread(): 0})

    assert not store.inventory.look(thread())
    assert store.inventory.owed("T1").threads == []


@pytest.mark.clause("TOOL-2")
def test_an_unknown_effect_stays_listed_after_the_run_and_goes_with_its_thread(
    store: Store, clock: FakeClock, redis: FakeRedis
) -> None:
    admit(store)
    lease = store.leases.claim(thread(), "o").lease
    store.log.commit(lease, Commit("r1", records=[SETTLED], rest={"unknown:r1:0:t1:0": "{}"}, taken=[said()]))
    store.leases.release(lease, idle=True)

    head = store.inventory.head(thread())
    assert head is not None
    assert list(head.rest) == ["unknown:r1:0:t1:0"]
    clock.advance(31 * 86_400)
    assert store.inventory.head(thread()) is None
    assert not store.inventory.look(thread())
    assert store.inventory.owed("T1").threads == []


@pytest.mark.clause("LOG-4")
def test_every_key_that_is_left_by_finished_work_expires(store: Store, redis: FakeRedis) -> None:
    admit(store)
    lease = store.leases.claim(thread(), "o").lease
    store.log.commit(
        lease,
        Commit("r1", records=[SETTLED], taken=[said()], outcome=("r1", "{}"), forget_steps=True),
    )
    store.leases.release(lease, idle=True)

    lasting = {key for key in redis.scan_iter() if redis.ttl(key) < 0}

    assert lasting == {"everthread:teams"}


@pytest.mark.clause("WORK-3")
def test_one_poisoned_thread_never_stops_the_others(store: Store, redis: FakeRedis) -> None:
    admit(store, 1)
    admit(store, 2)
    redis.delete("everthread:{T1}:t:C1:1700000001.000100:order")
    redis.set("everthread:{T1}:t:C1:1700000001.000100:order", "damaged")

    assert store.inventory.sweep("T1", 32, 64) == [thread(2)]
    assert thread(1) in store.inventory.owed("T1").threads
