"""The names of recorded steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import StepKeyError
from store.stepkey import OURS, StepKey

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda name: not name.startswith("#"))


@pytest.mark.clause("STEP-1")
@given(NAMES, st.integers(0, 9999), NAMES, st.integers(0, 99))
def test_every_key_is_read_back_as_it_was_built(run: str, turn: int, call: str, attempt: int) -> None:
    key = StepKey(run, turn, call, attempt)

    assert StepKey.parse(str(key)) == key
    assert str(key).count(":") == 3


@pytest.mark.clause("STEP-1")
def test_parts_are_escaped_so_that_no_call_can_pass_for_another() -> None:
    assert str(StepKey("r:1", 0, "a:1:b")) == "r%3A1:0:a%3A1%3Ab:0"


@pytest.mark.clause("STEP-1")
@pytest.mark.parametrize(
    ("run", "turn", "call", "attempt"),
    [("", 0, "a", 0), ("r", 0, "", 0), ("r", -1, "a", 0), ("r", 0, "a", -1), ("r", 0, "#mine", 0)],
)
def test_a_bad_key_is_refused_when_it_is_built(run: str, turn: int, call: str, attempt: int) -> None:
    with pytest.raises(StepKeyError):
        StepKey(run, turn, call, attempt)


@pytest.mark.clause("STEP-1")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "r:0:a",
        "r:0:a:0:0",
        "r:x:a:0",
        "r:00:a:0",
        "r:0:a:01",
        "r:0::0",
        ":0:a:0",
        "r:0:#mine:0",
        "r:0:ä:0",
        "r:0:%61:0",
    ],
)
def test_a_bad_key_is_refused_when_it_is_parsed(text: str) -> None:
    with pytest.raises(StepKeyError):
        StepKey.parse(text)


@pytest.mark.clause("STEP-1")
def test_names_of_our_own_begin_with_a_hash_and_are_a_closed_list() -> None:
    assert all(name.startswith("#") and str(StepKey("r", 0, name)) == f"r:0:{name}:0" for name in OURS)


@pytest.mark.clause("STEP-1")
def test_a_nested_step_is_named_under_its_parent() -> None:
    parent = StepKey("r", 2, "t1")

    assert str(parent.nested("charge")) == "r:2:t1/charge:0"
    assert str(parent.nested(3)) == "r:2:t1/3:0"
    for reserved in ("", "#mine"):
        with pytest.raises(StepKeyError):
            parent.nested(reserved)
