"""The repertoire's plans: made, changed as people wish, and followed step by step once they are approved.

Where a plan stands is read from the conversation alone, so the same answer comes whenever the same is asked.
"""

from __future__ import annotations

import re

from playground.standins.claude.transcript import Json, Transcript
from playground.standins.claude.turn import Call, Turn

PRESENT, PROGRESS = "present_plan", "plan_progress"

_WHAT = re.compile(r"\bplan\b\s*(?:for|to|how to|about|of)?\s*(.{0,120}?)[\s.?!]*$", re.I | re.S)
_WISH = re.compile(r"asks for changes\. They say: (.+?) Present the changed plan", re.S)
_STEPS = (
    ("recent_releases", "Look at what was released lately"),
    ("read_metrics", "Read latency and error rate"),
    ("search_logs", "Search the logs for anything unusual"),
)
"""Each step with the tool that does it, where there is one."""


def plan(prompt: str, wish: str = "") -> Json:
    """The arguments of a tool that presents a plan. wish: what people want changed."""
    found = _WHAT.search(prompt)
    what = " ".join(found[1].split()) if found and found[1].strip() else "find out why the shop is slow"
    last = f"Say what it means: {what}"
    steps = [*(text for _, text in _STEPS), *([f"As you wished: {' '.join(wish.split())}"[:480]] if wish else []), last]
    return {"title": (what[0].upper() + what[1:])[:150], "steps": steps}


def follow(transcript: Transcript, prompt: str, said: str) -> Turn | None:
    """What comes after the decision on a plan, or after a step of it; None where no plan is under way.

    said: the result that the tool gave, of whichever of the two was called last.
    """
    last = _last_call(transcript)
    if last is None:
        return None
    if last["name"] == PROGRESS:
        return _next(transcript, last["input"])
    if "approved the plan" in said:
        return _step(transcript, [], 1)
    if (wish := _WISH.search(said)) is not None:
        text = "Gladly: here is the plan as you want it."
        return Turn(text=text, calls=(Call(PRESENT, plan(prompt, wish[1])),))
    return Turn(text="Understood: I do nothing of it. Tell me if you want another plan.")


def _next(transcript: Transcript, shown: Json) -> Turn:
    """The step after the one that was under way; the last word when all are done."""
    doing = int(shown.get("doing") or 0)
    if not doing:
        found = any(_calls(transcript, name) for name, _ in _STEPS)
        means = " v412 of 09:14 misses its cache: p99 went from 210 to 840 ms." if found else ""
        return Turn(text=f"All {len(shown['done'])} steps are done.{means}")
    return _step(transcript, [*shown["done"], doing], doing + 1)


def _step(transcript: Transcript, done: list[int], doing: int) -> Turn:
    """Say where the plan stands, and do the step that is under way."""
    names = [tool["name"] for tool in transcript.tools]
    count = _length(transcript)
    if PROGRESS not in names:
        return Turn(text=f"All {count} steps are approved, but I have no tool to say how far I am.")
    if doing > count:
        return Turn(text="That was the last step.", calls=(Call(PROGRESS, {"done": done, "doing": 0}),))
    calls = [Call(PROGRESS, {"done": done, "doing": doing})]
    tool = _STEPS[doing - 1][0] if doing <= len(_STEPS) else ""
    if tool in names:
        calls.append(Call(tool, {"service": "checkout"}))
    return Turn(text=f"Step {doing} of {count}.", calls=tuple(calls))


def _calls(transcript: Transcript, *names: str) -> list[Json]:
    return [
        block
        for message in transcript.messages
        for block in message["content"]
        if block["type"] == "tool_use" and block["name"] in names
    ]


def _last_call(transcript: Transcript) -> Json | None:
    """The last of these two tools' calls, if it is among those that were just answered."""
    answered = {str(result["tool_use_id"]) for result in transcript.results()}
    found = [call for call in _calls(transcript, PRESENT, PROGRESS) if call["id"] in answered]
    return found[-1] if found else None


def _length(transcript: Transcript) -> int:
    """Steps of the plan that was presented last."""
    return len(_calls(transcript, PRESENT)[-1]["input"]["steps"])
