"""What the storms did, counted over all of them."""

from __future__ import annotations

from collections import Counter

EACH = ("lapses", "stale commits refused", "lost answers", "take-overs in mid-tool")
"""What ten thousand seeds have to meet a thousand times each."""


class Tally(Counter[str]):
    """Counts by what happened."""

    def lines(self) -> list[str]:
        """One line each, what matters most first."""
        names = [*EACH, *sorted(self.keys() - set(EACH))]
        return [f"{self[name]:>10,}  {name}" for name in names]
