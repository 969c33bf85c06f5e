"""Looks at everything that a real play left behind: in Slack, at Claude's, in the store, in the world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from playground.scenarios.happenings import Happenings
from playground.scenarios.quiet import withdrawn
from playground.scenarios.seen import Seen, SeenCall, SeenEffect, SeenReply, SeenRun
from playground.scenarios.stage import Stage
from store.lifecycle import SETTLED
from store.record import Record, read_log

Json = dict[str, Any]


def look(stage: Stage) -> Seen:
    """Everything, once the play is over."""
    threads = sorted({str(one["thread"]) for one in stage.happenings.all("store.admit") if one["word"] == "NEW"})
    logs = {thread: read_log(thread, stage.store.log.read(thread)) for thread in threads}
    slack = stage.slack.state()
    settled = [record for log in logs.values() for record in log if _ends(record)]
    return Seen(
        replies=[reply for message in _messages(slack) if (reply := _reply(message)) is not None],
        runs=_runs(stage.happenings, logs),
        calls=list(_calls(stage)),
        effects=[SeenEffect(effect.tool, effect.key, effect.text) for effect in stage.effects.done],
        reactions=_reactions(slack),
        asked=json.dumps([call["request"].get("messages") for call in stage.claude.calls()], ensure_ascii=False),
        unknown=sum(_unknown(stage, thread) for thread in threads),
        deaths=len(stage.happenings.all("death")),
        recovery_ms=list(recoveries(stage.happenings)),
        violations=[str(one["what"]) for one in slack["violations"]]
        + [str(one["message"]) for one in stage.claude.state()["violations"]],
        notes={"answers": [r.body["text"] for r in sorted(settled, key=lambda r: r.at)]},
    )


def _ends(record: Record) -> bool:
    return record.kind == "settled" and record.body["status"] in SETTLED


def _messages(slack: Json) -> Iterator[Json]:
    for channel in slack["channels"]:
        for thread in channel["threads"]:
            yield from (message for message in thread["messages"] if message["from_app"])


def _reactions(slack: Json) -> dict[str, int]:
    """The bot's, by name."""
    found: dict[str, int] = {}
    for channel in slack["channels"]:
        for message in (message for thread in channel["threads"] for message in thread["messages"]):
            for name, users in message["reactions"].items():
                found[name] = found.get(name, 0) + (slack["bot_user"] in users)
    return found


def _reply(message: Json) -> SeenReply | None:
    payload = next((v["metadata"]["event_payload"] for v in message["versions"] if v["metadata"]), None)
    if payload is None:
        return None
    versions = [f"{version['text']}\n{_shown(version['blocks'])}" for version in message["versions"]]
    return SeenReply(payload["run"], payload["part"], message["ts"], versions, bool(message["deleted"]))


def _shown(blocks: list[Json]) -> str:
    """Every text in a message's blocks."""
    found = []
    for block in blocks:
        for part in (block, *block.get("elements", ())):
            text = part.get("text")
            found.append(str(text.get("text", "") if isinstance(text, dict) else text or ""))
    return "\n".join(found)


def _runs(happenings: Happenings, logs: dict[str, list[Record]]) -> list[SeenRun]:
    admitted = {str(one["run"]): one for one in happenings.all("store.admit") if one["word"] == "NEW"}
    runs, gone = [], withdrawn(happenings)
    for run, one in sorted(admitted.items(), key=lambda item: str(item[1]["ts"])):
        ends = [r for r in logs[str(one["thread"])] if r.run == run and r.kind == "settled"]
        last = ends[-1].body if ends else {}
        runs.append(
            SeenRun(
                run=run,
                message=str(one["ts"]),
                status=last.get("status", "aborted" if run in gone else ""),
                text=last.get("text", ""),
                footer=last.get("footer", ""),
                settlements=sum(_ends(record) for record in ends) + (run in gone),
                deleted=run in gone or last.get("why") == "deleted",
            )
        )
    return runs


def _calls(stage: Stage) -> Iterator[SeenCall]:
    """Every model call; cut where it did not end whole, or its process was killed before anything came of it."""
    dead = {pid for one in stage.happenings.all("death") for pid in one["pids"]}
    for call in stage.claude.state()["calls"]:
        # One that died within milliseconds of asking was never traced: nobody knows its pid.
        cut = call["ended"] != "complete" or call["pid"] in dead or (call["pid"] is None and bool(dead))
        yield SeenCall(call["digest"], call["billed"] is not None, cut)


def _unknown(stage: Stage, thread: str) -> int:
    head = stage.store.inventory.head(thread)
    return 0 if head is None else sum(item.startswith("unknown:") for item in head.rest)


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
