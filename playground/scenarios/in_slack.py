"""What a play left behind in Slack, real or simulated: our messages, our reactions, and what was shown beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from playground.scenarios.cards import text_of
from playground.scenarios.happenings import Happening, Happenings
from playground.scenarios.seen import Seen, SeenBeside, SeenReply, seen_reply
from playground.standins.slack.people import BOT_USER, PEOPLE

Json = dict[str, Any]
Content = Callable[[str], bytes]
"""A file's content by its id."""

_FILES = {"file": re.compile(r"answer-(.+)\.md"), "input": re.compile(r"input-(.+)\.json")}
"""By part, the name of a file that holds a run's whole text, or the whole input of a call that is asked about."""
_NAMES = {person.id: person.key for person in PEOPLE}


def in_slack(seen: Seen, messages: Sequence[Json], happenings: Happenings, content: Content) -> Seen:
    """`seen`, with what stands in Slack. messages: all of them, as the stand-in tells of each."""
    ours = [message for message in messages if message["from_app"]]
    return replace(
        seen,
        replies=[reply for message in ours if (reply := _reply(message, content)) is not None],
        reactions=_reactions(messages),
        beside=SeenBeside(
            rings=sorted({ring for message in ours for ring in message["notifies"]}),
            whispers=[said for one in happenings.all() if (said := whispered(one))],
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
        for part, name in _FILES.items():
            if (named := name.fullmatch(file["name"])) is not None:
                text = content(file["id"]).decode()
                return SeenReply(named[1], part, message["ts"], [text], bool(message["deleted"]), [text])
    return None


def whispered(one: Happening) -> str:
    """What is shown to somebody alone there, as `bob: …`: a whisper, or a window in which there is nothing to send."""
    if one.kind in ("slack.ephemeral.posted", "slack.ephemeral.replaced"):
        return f"{name_of(one['user'])}: {one['text']}"
    if one.kind in ("slack.view.opened", "slack.view.updated") and one["shown"]["type"] == "modal":
        view = one["shown"]
        return "" if view.get("submit") else f"{name_of(one['user'])}: {text_of(view['blocks'])}"
    return ""


def name_of(user: str) -> str:
    """What a scenario calls a person."""
    return _NAMES.get(user, user)
