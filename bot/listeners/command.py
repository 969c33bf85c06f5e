"""`/everthread`: the operator's verbs, answered to one person alone before Slack has given up waiting."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from slack_bolt import Ack, App

from bot.cards.card import Card
from bot.cards.desk_card import done_card, inspection_card, runs_card, told, usage_card, why_card
from bot.identity import Identity
from bot.links import thread_link
from bot.listeners.guarded import guarded
from bot.listeners.settings import SettingsWindow
from bot.operators import Rights
from store.desk import Desk, Done
from store.lifecycle import SETTLED

COMMAND = "/everthread"
NOTHING_OF_YOURS = "You have no run that is not over. Name a thread, a link to a message in it, or a run id."
PAGE = 15

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """Who typed what, where. trigger: entitles to open a window."""

    user: str
    channel: str
    words: tuple[str, ...]
    trigger: str


@dataclass(frozen=True, slots=True)
class Verb:
    """words: how many may follow it, at least and at most. says: for the usage."""

    usage: str
    says: str
    words: tuple[int, int]


_ANY_RUN = "thread, link or run id"
_RUN = f"<{_ANY_RUN}>"
VERBS: Mapping[str, Verb] = {
    "runs": Verb("runs [mine]", "your runs; for admins what is owed in the workspace", (0, 1)),
    "why": Verb(f"why [{_ANY_RUN}]", "what a run waits for, who holds it, and what each button would do", (0, 1)),
    "inspect": Verb(f"inspect {_RUN}", "a run step by step", (1, 1)),
    "stop": Verb(f"stop {_RUN}", "end a run for good", (1, 1)),
    "resume": Verb(f"resume {_RUN} [--force]", "let a parked run go on, or try a suspended one now (admins)", (1, 2)),
    "heal": Verb(f"heal {_RUN}", "close a parked run without an answer (admins)", (1, 1)),
    "usage": Verb("usage", "what was spent, and what a day may cost", (0, 0)),
    "settings": Verb("settings", "what is set, and when I answer in this channel (admins)", (0, 0)),
    "help": Verb("help", "this", (0, 0)),
}
_FORCE = ("--force", "—force", "–force", "force")
"""Some of Slack's clients make a dash of two hyphens."""


class Command:
    """The listener behind the slash command."""

    def __init__(self, *, me: Identity, desk: Desk, rights: Rights, settings: SettingsWindow) -> None:
        self._desk, self._rights, self._settings = desk, rights, settings
        self._link = partial(thread_link, me)

    def register(self, app: App) -> None:
        app.command(COMMAND)(self.typed)

    def typed(self, ack: Ack, command: Mapping[str, Any]) -> None:
        """What it changes is durable before the answer, which is the acknowledgement."""
        words = tuple(str(command.get("text") or "").split())
        asked = Asked(command["user_id"], str(command["channel_id"]), words, str(command.get("trigger_id") or ""))
        answer = guarded(COMMAND, lambda: self._answer(asked))
        if answer is None:
            ack()
        else:
            ack(text=answer.text, blocks=answer.blocks, response_type="ephemeral")

    def _answer(self, asked: Asked) -> Card | None:
        if refusal := self._rights.refusal(asked.user, asked.channel):
            return told(refusal)
        name, *words = asked.words or ("help",)
        verb = VERBS.get(name)
        if verb is None or not verb.words[0] <= len(words) <= verb.words[1]:
            return usage(name)
        match name:
            case "runs":
                return self._runs(asked.user, words)
            case "why":
                return self._why(asked.user, words)
            case "usage":
                return usage_card(self._desk.usage())
            case "settings":
                return self._settings.open(asked.user, asked.channel, asked.trigger)
            case "help":
                return usage()
        if refusal := self._refusal(name, asked.user, words[0]):
            return told(refusal)
        if name == "inspect":
            return inspection_card(self._desk.inspect(words[0]), self._link)
        return self._order(name, words, asked.user)

    def _refusal(self, name: str, user: str, target: str) -> str | None:
        return self._rights.to_run(user, target) if name in ("inspect", "stop") else self._rights.to_admins(user)

    def _runs(self, user: str, words: list[str]) -> Card:
        cursor = words[0] if words else None
        if cursor == "mine" or not self._rights.is_admin(user):
            return runs_card(self._desk.runs_of(user, limit=PAGE), self._link, mine=True)
        try:
            page = self._desk.runs(cursor=cursor, limit=PAGE)
        except ValueError:
            return usage("runs")
        return runs_card(page, self._link, mine=False, more=f"{COMMAND} runs {page.cursor}")

    def _why(self, user: str, words: list[str]) -> Card:
        target = words[0] if words else self._latest(user)
        if not target:
            return told(NOTHING_OF_YOURS)
        if refusal := self._rights.to_run(user, target):
            return told(refusal)
        return why_card(self._desk.why(target), self._link)

    def _latest(self, user: str) -> str:
        rows = self._desk.runs_of(user).rows
        return next((row.run for row in rows if row.status not in SETTLED), "")

    def _order(self, name: str, words: list[str], user: str) -> Card:
        target, force = words[0], len(words) > 1
        if force and words[1] not in _FORCE:
            return usage(name)
        orders: dict[str, Callable[[], Done]] = {
            "stop": lambda: self._desk.stop(target, user),
            "resume": lambda: self._desk.resume(target, user, force=force),
            "heal": lambda: self._desk.heal(target, user),
        }
        done = orders[name]()
        log.info("thread=%s run=%s %s by %s: %s", done.thread, done.run, name, user, done.did)
        return done_card(done, self._link)


def usage(verb: str = "") -> Card:
    """How a verb is used, or every one of them."""
    shown = {verb: VERBS[verb]} if verb in VERBS and verb != "help" else VERBS
    unknown = f"I don't know “{verb[:40]}”.\n" if verb and verb not in VERBS else ""
    return told(unknown + "\n".join(f"{COMMAND} {one.usage}: {one.says}" for one in shown.values()))
