"""A play in words and in JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from playground.scenarios.player import Played


def lines(played: Played) -> list[str]:
    """What was seen, and which expectation failed."""
    seen, scenario = played.seen, played.scenario
    mark = "fail" if played.failures else "ok"
    cases = f" [{', '.join(scenario.cases)}]" if scenario.cases else ""
    said = [f"{mark:<5}{scenario.name} over {scenario.transport}: {scenario.title}{cases} ({played.seconds:.1f} s)"]
    effects = ", ".join(f"{tool} {count}" for tool, count in sorted(seen.counted().items())) or "none"
    replies = sum(reply.part == "reply" for reply in seen.replies)
    facts = [f"replies {replies}", f"effects {effects}", f"model calls billed {seen.billed}", f"deaths {seen.deaths}"]
    facts += [f"recovered after {_times(seen.recovery_ms)}"] if seen.recovery_ms else []
    said.append("     " + " · ".join(facts))
    said += [f"     {run.status}: {_short(run.text)} — {run.footer}" for run in seen.runs]
    decided = "; ".join(", ".join(wait.decisions) or "open" for wait in seen.waits)
    said += [f"     asked: {decided}"] if decided else []
    if played.failures:
        for reply in seen.replies:
            said.append(f"     {reply.part} {reply.ts} of {reply.run}{' (deleted)' if reply.deleted else ''}:")
            said += [f"       {_short(version)}" for version in reply.versions]
        said += [f"     ✗ {failure}" for failure in played.failures]
    return said


def as_json(played: Played) -> dict[str, Any]:
    """The same for a program."""
    return {
        "scenario": played.scenario.name,
        "transport": played.scenario.transport,
        "title": played.scenario.title,
        "cases": list(played.scenario.cases),
        "ok": not played.failures,
        "failures": played.failures,
        "seconds": round(played.seconds, 3),
        "seen": {name: value for name, value in asdict(played.seen).items() if name != "asked"},
        "effects": played.seen.counted(),
        "model_calls": played.seen.billed,
    }


def _times(found: Any) -> str:
    return ", ".join(f"{ms:.0f} ms" for ms in found)


def _short(text: str) -> str:
    line = " ⏎ ".join(part for part in text.split("\n") if part.strip())
    return line if len(line) <= 100 else line[:99] + "…"
