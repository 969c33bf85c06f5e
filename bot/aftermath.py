"""What a person gets to see of it that their message was heard, once Slack has its acknowledgement."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from slack_sdk import WebClient

from bot.cards.ask_button import ASIDE, actions, button
from bot.cards.button import Aim
from bot.cards.card import Block, section
from bot.client import within
from bot.failure import slack_call
from bot.heard import Heard
from bot.identity import Identity
from bot.whisper import Whispers
from store.errors import StoreUnavailableError
from store.ports import ReplyError
from store.protocol import Store
from store.submission import Submission
from store.thread import ThreadId

Reaction = Literal["eyes", "no_bell", "bell", "white_check_mark", "octagonal_sign"]
"""eyes: taken, and it waits for its turn. no_bell, bell: the thread is muted, or not any more. white_check_mark: it is
the answer to a question. octagonal_sign: it stops the thread's run."""
WAITING = "This thread is waiting for an answer to what is asked above. Your message is taken up after that."
AFTERMATH = "everthread_aftermath"
"""Where the context of a payload keeps its aftermath."""

_SECONDS = 3.0
_MOST = 20
"""Reactions that are taken away at once: Slack takes 20 a minute (Tier 2)."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """refusal, told: a sentence for the author alone. reaction: on the message. behind: it waits, and its author may
    not know for what.
    """

    heard: Heard
    refusal: str = ""
    reaction: Reaction | None = None
    told: str = ""
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """Messages that waited and will not be answered; why: a sentence for their authors."""

    messages: Sequence[Submission]
    why: str


class Courtesies:
    """Shows an aftermath. Slack promises nothing here, so what fails is logged and forgotten."""

    def __init__(self, client: WebClient, me: Identity, store: Store, whispers: Whispers) -> None:
        self._client, self._me, self._store, self._whispers = client, me, store, whispers

    def show(self, after: Aftermath | Dropped) -> None:
        """A refusal is said once a day; a reaction is put on once."""
        match after:
            case Dropped():
                self.drop(after)
            case Aftermath(heard):
                refused = after.refusal and self._store.workspace.refuse_once(self._me.team, heard.author)
                for told in (after.refusal if refused else "", after.told):
                    if told:
                        self._say(told, heard)
                if after.reaction is not None:
                    self._react("reactions.add", after.reaction, heard.channel, heard.ts)
                if after.behind:
                    self._offer(heard)

    def _offer(self, heard: Heard) -> None:
        """Say what a message waits for where that is people, and how its thread can go on without them.

        What is still asked about a parked run holds nobody back.
        """
        try:
            head = self._store.inventory.head(heard.thread)
            if head is None or head.status != "waiting":
                return
            asked = any(wait.run == head.run for wait in self._store.waits.open_in(heard.thread))
        except StoreUnavailableError as error:
            log.info("%s", error)
            return
        if asked:
            aside = button(ASIDE, "Set the question aside", Aim(ThreadId.parse(heard.thread), head.run, ""))
            self._say(WAITING, heard, [section(WAITING), actions(aside)])

    def _say(self, text: str, heard: Heard, blocks: list[Block] | None = None) -> None:
        root = heard.root if heard.in_thread else None
        self._whispers.say(text, user=heard.author, channel=heard.channel, root=root, blocks=blocks)

    def drop(self, dropped: Dropped, but: str = "") -> None:
        """Take the sign of waiting away, and tell each author once; `but`: who knows it already."""
        for one in dropped.messages[:_MOST]:
            self._react("reactions.remove", "eyes", one.channel, one.ts)
        for author, one in {one.author: one for one in dropped.messages}.items():
            if author != but:
                self._tell(dropped.why, author, one)

    def _tell(self, text: str, author: str, message: Submission) -> None:
        """In the thread, or in its channel where Slack has no such thread any more."""
        root = ThreadId.parse(message.thread).root
        if not self._whispers.say(text, user=author, channel=message.channel, root=root):
            self._whispers.say(text, user=author, channel=message.channel)

    def _react(self, method: str, name: Reaction, channel: str, ts: str) -> None:
        given = {"channel": channel, "timestamp": ts, "name": name}
        try:
            with slack_call(f"reacting to {ts} in {channel} ({method})"):
                within(self._client, _SECONDS).api_call(method, params=given)
        except ReplyError as error:
            log.info("%s", error)
