"""What lists and the home tab read: threads at a glance, a person's runs, what waits for whom, what was chosen."""

from __future__ import annotations

import pytest
from redis import Redis

from store.lease import Closing, Commit
from store.protocol import Store
from store.submission import Submission
from store.wait import Answer, Answerers, Wait, WaitKind
from tests.conftest import FakeClock

TEAM = "T1"


def thread(n: int) -> str:
    return f"T1/C{n}/170000000{n}.000100"


def said(n: int, run: str = "", author: str = "U1") -> Submission:
    return Submission(thread(n), f"C{n}", f"170000000{n}.000100", author, "hi", run or f"r{n}", 5.0)


def asked(name: str, by: tuple[str, ...], n: int = 1, *, kind: WaitKind = "question", but: bool = False) -> Wait:
    decide = Answerers(by, not_asker=but)
    return Wait(name, "r1", thread(n), f"r1:0:{name}:0", kind, "U1", "?", float(n), answerers=decide)


@pytest.mark.clause("ADMIN-1")
def test_many_threads_are_seen_at_once_each_as_it_is_noted(store: Store) -> None:
    for n in (1, 2):
        store.admissions.admit(said(n))
    store.admissions.stop(thread(2), "r2", "U2")
    lease = store.leases.claim(thread(1), "boot:7:1:x").lease
    head = {"run": "r1", "status": "waiting", "waiting": "1", "until": "9000", "pause": ""}
    taking = Commit("r1", head=head, due={"run:r1": ""}, rest={"wait:w1": "plan"}, taken=[said(1)], anew=True)
    taking.opened = [asked("w1", ("channel",))]
    store.log.commit(lease, taking)

    first, none, second = store.inventory.glances([thread(1), thread(3), thread(2)])

    assert none is None
    assert first is not None
    assert second is not None
    assert (first.run, first.status, first.until, first.owner) == ("r1", "waiting", 9.0, "boot:7:1:x")
    assert first.lease_left > 0
    assert ([wait.id for wait in first.waits], dict(first.due), first.queued) == (["w1"], {"run:r1": ""}, 0)
    assert (second.run, second.status, second.owner, second.held) == ("", "queued", "", 0.0)
    assert [one.run for one in second.inputs] == ["r2"]
    assert second.stops["r2"].by == "U2"
    assert (first.looked_at is not None, second.looked_at) == (True, 0.0)
    assert (list(store.inventory.glances([])), store.inventory.count(TEAM)) == ([], 2)


def test_where_a_run_came_from_is_kept_and_a_person_has_their_latest_fifty(store: Store, clock: FakeClock) -> None:
    for n in range(60):
        ts = f"17000001{n:02}.000100"
        store.admissions.admit(Submission(f"T1/C1/{ts}", "C1", ts, "U1", "hi", f"r{n}", 5.0))
        clock.advance(0.01)

    found = store.admissions.origins(TEAM, ["r59", "r0", "nobody"])
    runs = store.admissions.runs_of(TEAM, "U1")

    assert (found["r59"].thread, found["r59"].author) == ("T1/C1/1700000159.000100", "U1")
    assert set(found) == {"r59", "r0"}
    assert found["r59"].at > 0
    assert list(runs) == [f"r{n}" for n in range(59, 9, -1)]
    assert list(store.admissions.runs_of(TEAM, "U1", 2)) == ["r59", "r58"]
    assert (store.admissions.runs_of(TEAM, "U2"), store.admissions.origins(TEAM, [])) == ([], {})


@pytest.mark.clause("ADMIN-1")
def test_open_waits_are_found_by_who_may_answer_and_leave_no_trace_when_they_are_over(
    store: Store, redis: Redis
) -> None:
    lease = store.leases.claim(thread(1), "o").lease
    waits = [
        asked("w1", ("asker",)),
        asked("w2", ("channel",)),
        asked("w3", ("U2", "S1", "U2")),
        asked("w4", ("asker", "U3"), kind="approval", but=True),
    ]
    store.log.commit(lease, Commit("r1", opened=waits))

    def found(*who: str) -> set[str]:
        return {wait.id for wait in store.waits.open_to(TEAM, who, limit=9).waits}

    assert [found("U1"), found("C1"), found("U2"), found("S1"), found("U3")] == [{"w1"}, {"w2"}, {"w3"}, {"w3"}, {"w4"}]
    assert found("U1", "C1", "S1", "nobody") == {"w1", "w2", "w3"}

    over = [Closing(Answer(wait.id, "U2", 1.0, "button")) for wait in waits]
    store.log.commit(lease, Commit("r1", closed=over))
    assert found("U1", "C1", "U2", "S1", "U3") == set()
    assert list(redis.scan_iter("everthread:*:open:*")) == []
    assert [name for name in redis.hkeys(f"everthread:{{{TEAM}}}:t:C1:1700000001.000100:waits") if ".for" in name] == []


@pytest.mark.clause("ADMIN-1")
def test_the_newest_open_waits_come_first_with_how_many_there_are_besides(store: Store, clock: FakeClock) -> None:
    lease = store.leases.claim(thread(1), "o").lease
    for n in range(8):
        store.log.commit(lease, Commit("r1", opened=[asked(f"w{n}", ("channel", "U2"))]))
        clock.advance(1)

    listed = store.waits.open_to(TEAM, ("C1", "U2"), limit=3)
    assert [wait.id for wait in listed.waits] == ["w7", "w6", "w5"]
    assert 5 <= listed.more <= 10
    assert store.waits.open_to(TEAM, ("C1",), limit=3).more == 5
    assert store.waits.open_to(TEAM, (), limit=3).more == 0


def test_an_answered_wait_waits_for_nobody(store: Store) -> None:
    lease = store.leases.claim(thread(1), "o").lease
    store.log.commit(lease, Commit("r1", opened=[asked("w1", ("channel",))]))
    store.waits.answer(thread(1), Answer("w1", "U2", 1.0, "button"))
    assert store.waits.open_to(TEAM, ("C1",), limit=3).waits == []


@pytest.mark.clause("ADMIN-1")
def test_what_was_spent_is_told_by_day_and_what_was_chosen_by_name(store: Store, clock: FakeClock) -> None:
    store.admissions.admit(said(1))
    lease = store.leases.claim(thread(1), "o").lease
    store.log.commit(lease, Commit("r1", spend=7))
    clock.advance(86_400)
    lease = store.leases.claim(thread(2), "o").lease
    store.log.commit(lease, Commit("r2", spend=5))
    assert list(store.workspace.spent(TEAM, 3)) == [5, 7, 0]

    turn = store.workspace.take_turn(TEAM, "read", "r1", urgent=True)
    store.workspace.end_turn(TEAM, "read", turn)
    assert store.workspace.calls(TEAM)["read"] == (1, 48)
    assert store.workspace.calls(TEAM)["edit"] == (0, 48)

    store.workspace.choose(TEAM, "listen:C1", "all")
    assert (store.workspace.chosen(TEAM, "listen:C1"), store.workspace.chosen(TEAM, "listen:C2")) == ("all", None)
    assert store.workspace.all_chosen(TEAM) == {"listen:C1": "all"}
    store.workspace.choose(TEAM, "listen:C1", None)
    assert store.workspace.chosen(TEAM, "listen:C1") is None
