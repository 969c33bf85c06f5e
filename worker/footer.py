"""The last line of a settled run: what it took, and what became of the crashes on the way."""

from __future__ import annotations

from worker.state import RunState


def footer(state: RunState, seconds: float) -> str:
    """Duration, tokens, cost; after a restart what was kept, what was done again, what may be billed twice."""
    usage = state.usage
    tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
    parts = [duration(seconds), f"{tokens:,} tokens", money(state.cost, estimated=usage.estimated)]
    if state.restarts:
        restarts, kept = _count(state.restarts, "restart"), _count(state.kept, "step")
        parts.append(f"survived {restarts}: {kept} kept, {state.repeated} repeated")
    if state.cut_calls:
        calls = "1 model call was" if state.cut_calls == 1 else f"{state.cut_calls} model calls were"
        parts.append(f"{calls} cut off and may be billed twice")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """`4 s`, `1 min 12 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def money(micro_dollars: int, *, estimated: bool = False) -> str:
    """Micro-dollars as dollars, with as many digits as say something."""
    dollars = micro_dollars / 1_000_000
    digits = 2 if dollars >= 0.1 else 4
    return f"{'about ' if estimated else ''}${dollars:.{digits}f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
