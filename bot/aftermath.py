"""What a person gets to see of it that their message was heard, once Slack has its acknowledgement."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Literal

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from bot.heard import Heard
from bot.identity import Identity
from bot.whisper import Whispers
from store.ports import ReplyError
from store.protocol import Workspace

Reaction = Literal["eyes", "no_bell", "bell"]
"""eyes: taken, and it waits for its turn. no_bell, bell: the thread is muted, or not any more."""
AFTERMATH = "everthread_aftermath"
"""Where the context of a payload keeps its aftermath."""

_SECONDS = 3.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """refusal: a sentence for the author alone. reaction: on the message."""

    heard: Heard
    refusal: str = ""
    reaction: Reaction | None = None


class Courtesies:
    """Shows an aftermath. Slack promises nothing here, so what fails is logged and forgotten."""

    def __init__(self, client: WebClient, me: Identity, workspace: Workspace, whispers: Whispers) -> None:
        self._client, self._me, self._workspace, self._whispers = client, me, workspace, whispers

    def show(self, after: Aftermath) -> None:
        """A refusal is said once a day; a reaction is put on once."""
        heard = after.heard
        if after.refusal and self._workspace.refuse_once(self._me.team, heard.author):
            root = heard.root if heard.in_thread else None
            self._whispers.say(after.refusal, user=heard.author, channel=heard.channel, root=root)
        if after.reaction is not None:
            self._react(after.reaction, heard)

    def _react(self, name: Reaction, heard: Heard) -> None:
        try:
            with slack_call(f"reacting to {heard.ts} in {heard.channel}"):
                within(self._client, _SECONDS).reactions_add(channel=heard.channel, timestamp=heard.ts, name=name)
        except ReplyError as error:
            log.info("%s", error)
