"""Scenarios: files that say what happens and what must be true afterwards, and who plays them."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """`everthread scenario …`; what it needs is loaded when it is wanted."""
    from playground.scenarios.console import main as run

    return run(arguments)
