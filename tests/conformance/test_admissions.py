"""Accepting input: once, durable, in order."""

from __future__ import annotations

import pytest
from fakeredis import FakeRedis

from store.errors import AdmissionConflictError
from store.lease import Commit
from store.protocol import Store
from store.submission import Receipt, Submission
from tests.conftest import FakeClock

THREAD = "T1/C1/1700000000.000100"


def message(ts: str = "1700000000.000100", text: str = "hi", run: str = "r1", author: str = "U1") -> Submission:
    return Submission(THREAD, "C1", ts, author, text, run, 1_800_000_000.0)


@pytest.mark.clause("ADMIT-2")
def test_the_same_input_again_gets_the_same_receipt(store: Store) -> None:
    first = store.admissions.admit(message(run="r1"))
    again = store.admissions.admit(message(run="r2"))

    assert first == Receipt(THREAD, "r1", new=True)
    assert again == Receipt(THREAD, "r1", new=False)
    assert len(store.leases.claim(THREAD, "o").mailbox.inputs) == 1


@pytest.mark.clause("STEER-1")
def test_the_receipt_tells_again_whether_a_message_waits_as_long_as_it_does(store: Store) -> None:
    late = message(ts="1700000000.000200", run="r2")
    for said in (message(), late):
        store.admissions.admit(said)

    assert store.admissions.admit(late) == Receipt(THREAD, "r2", new=False, waits=True)
    assert store.admissions.admit(message()) == Receipt(THREAD, "r1", new=False, waits=False)
    store.admissions.withdraw(THREAD, "U1")
    assert store.admissions.admit(late) == Receipt(THREAD, "r2", new=False, waits=False)


@pytest.mark.clause("ADMIT-2")
def test_another_input_under_the_same_key_is_a_conflict_and_the_first_stands(store: Store) -> None:
    store.admissions.admit(message(text="hi"))

    with pytest.raises(AdmissionConflictError):
        store.admissions.admit(message(text="something else"))
    assert [found.text for found in store.leases.claim(THREAD, "o").mailbox.inputs] == ["hi"]


@pytest.mark.clause("ADMIT-2")
def test_an_admission_that_is_given_up_frees_its_key(store: Store) -> None:
    store.admissions.admit(message(text="hi"))

    assert store.admissions.abandon(message(text="hi"))
    assert store.admissions.admit(message(text="another", run="r9")) == Receipt(THREAD, "r9", new=True)
    assert not store.admissions.abandon(message(ts="1.000001"))


@pytest.mark.clause("ADMIT-3")
def test_a_key_lives_for_a_day_and_an_hour_at_least(store: Store, clock: FakeClock) -> None:
    store.admissions.admit(message())
    clock.advance(25 * 3600)

    again = store.admissions.admit(message(run="r2"))

    assert again is not None
    assert not again.new


@pytest.mark.clause("ADMIT-3")
def test_a_key_is_not_burnt_by_a_message_that_is_not_for_us(store: Store) -> None:
    assert store.admissions.admit(message(), whose="asker") is None

    receipt = store.admissions.admit(message())

    assert receipt is not None
    assert receipt.new


@pytest.mark.clause("ADMIT-4")
def test_slacks_ts_decides_the_order_and_a_late_older_message_comes_first(store: Store) -> None:
    for n in (3, 1, 2):
        store.admissions.admit(message(ts=f"170000000{n}.000100", text=str(n), run=f"r{n}"))

    inputs = store.leases.claim(THREAD, "o").mailbox.inputs

    assert [found.text for found in inputs] == ["1", "2", "3"]


@pytest.mark.clause("ADMIT-4")
def test_ts_differing_by_one_microsecond_are_told_apart(store: Store) -> None:
    store.admissions.admit(message(ts="1700000000.000101", text="b", run="r2"))
    store.admissions.admit(message(ts="1700000000.000100", text="a", run="r1"))

    assert [found.text for found in store.leases.claim(THREAD, "o").mailbox.inputs] == ["a", "b"]


@pytest.mark.clause("STOP-1")
def test_a_stop_is_stored_before_the_run_began_and_asked_only_once(store: Store) -> None:
    store.admissions.admit(message(run="r1"))

    assert store.admissions.stop(THREAD, "r1", "U2") == "stopping"
    assert store.admissions.stop(THREAD, "r1", "U3") == "again"
    assert store.leases.claim(THREAD, "o").mailbox.stops["r1"].by == "U2"


@pytest.mark.clause("STOP-1")
def test_a_run_nobody_knows_cannot_be_stopped(store: Store) -> None:
    assert store.admissions.stop(THREAD, "r1", "U2") == "over"


@pytest.mark.clause("STOP-1")
def test_a_thread_stops_only_runs_that_it_knows(store: Store) -> None:
    store.admissions.admit(message(run="r1"))
    store.admissions.admit(message(ts="1700000001.000100", run="r2"))
    lease = store.leases.claim(THREAD, "o").lease
    store.log.commit(lease, Commit("r1", head={"run": "r1"}, taken=[message(run="r1")], due={"run:r1": ""}))

    assert store.admissions.stop(THREAD, "r9", "U2") == "over"
    assert store.admissions.stop(THREAD, "r", "U2") == "over"
    assert dict(store.leases.renew(lease).stops) == {}
    assert [store.admissions.stop(THREAD, run, "U2") for run in ("r1", "r2")] == ["stopping", "stopping"]

    store.log.commit(lease, Commit("r3", head={"run": ""}, rest={"parked:r3": "{}"}))
    assert store.admissions.stop(THREAD, "r3", "U2") == "stopping"


@pytest.mark.clause("STOP-1")
def test_withdrawn_messages_are_gone_and_their_receipts_lead_to_an_outcome(store: Store) -> None:
    store.admissions.admit(message(run="r1"))

    assert [found.run for found in store.admissions.withdraw(THREAD, "U1")] == ["r1"]

    outcome = store.admissions.outcome("T1", "r1")
    assert outcome is not None
    assert outcome["status"] == "aborted"
    assert store.leases.claim(THREAD, "o").mailbox.inputs == ()


@pytest.mark.clause("SEC-4")
def test_what_is_stored_is_text_that_json_or_redis_alone_can_read(store: Store, redis: FakeRedis) -> None:
    store.admissions.admit(message(text="caf\ud83dé \x00"))

    stored = "".join(redis.hvals("everthread:{T1}:t:C1:1700000000.000100:mail"))

    assert '"text":"caf\N{REPLACEMENT CHARACTER}é \N{REPLACEMENT CHARACTER}"' in stored
