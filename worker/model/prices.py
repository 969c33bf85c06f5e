"""What Claude's tokens cost.

Source: the "Model pricing" and "Prompt caching" tables of
https://platform.claude.com/docs/en/about-claude/pricing, as of 2026-11. Cache writes are those of five minutes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from store.ports import Usage

_DATED = re.compile(r"[-@]20\d{6}$|-latest$|\[1m\]$")
_LONG_PROMPT = 100_000  # Haiku 5.5 charges every token of a longer prompt's call more


@dataclass(frozen=True, slots=True)
class Price:
    """Nano-dollars a token: a dollar per million tokens is 1,000 of them."""

    input: int
    output: int
    cache_read: int
    cache_write: int

    def of(self, usage: Usage) -> int:
        """Nano-dollars of all of it."""
        return (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_read * self.cache_read
            + usage.cache_write * self.cache_write
        )


def price(dollars_in: float | str, dollars_out: float | str, read_factor: float | str = "0.1") -> Price:
    """A price from dollars per million tokens; reading the cache costs `read_factor` of the input price."""
    paid_in, paid_out, factor = (Decimal(str(number)) for number in (dollars_in, dollars_out, read_factor))
    nano = 1000
    return Price(int(paid_in * nano), int(paid_out * nano), int(paid_in * nano * factor), int(paid_in * nano * 5 / 4))


_OPUS = price(5, 25)
_KNOWN: dict[str, Price] = {
    "claude-fable-5-2": price(8, 40, "0.025"),
    "claude-mythos-5-2": price(8, 40, "0.025"),
    "claude-fable-5-1": price(10, 50, "0.025"),
    "claude-mythos-5-1": price(10, 50, "0.025"),
    "claude-fable-5": price(10, 50),
    "claude-mythos-5": price(10, 50),
    "claude-opus-5-5": price(4, 20, "0.05"),
    "claude-opus-5": _OPUS,
    "claude-opus-4-8": _OPUS,
    "claude-opus-4-7": _OPUS,
    "claude-opus-4-6": _OPUS,
    "claude-opus-4-5": _OPUS,
    "claude-sonnet-5-5": price(2, 10, "0.05"),
    "claude-sonnet-5": price(2, 10),
    "claude-haiku-5-5": price("0.1", "0.5"),
}
_HAIKU_LONG = price("0.5", "2.5")
_FAMILIES = {"sonnet": price(3, 15), "haiku": price(1, 5)}
_DEAREST = max((*_KNOWN.values(), *_FAMILIES.values()), key=lambda known: (known.output, known.cache_read))


def cost(model: str, usage: Usage, overrides: Mapping[str, Mapping[str, float]] | None = None) -> int:
    """Micro-dollars this usage costs on this model, rounded up.

    overrides: model id → `{"input": …, "output": …, "cache_read": …}` in dollars per million tokens, where
    `cache_read` defaults to a tenth of `input`; they go over the table. A model nobody knows costs as much
    as the dearest one known, so that a spending stop fails closed.
    """
    return -(-_price_of(model, usage, overrides or {}).of(usage) // 1000)


def _price_of(model: str, usage: Usage, overrides: Mapping[str, Mapping[str, float]]) -> Price:
    name = _DATED.sub("", model)
    if own := overrides.get(model) or overrides.get(name):
        read = own.get("cache_read")
        listed = price(own["input"], own["output"])
        return listed if read is None else Price(listed.input, listed.output, int(read * 1000), listed.cache_write)
    if name == "claude-haiku-5-5" and usage.input + usage.cache_read + usage.cache_write > _LONG_PROMPT:
        return _HAIKU_LONG
    if known := _KNOWN.get(name):
        return known
    return next((price for family, price in _FAMILIES.items() if family in name), _DEAREST)
