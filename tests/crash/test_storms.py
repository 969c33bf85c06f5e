"""A few of the storms of `make chaos`; each seed is a schedule of its own, and the same one every time."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from playground.chaos.invariants import violations
from playground.chaos.play import play

SEEDS = range(8)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Deaths and lapses are told in the log by design."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.clause("RUN-1", "RUN-17", "LEASE-1", "LEASE-4", "STEP-3", "STEP-6", "TOOL-5", "WORK-2", "ADMIT-3")
@pytest.mark.clause("REPLY-2", "USAGE-1", "WAIT-1", "GATE-2", "ASK-2", "STOP-1")
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_or_done_twice_in_a_storm(seed: int) -> None:
    assert violations(play(seed)) == []


@pytest.mark.clause("RUN-1")
def test_a_seed_replays_its_schedule() -> None:
    first, second = play(93), play(93)

    assert first.tally == second.tally
    assert first.tally["deaths"] > 0
    assert [post.views for post in first.slack.posts] == [post.views for post in second.slack.posts]
