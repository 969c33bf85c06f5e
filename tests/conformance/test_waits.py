"""What runs wait for: the first answer decides, once, and a waiting thread rests until something stirs it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fakeredis import FakeRedis

from store.errors import AnsweredError
from store.lease import Closing, Commit, Lease
from store.protocol import Store
from store.stepkey import StepKey
from store.submission import Submission
from store.wait import Answer, Answerers, Given, How, Verdict, Wait, WaitKind, wait_id
from tests.conftest import FakeClock

THREAD = "T1/C1/1700000000.000100"


def wait(n: int = 1, kind: WaitKind = "question", thread: str = THREAD, **more: Any) -> Wait:
    key = StepKey("r1", 1, f"t{n}/{thread[-3:]}", 0)
    return Wait(wait_id(key), "r1", thread, str(key), kind, "U1", "", **{"asked": float(n), **more})


def answer(to: Wait, by: str = "U2", how: How = "button", verdict: Verdict = "", said: str = "blue") -> Answer:
    return Answer(to.id, by, 5.0, how, (Given((said,)),), verdict)


def message(n: int = 2, text: str = "blue", author: str = "U2", thread: str = THREAD) -> Submission:
    return Submission(thread, "C1", f"170000000{n}.000100", author, text, f"r{n}", 1.0)


def ask(store: Store, *waits: Wait, until: float = 0.0, thread: str = THREAD) -> None:
    """A run begins there, asks all of this, and its owner lets go of it."""
    root = Submission(thread, "C1", thread.rpartition("/")[2], "U1", "go", "r1", 1.0)
    store.admissions.admit(root)
    lease = store.leases.claim(thread, "boot:1:1:a").lease
    store.log.commit(lease, waiting(*waits, until=until, taken=[root]))
    assert store.leases.release(lease, idle=True) is None


def waiting(*waits: Wait, until: float = 0.0, **more: Any) -> Commit:
    head = {"status": "waiting", "run": "r1", "waiting": "1", "until": str(int(until * 1000))}
    records = [(one.key, "pending", "{}") for one in waits]
    rest = {f"wait:{one.id}": one.kind for one in waits}
    return Commit("r1", records=records, head=head, rest=rest, opened=list(waits), **more)


def own(store: Store, thread: str = THREAD) -> Lease:
    return store.leases.claim(thread, "boot:1:1:o").lease


def rung(store: Store) -> list[str]:
    return store.inventory.sweep("T1", 32, 64)


@pytest.mark.clause("WAIT-5", "WAIT-2")
def test_the_first_answer_decides_and_every_other_is_told_which_it_was(store: Store) -> None:
    asked = wait()
    ask(store, asked)

    first = store.waits.answer(THREAD, answer(asked))
    second = store.waits.answer(THREAD, answer(asked, by="U3", said="red"))

    assert (first.how, first.wait, first.answer) == ("taken", asked, answer(asked))
    assert (second.how, second.answer) == ("answered", answer(asked))
    stands = store.waits.look(THREAD, asked.id)
    assert stands is not None
    assert (stands.state, stands.answer) == ("answered", answer(asked))
    assert store.waits.open_in(THREAD) == []
    claim = store.leases.claim(THREAD, "boot:1:1:o")
    assert {name: Answer.from_json(raw) for name, raw in claim.mailbox.letters.items()} == {
        f"answer:{asked.id}": answer(asked)
    }


@pytest.mark.clause("WAIT-5", "GATE-5")
def test_of_answers_at_one_moment_one_decides(store: Store) -> None:
    asked = wait(kind="approval")
    ask(store, asked)
    verdicts: list[Verdict] = ["approve", "deny"] * 8

    with ThreadPoolExecutor(8) as people:
        given = [answer(asked, f"U{n}", verdict=verdict) for n, verdict in enumerate(verdicts)]
        found = list(people.map(lambda one: store.waits.answer(THREAD, one), given))

    assert sorted(taken.how for taken in found) == ["answered"] * 15 + ["taken"]
    [decided] = {taken.answer.by for taken in found if taken.answer is not None}
    assert [taken.how for taken in found][int(decided[1:])] == "taken"


@pytest.mark.clause("WAIT-5")
def test_an_unknown_wait_and_one_whose_run_is_over_take_nothing_and_say_so(store: Store) -> None:
    asked = wait()
    assert store.waits.answer(THREAD, answer(asked)).how == "unknown"
    ask(store, asked)
    lease = own(store)
    over = Closing(answer(asked, how="stopped"), over=True)
    store.log.commit(lease, Commit("r1", closed=[over], progress=False))

    late = store.waits.answer(THREAD, answer(asked, by="U3"))

    assert (late.how, late.answer) == ("over", over.answer)
    assert store.waits.find("T1", asked.id) is None


@pytest.mark.clause("WAIT-4")
def test_a_deadline_is_judged_by_the_stores_clock_and_closes_the_wait_once(store: Store, clock: FakeClock) -> None:
    asked, other = wait(deadline=clock.now() + 60), wait(2, deadline=clock.now() + 60)
    ask(store, asked, other, until=clock.now() + 60)
    assert rung(store) == []
    assert store.waits.answer(THREAD, answer(other)).how == "taken"
    clock.advance(60)

    assert store.waits.answer(THREAD, answer(asked)).how == "late"
    assert rung(store) == [THREAD]
    lease = own(store)
    with pytest.raises(AnsweredError):
        store.log.commit(lease, Commit("r1", closed=[Closing(answer(other, how="deadline"), unanswered=True)]))
    nobody = Closing(answer(asked, by="", how="deadline"), unanswered=True)
    store.log.commit(lease, Commit("r1", closed=[nobody]))
    assert store.waits.answer(THREAD, answer(asked)).answer == nobody.answer


@pytest.mark.clause("GATE-5")
def test_at_a_quorum_votes_of_different_people_count_and_the_last_of_them_decides(store: Store) -> None:
    asked = wait(kind="approval", answerers=Answerers(quorum=3))
    ask(store, asked)

    said = [store.waits.answer(THREAD, answer(asked, by, verdict="approve")) for by in ("U2", "U2", "U3", "U4", "U5")]

    assert [(taken.how, taken.votes) for taken in said] == [
        *(("voted", 1), ("known", 1), ("voted", 2), ("taken", 3), ("answered", 0))
    ]
    assert said[-1].answer == answer(asked, "U4", verdict="approve")


@pytest.mark.clause("GATE-5")
def test_the_first_denial_decides_also_where_others_have_approved(store: Store) -> None:
    asked = wait(kind="approval", answerers=Answerers(quorum=3))
    ask(store, asked)
    store.waits.answer(THREAD, answer(asked, "U2", verdict="approve"))

    assert store.waits.answer(THREAD, answer(asked, "U3", verdict="deny")).how == "taken"
    assert store.waits.answer(THREAD, answer(asked, "U4", verdict="approve")).how == "answered"


@pytest.mark.clause("GATE-5")
def test_deciding_one_of_several_leaves_the_others_open(store: Store) -> None:
    waits = [wait(n, "approval") for n in (1, 2, 3)]
    ask(store, *waits)
    store.waits.answer(THREAD, answer(waits[1], verdict="approve"))
    assert store.waits.open_in(THREAD) == [waits[0], waits[2]]


@pytest.mark.clause("STEER-3", "WAIT-2")
def test_a_message_that_is_the_answer_is_no_input_however_often_it_comes(store: Store) -> None:
    asked = wait()
    ask(store, asked)

    assert store.waits.answer(THREAD, answer(asked, how="words"), message()).how == "taken"
    assert store.waits.answer(THREAD, answer(asked, how="words"), message()).how == "known"
    again = store.admissions.admit(message())
    assert again is not None
    assert (again.new, again.run) == (False, "r2")


@pytest.mark.clause("STEER-3")
def test_a_message_that_comes_too_late_to_be_the_answer_may_still_be_an_input(store: Store) -> None:
    asked = wait()
    ask(store, asked)
    store.waits.answer(THREAD, answer(asked))

    assert store.waits.answer(THREAD, answer(asked, how="words"), message()).how == "answered"
    receipt = store.admissions.admit(message())
    assert receipt is not None
    assert receipt.new


@pytest.mark.clause("STEER-3")
def test_a_message_that_was_an_input_before_is_no_answer(store: Store) -> None:
    asked = wait()
    ask(store, asked)
    store.admissions.admit(message())

    assert store.waits.answer(THREAD, answer(asked, how="words"), message()).how == "known"
    assert store.waits.open_in(THREAD) == [asked]


@pytest.mark.clause("ACCESS-3")
def test_a_message_in_a_muted_thread_is_no_answer_and_a_click_is(store: Store) -> None:
    asked = wait()
    ask(store, asked)
    store.admissions.mute(THREAD, "1700000001.000100", on=True)

    assert store.waits.answer(THREAD, answer(asked, how="words"), message()).how == "ignored"
    assert store.waits.answer(THREAD, answer(asked)).how == "taken"


@pytest.mark.clause("STEER-3", "STOP-1")
def test_a_stop_word_means_the_open_run_or_the_next_one_and_none_that_began_later(store: Store) -> None:
    assert store.admissions.stoppable(message(5), whose="any") == ""
    store.admissions.admit(message(2))
    store.admissions.admit(message(3))
    assert store.admissions.stoppable(message(5), whose="any") == "r2"
    lease = own(store)
    begun = Commit("r2", records=[("r2:0:#start:0", "done", "{}")], head={"run": "r2"}, taken=[message(2)])
    store.log.commit(lease, begun)
    store.admissions.mute(THREAD, "1700000004.000100", on=True)

    meant = [store.admissions.stoppable(message(n), whose="thread") for n in (1, 3, 5)]
    assert meant == ["", "r2", ""]
    assert store.admissions.stoppable(message(5), whose="any") == "r2"


@pytest.mark.clause("STEER-3", "STOP-1")
def test_a_message_that_stops_a_run_stops_it_once_and_is_no_input(store: Store) -> None:
    ask(store, wait())

    found = [store.admissions.stop(THREAD, "r1", "U2", message=message(n)) for n in (2, 2, 3)]
    late = store.admissions.stop(THREAD, "r9", "U2", message=message(4))

    assert (found, late) == (["stopping", "known", "again"], "over")
    receipts = [store.admissions.admit(message(n)) for n in (2, 3, 4)]
    assert [(one.new, one.run) for one in receipts if one is not None] == [(False, "r1"), (False, "r1"), (False, "r9")]


@pytest.mark.clause("ASK-2")
def test_open_cards_are_recalled_once_in_a_time_the_longest_unseen_first(store: Store, clock: FakeClock) -> None:
    threads = [f"T1/C1/17000000{n}0.000{n}00" for n in range(1, 5)]
    for n, thread in enumerate(threads):
        ask(store, wait(n, thread=thread), thread=thread)
        clock.advance(10)
    closed = wait(0, thread=threads[0])
    store.waits.answer(threads[0], answer(closed))

    assert store.waits.recall("T1", unseen=600, limit=50) == []
    clock.advance(600)
    assert store.waits.recall("T1", unseen=600, limit=2) == threads[1:3]
    assert store.waits.recall("T1", unseen=600, limit=50) == threads[3:]
    assert store.waits.recall("T1", unseen=600, limit=50) == []
    for thread in threads[1:]:
        mailbox = store.leases.claim(thread, "boot:1:1:o").mailbox
        assert [name.partition(":")[0] for name in mailbox.letters] == ["again"]
    clock.advance(601)
    assert store.waits.recall("T1", unseen=600, limit=50) == [], "who was asked to look, and did not yet"


@pytest.mark.clause("WAIT-1")
def test_open_waits_are_listed_in_the_order_of_asking_and_page_by_page(store: Store) -> None:
    waits = [wait(n) for n in (3, 1, 2)]
    ask(store, *waits)
    assert [one.asked for one in store.waits.open_in(THREAD)] == [1.0, 2.0, 3.0]

    found, cursor = [], None
    while True:
        page = store.waits.open("T1", cursor=cursor, limit=1)
        found += page.waits
        if (cursor := page.cursor) is None:
            break
    assert sorted(found, key=lambda one: one.asked) == sorted(waits, key=lambda one: one.asked)
    assert store.waits.find("T1", waits[0].id) == store.waits.look(THREAD, waits[0].id)


@pytest.mark.clause("WAIT-3")
def test_a_waiting_thread_rests_while_messages_queue_and_is_stirred_by_an_answer(store: Store) -> None:
    asked = wait()
    ask(store, asked)
    store.admissions.admit(message())
    assert store.leases.release(own(store), idle=True) is None
    assert not store.inventory.look(THREAD)

    store.waits.answer(THREAD, answer(asked))

    assert rung(store) == [THREAD]
    assert store.leases.release(own(store), idle=True) is not None


@pytest.mark.clause("WAIT-3", "STOP-1")
@pytest.mark.parametrize(("run", "stirs"), [("r1", True), ("r2", False)])
def test_a_waiting_thread_is_stirred_by_a_stop_of_its_run_and_not_by_one_of_a_run_behind_it(
    store: Store, run: str, stirs: bool
) -> None:
    ask(store, wait())
    store.admissions.admit(message())
    store.admissions.stop(THREAD, run, "U2")
    assert store.inventory.look(THREAD) == stirs


@pytest.mark.clause("WAIT-3", "WAIT-4")
def test_a_waiting_thread_is_stirred_when_its_moment_comes_and_not_before(store: Store, clock: FakeClock) -> None:
    ask(store, wait(), until=clock.now() + 3_600)
    for _ in range(3):
        clock.advance(1_000)
        assert rung(store) == []
    clock.advance(600)
    assert rung(store) == [THREAD]


@pytest.mark.clause("WAIT-3", "LOG-4")
def test_a_waiting_thread_lives_and_leaves_nothing_once_it_is_over(
    store: Store, clock: FakeClock, redis: FakeRedis
) -> None:
    asked = wait(kind="approval", answerers=Answerers(quorum=2))
    ask(store, asked)
    store.waits.answer(THREAD, answer(asked, verdict="approve"))
    clock.advance(40 * 86_400)
    assert store.waits.open_in(THREAD) == [asked]
    store.waits.answer(THREAD, answer(asked, "U3", verdict="approve"))
    lease = own(store)
    head = {"run": "", "waiting": "0", "status": "completed"}
    done = [f"wait:{asked.id}"]
    over = Commit(
        "r1",
        records=[("r1:9:#settled:0", "done", "{}")],
        head=head,
        done=done,
        outcome=("r1", "{}"),
        forget_steps=True,
        closed=[Closing(answer(asked, "U3", verdict="approve"))],
    )
    store.log.commit(lease, over)
    assert store.leases.release(lease, idle=True) is None
    assert {key for key in redis.scan_iter() if redis.ttl(key) < 0} == {"everthread:teams"}
