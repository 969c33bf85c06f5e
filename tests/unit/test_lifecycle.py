"""What a run may become."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from store.lifecycle import FOLLOWS, SETTLED, STATUSES, ParkReason, may_follow


@pytest.mark.clause("RUN-10")
def test_the_statuses_are_those_of_the_contract_and_each_has_its_row() -> None:
    assert " ".join(STATUSES) == "queued running waiting suspended parked completed failed aborted healed"
    assert tuple(FOLLOWS) == STATUSES


@pytest.mark.clause("RUN-10")
def test_a_settled_status_never_changes() -> None:
    assert {"completed", "failed", "aborted", "healed"} == SETTLED
    for before, after in product(SETTLED, STATUSES):
        assert not may_follow(before, after)


@pytest.mark.clause("RUN-10")
@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        ("queued", "running", True),
        ("queued", "completed", False),
        ("running", "running", True),
        ("running", "suspended", True),
        ("suspended", "running", True),
        ("suspended", "completed", False),
        ("waiting", "running", True),
        ("waiting", "healed", False),
        ("parked", "running", True),
        ("parked", "completed", False),
    ],
)
def test_only_what_the_table_says_may_follow(before: str, after: str, allowed: bool) -> None:
    assert may_follow(before, after) is allowed  # type: ignore[arg-type]


@pytest.mark.clause("RUN-10")
def test_whatever_is_open_can_still_end() -> None:
    for status in set(STATUSES) - SETTLED:
        assert may_follow(status, "aborted")


@pytest.mark.clause("RUN-10")
def test_the_reasons_to_park_are_a_closed_list() -> None:
    assert set(get_args(ParkReason)) == {"fruitless", "unknown", "spending", "credentials", "limit", "fault"}
