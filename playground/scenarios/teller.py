"""Says what came of each play while they go on, and sums up."""

from __future__ import annotations

import json
from collections import Counter

from playground.scenarios.chaos import UNSETTLED_SHARE
from playground.scenarios.deaths import Death
from playground.scenarios.player import Played
from playground.scenarios.programme import LeftOut
from playground.scenarios.report import as_json, lines
from playground.scenarios.simulated import Found

NOTHING_PLAYED = 2
"""The exit code where there was nothing to hold."""


class Teller:
    """Prints as things happen. drawn: points are drawn, so most must find a run under way."""

    def __init__(self, *, as_json: bool, drawn: bool) -> None:
        self._json, self._drawn = as_json, drawn
        self._over: Counter[str] = Counter()
        self._simulated = self._failed = self._points = self._hits = self._unsettled = self._left = 0

    def left_out(self, left: LeftOut) -> None:
        self._left += 1
        if self._json:
            print(json.dumps({"scenario": left.name, "left_out": left.what, "why": left.why}), flush=True)
        else:
            print(f"{'left':<5}{left}", flush=True)

    def played(self, played: Played) -> None:
        self._count(played)
        print(json.dumps(as_json(played)) if self._json else "\n".join(lines(played)), flush=True)

    def died(self, death: Death) -> None:
        self._count(death.played)
        self._points += 1
        self._hits += bool(death.where)
        self._unsettled += death.unsettled
        if self._json:
            about = {"point": str(death.placed.point), "reach": death.reach, "where": death.where}
            print(json.dumps(as_json(death.played) | about | {"unsettled": death.unsettled}), flush=True)
            return
        scenario, where = death.played.scenario, death.where or f"{death.placed.point}: not reached this time"
        state = "" if death.unsettled or not death.where else "; nothing was under way"
        said = f"{scenario.name} over {scenario.transport}: {death.reach} dies {where}{state}"
        self._verdict(f"{said} ({death.played.seconds:.1f} s)", death.played.failures)

    def simulated(self, found: Found) -> None:
        self._simulated += found.points + 1
        self._points += found.points
        self._failed += len(found.failures)
        if self._json:
            print(json.dumps(found.as_json()), flush=True)
            return
        self._verdict(f"{found.name}: {found.points} death points simulated in {found.seconds:.1f} s", found.failures)

    def end(self) -> int:
        """The last line, and the exit code."""
        few = self._drawn and self._unsettled < UNSETTLED_SHARE * self._hits
        plays = self._simulated + self._over.total()
        parts = [f"{plays} plays" if plays else "nothing was played"]
        parts += [f"{self._simulated} simulated"] if self._simulated else []
        parts += [f"{count} over {transport}" for transport, count in sorted(self._over.items(), reverse=True)]
        parts += [f"{self._points} death points"] if self._points else []
        parts += [f"{self._hits} hit, {self._unsettled} of them a run under way"] if self._hits else []
        parts += [f"{self._left} left out"] if self._left else []
        parts += [f"{self._failed} failed" if self._failed else "all hold"] if plays else []
        if not self._json:
            print(" · ".join(parts), flush=True)
        if self._failed or few:
            return 1
        return 0 if plays else NOTHING_PLAYED

    def _verdict(self, said: str, failures: list[str]) -> None:
        print(
            "\n".join([f"{'fail' if failures else 'ok':<5}{said}", *(f"     ✗ {one}" for one in failures)]), flush=True
        )

    def _count(self, played: Played) -> None:
        self._over[played.scenario.transport] += 1
        self._failed += bool(played.failures)
