"""The sweep rings sparingly, and no workspace's trouble is another's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from store.errors import StoreUnavailableError
from store.protocol import Store
from store.submission import Submission
from worker.process.board import Board
from worker.process.job import equip, work
from worker.process.sweep import Sweep
from worker.process.undertaker import bury


def admit(store: Store, thread: str, ts: str = "1.0") -> None:
    store.admissions.admit(Submission(thread, thread.split("/")[1], ts, "U1", "hello", "r1", 0.0))


def sweep_of(store: Store, rung: list[str], free: int) -> Sweep:
    def ring(thread: str) -> bool:
        rung.append(thread)
        return True

    return Sweep(store, ring, lambda: free, alive=lambda: True, name="pool", teams=["T9"])


@pytest.mark.clause("WORK-3")
def test_a_pass_rings_at_most_twice_the_free_workers(store: Store) -> None:
    for n in range(10):
        admit(store, f"T1/C{n}/1.0")
    rung: list[str] = []
    assert sweep_of(store, rung, free=0).once() == 0
    assert sweep_of(store, rung, free=2).once() == 4
    assert len(set(rung)) == 4


@pytest.mark.clause("WORK-3")
def test_trouble_in_one_workspace_leaves_the_others_their_turn(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    admit(store, "T1/C1/1.0")
    admit(store, "T2/C1/1.0")
    sweep = type(store.inventory).sweep

    def poisoned(self: object, team: str, limit: int, rings: int) -> list[str]:
        if team == "T1":
            raise RuntimeError("WRONGTYPE")
        return sweep(self, team, limit, rings)  # type: ignore[arg-type]

    monkeypatch.setattr(type(store.inventory), "sweep", poisoned)
    rung: list[str] = []
    assert sweep_of(store, rung, free=2).once() == 1
    assert rung == ["T2/C1/1.0"]
    assert "T1: WRONGTYPE" in caplog.text


def test_a_pool_is_seen_where_nobody_wrote_yet(store: Store) -> None:
    sweep_of(store, [], free=1).once()
    assert store.inventory.last_worker("T9") is not None


def test_a_store_that_is_away_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    class Away:
        def teams(self) -> list[str]:
            raise StoreUnavailableError("the store does not answer")

    class Broken:
        inventory = Away()

    sweep = sweep_of(Broken(), [], free=1)  # type: ignore[arg-type]
    assert [sweep.once(), sweep.once()] == [0, 0]
    assert caplog.text.count("does not answer") == 1


@pytest.mark.clause("LEASE-2")
def test_the_leases_of_a_dead_process_end_at_once_and_no_others(store: Store) -> None:
    for n, owner in ((1, "boot:7:100:o1"), (2, "boot:7:100:o2"), (3, "boot:7:1001:o3")):
        admit(store, f"T1/C{n}/1.0")
        store.leases.claim(f"T1/C{n}/1.0", owner)
    rung: list[str] = []
    assert bury(store.leases, lambda thread: not rung.append(thread), ["boot:7:100:"]) == 2
    assert sorted(rung) == ["T1/C1/1.0", "T1/C2/1.0"]
    assert store.leases.claim("T1/C1/1.0", "boot:8:200:o4").ended == "dead"


def test_a_store_that_is_away_leaves_the_dead_to_their_leases() -> None:
    class Away:
        def bury(self, owner_prefix: str) -> list[str]:
            raise StoreUnavailableError("away")

    assert bury(Away(), lambda _: True, ["boot:7:100:"]) == 0  # type: ignore[arg-type]


def test_a_board_counts_who_is_free() -> None:
    board = Board(3)
    board.note(0, "free")
    board.note(2, "busy")
    assert (board.count("free"), board.count("free", "busy"), board.count("gone")) == (1, 2, 1)


@pytest.fixture
def unequipped() -> Callable[[], None]:
    yield
    equip(lambda: lambda _: None)


def test_a_job_raises_nothing_and_says_what_failed(unequipped: None, caplog: pytest.LogCaptureFixture) -> None:
    def failing(thread: str) -> None:
        raise SystemExit(thread)

    equip(lambda: failing)
    work("T1/C1/1.0")
    assert "work failed thread=T1/C1/1.0" in caplog.text


def test_services_are_built_once_and_only_when_there_is_work(unequipped: None) -> None:
    built: list[int] = []
    worked: list[str] = []

    def make() -> Callable[[str], None]:
        built.append(1)
        return worked.append

    equip(make)
    assert built == []
    work("T1/C1/1.0")
    work("T1/C1/2.0")
    assert (built, worked) == ([1], ["T1/C1/1.0", "T1/C1/2.0"])
