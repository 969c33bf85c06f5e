"""What a play left behind in Slack, real or simulated: our messages, our reactions, and what was shown beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from playground.scenarios.happenings import Happenings
from playground.scenarios.seen import Seen, SeenBeside, SeenReply, seen_reply
from playground.standins.slack.people import BOT_USER

Json = dict[str, Any]
Content = Callable[[str], bytes]
"""A file's content by its id."""

_ANSWER = re.compile(r"answer-(.+)\.md")
"""The name of a file that holds a run's whole text."""


def in_slack(seen: Seen, messages: Sequence[Json], happenings: Happenings, content: Content) -> Seen:
    """`seen`, with what stands in Slack. messages: all of them, as the stand-in tells of each."""
    ours = [message for message in messages if message["from_app"]]
    return replace(
        seen,
        replies=[reply for message in ours if (reply := _reply(message, content)) is not None],
        reactions=_reactions(messages),
        beside=SeenBeside(
            rings=sorted({ring for message in ours for ring in message["notifies"]}),
            whispers=[str(one["text"]) for one in happenings.all("slack.ephemeral.posted")],
            lines=[str(one["status"]) for one in happenings.all("slack.status.set")],
            sessions=[str(one["status"]) for one in happenings.all("slack.session.set")],
            asked=dict(Counter(str(one["method"]) for one in happenings.all("slack.call.received"))),
        ),
    )


def _reactions(messages: Sequence[Json]) -> Mapping[str, int]:
    """The bot's, by name."""
    found: dict[str, int] = {}
    for message in messages:
        for name, users in message["reactions"].items():
            found[name] = found.get(name, 0) + (BOT_USER in users)
    return found


def _reply(message: Json, content: Content) -> SeenReply | None:
    payload = next((v["metadata"]["event_payload"] for v in message["versions"] if v["metadata"]), None)
    if payload is not None:
        versions = [(version["text"], version["blocks"]) for version in message["versions"]]
        return seen_reply(payload["run"], payload["part"], message["ts"], versions, deleted=bool(message["deleted"]))
    for file in message["files"]:
        if (named := _ANSWER.fullmatch(file["name"])) is not None:
            text = content(file["id"]).decode()
            return SeenReply(named[1], "file", message["ts"], [text], bool(message["deleted"]), [text])
    return None
