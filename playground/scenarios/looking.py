"""Looks at everything that a real play left behind: in Slack, at Claude's, in the store, in the world."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from playground.scenarios.happenings import Happenings
from playground.scenarios.seen import Seen, SeenBeside, SeenCall, SeenEffect, SeenReply, seen_reply
from playground.scenarios.settled import settled
from playground.scenarios.stage import Stage
from playground.standins.slack.client import SlackStandin

Json = dict[str, Any]

_ANSWER = re.compile(r"answer-(.+)\.md")
"""The name of a file that holds a run's whole text."""


def look(stage: Stage) -> Seen:
    """Everything, once the play is over."""
    slack = stage.slack.state()
    return replace(
        settled(stage.store, stage.happenings),
        replies=[reply for message in _ours(slack) if (reply := _reply(message, stage.slack)) is not None],
        calls=list(_calls(stage)),
        effects=[SeenEffect(effect.tool, effect.key, effect.text) for effect in stage.effects.done],
        reactions=_reactions(slack),
        beside=_beside(slack, stage.happenings),
        asked=json.dumps([call["request"].get("messages") for call in stage.claude.calls()], ensure_ascii=False),
        deaths=len(stage.happenings.all("death")),
        recovery_ms=list(recoveries(stage.happenings)),
        violations=[str(one["what"]) for one in slack["violations"]]
        + [str(one["message"]) for one in stage.claude.state()["violations"]],
    )


def _messages(slack: Json) -> Iterator[Json]:
    for channel in slack["channels"]:
        for thread in channel["threads"]:
            yield from thread["messages"]


def _ours(slack: Json) -> Iterator[Json]:
    return (message for message in _messages(slack) if message["from_app"])


def _reactions(slack: Json) -> dict[str, int]:
    """The bot's, by name."""
    found: dict[str, int] = {}
    for message in _messages(slack):
        for name, users in message["reactions"].items():
            found[name] = found.get(name, 0) + (slack["bot_user"] in users)
    return found


def _reply(message: Json, slack: SlackStandin) -> SeenReply | None:
    payload = next((v["metadata"]["event_payload"] for v in message["versions"] if v["metadata"]), None)
    if payload is not None:
        versions = [(version["text"], version["blocks"]) for version in message["versions"]]
        return seen_reply(payload["run"], payload["part"], message["ts"], versions, deleted=bool(message["deleted"]))
    for file in message["files"]:
        if (named := _ANSWER.fullmatch(file["name"])) is not None:
            content = slack.file(file["id"]).decode()
            return SeenReply(named[1], "file", message["ts"], [content], bool(message["deleted"]), [content])
    return None


def _beside(slack: Json, happenings: Happenings) -> SeenBeside:
    return SeenBeside(
        rings=sorted({ring for message in _ours(slack) for ring in message["notifies"]}),
        whispers=[str(one["text"]) for one in happenings.all("slack.ephemeral.posted")],
        lines=[str(one["status"]) for one in happenings.all("slack.status.set")],
        sessions=[str(one["status"]) for one in happenings.all("slack.session.set")],
        asked=dict(Counter(str(one["method"]) for one in happenings.all("slack.call.received"))),
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
