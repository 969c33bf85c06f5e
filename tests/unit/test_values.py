"""JSON as it is stored."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.values import clean, decode, digest, digest_of, encode
from worker.tools.tool import as_output

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.mark.clause("STEP-8")
@given(PLAIN)
def test_a_value_is_read_back_as_it_was_stored_and_stores_the_same_again(value: Any) -> None:
    raw = encode(value)

    assert encode(decode(raw)) == raw
    assert raw.encode().decode() == raw
    assert "\\u0000" not in raw


@pytest.mark.clause("STEP-8")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: "a"}, [{"a": {None: 1}}], {1, 2}, object(), b"x"])
def test_what_json_would_lose_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode(value)


@pytest.mark.clause("STEP-8")
def test_nul_and_lone_surrogates_are_replaced_and_a_split_pair_is_joined() -> None:
    assert clean("a\x00b\ud83dc") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"
    assert clean("\ud83d\ude00") == "\N{GRINNING FACE}"
    assert decode(encode({"\x00": ["\udc00"]})) == {"\N{REPLACEMENT CHARACTER}": ["\N{REPLACEMENT CHARACTER}"]}


@pytest.mark.clause("STEP-8")
@pytest.mark.parametrize(
    ("returned", "output"),
    [
        (None, ""),
        ("text", "text"),
        (b"caf\xc3\xa9 \xff", "café \N{REPLACEMENT CHARACTER}"),
        (
            {"a": Decimal("1.5"), "at": datetime(2026, 1, 2, tzinfo=UTC)},
            '{"a": "1.5", "at": "2026-01-02T00:00:00Z"}',
        ),
        ((1, 2), "[1, 2]"),
        ({"a": [float("nan"), float("-inf")]}, '{"a": ["nan", "-inf"]}'),
        ({"a": b"caf\xc3\xa9 \xff"}, '{"a": "café \N{REPLACEMENT CHARACTER}"}'),
    ],
)
def test_a_tools_output_is_converted_by_stated_rules(returned: Any, output: str) -> None:
    assert as_output(returned) == output


@pytest.mark.clause("STEP-8", "LOG-6")
def test_a_digest_names_the_stored_bytes_and_does_not_depend_on_the_order_of_keys() -> None:
    assert digest("é") == digest("é".encode())
    assert len(digest("")) == 32
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1}) != digest_of({"a": 1})
    assert digest('{"a":1,"b":2}') != digest('{"b":2,"a":1}')
    assert json.loads(encode({"a": "é"})) == {"a": "é"}
