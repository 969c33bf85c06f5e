"""What a call costs, in micro-dollars."""

from __future__ import annotations

import pytest

from store.ports import Usage
from worker.model.prices import cost

MILLION = 1_000_000
DOLLAR = 1_000_000

TABLE = [
    # model, dollars per million tokens: input, output, cache read
    ("claude-fable-5-2", 8, 40, 0.2),
    ("claude-mythos-5-2", 8, 40, 0.2),
    ("claude-fable-5-1", 10, 50, 0.25),
    ("claude-mythos-5-1", 10, 50, 0.25),
    ("claude-fable-5", 10, 50, 1),
    ("claude-opus-5-5", 4, 20, 0.2),
    ("claude-opus-5", 5, 25, 0.5),
    ("claude-opus-4-5-20251101", 5, 25, 0.5),
    ("claude-sonnet-5-5", 2, 10, 0.1),
    ("claude-sonnet-5", 2, 10, 0.2),
    ("claude-sonnet-4-6", 3, 15, 0.3),
    ("claude-haiku-4-5", 1, 5, 0.1),
]


@pytest.mark.clause("USAGE-1")
@pytest.mark.parametrize(("model", "dollars_in", "dollars_out", "dollars_read"), TABLE)
def test_every_model_costs_what_the_price_page_says(
    model: str, dollars_in: float, dollars_out: float, dollars_read: float
) -> None:
    assert cost(model, Usage(input=MILLION)) == dollars_in * DOLLAR
    assert cost(model, Usage(output=MILLION)) == dollars_out * DOLLAR
    assert cost(model, Usage(cache_read=MILLION)) == round(dollars_read * DOLLAR)
    assert cost(model, Usage(cache_write=MILLION)) == round(dollars_in * 1.25 * DOLLAR)


def test_haiku_5_5_charges_the_whole_call_more_when_its_prompt_is_long() -> None:
    short = Usage(input=50_000, output=1_000_000, cache_read=50_000)
    long = Usage(input=50_001, output=1_000_000, cache_read=50_000)

    assert cost("claude-haiku-5-5", short) == 5_000 + 500_000 + 500
    assert cost("claude-haiku-5-5", long) == 25_001 + 2_500_000 + 2_500


def test_a_model_nobody_knows_costs_as_much_as_the_dearest() -> None:
    usage = Usage(input=1000, output=1000, cache_read=1000, cache_write=1000)

    assert cost("claude-epic-7", usage) == max(cost(model, usage) for model, *_ in TABLE)
    assert cost("claude-opus-5-9", usage) == cost("claude-epic-7", usage)


def test_a_setting_goes_over_the_table() -> None:
    overrides = {
        "claude-epic-7": {"input": 1.0, "output": 2.0},
        "claude-opus-5-5": {"input": 3.0, "output": 4.0, "cache_read": 0.3},
    }

    assert cost("claude-epic-7", Usage(input=10, output=10, cache_read=10), overrides) == 31
    assert cost("claude-opus-5-5", Usage(cache_read=MILLION), overrides) == 0.3 * DOLLAR


def test_a_part_of_a_micro_dollar_counts_as_a_whole_one() -> None:
    assert cost("claude-haiku-5-5", Usage(cache_read=1)) == 1
    assert cost("claude-haiku-5-5", Usage()) == 0
