"""Looks at everything that a real play left behind: in Slack, at Claude's, in the store, in the world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from playground.scenarios.happenings import Happenings
from playground.scenarios.in_slack import in_slack
from playground.scenarios.seen import Seen, SeenCall, SeenEffect
from playground.scenarios.settled import settled
from playground.scenarios.stage import Stage


def look(stage: Stage) -> Seen:
    """Everything, once the play is over."""
    slack, happenings = stage.slack.state(), stage.happenings
    threads = [thread for channel in slack["channels"] for thread in channel["threads"]]
    messages = [message for thread in threads for message in thread["messages"]]
    return replace(
        in_slack(settled(stage.store, happenings), messages, happenings, stage.slack.file),
        calls=list(_calls(stage)),
        effects=[SeenEffect(effect.tool, effect.key, effect.text) for effect in stage.effects.done],
        asked=json.dumps([call["request"].get("messages") for call in stage.claude.calls()], ensure_ascii=False),
        deaths=len(happenings.all("death")),
        recovery_ms=list(recoveries(happenings)),
        violations=[str(one["what"]) for one in slack["violations"]]
        + [str(one["message"]) for one in stage.claude.state()["violations"]],
    )


def _calls(stage: Stage) -> Iterator[SeenCall]:
    """Every model call; cut where it did not end whole, or its process was killed before anything came of it."""
    dead = {pid for one in stage.happenings.all("death") for pid in one["pids"]}
    for call in stage.claude.state()["calls"]:
        # One that died within milliseconds of asking was never traced: nobody knows its pid.
        cut = call["ended"] != "complete" or call["pid"] in dead or (call["pid"] is None and bool(dead))
        yield SeenCall(call["digest"], call["billed"] is not None, cut)


def recoveries(happenings: Happenings) -> Iterator[float]:
    """Milliseconds from the death of each process that owned a thread to the next step recorded there."""
    for death in happenings.all("death"):
        owned = {one["thread"] for one in happenings.all("store.claim") if one["won"] and one["pid"] in death["pids"]}
        steps = [
            one
            for one in happenings.all("store.commit")
            if one.n > death.n and one["thread"] in owned and one["over"] and one["pid"] not in death["pids"]
        ]
        if steps:
            yield (steps[0].at - death.at) * 1000
