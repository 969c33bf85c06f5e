"""Slack's own controls of an agent: its Stop button, and the prompts it offers where nothing was said yet."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import App, BoltContext

from bot.access import Access
from bot.features import Features
from bot.identity import Identity
from bot.listeners.run_buttons import ALREADY_OVER, ONLY_THE_ASKER, Stopper
from bot.whisper import Whispers
from store.ports import ReplyError
from store.protocol import Store
from store.record import read_log
from store.thread import ThreadId

STOPPED = "everthread_session_stopped"
"""Where the context keeps the sentence for who pressed Slack's Stop, or "" where there is nothing to say."""
PROMPTS = (
    ("What can you do?", "What can you do, and which tools do you have?"),
    ("Your notes", "What have people asked you to remember?"),
)
_SECONDS = 3.0
_PARKED = "parked:"

log = logging.getLogger(__name__)


class AgentSession:
    """Stores a stop before Slack hears that we have it, as the button of a reply does."""

    def __init__(
        self,
        *,
        me: Identity,
        store: Store,
        access: Access,
        whispers: Whispers,
        features: Features,
        ring: Callable[[str], None],
        stopper: Stopper,
    ) -> None:
        self._me, self._store, self._access, self._whispers = me, store, access, whispers
        self._features, self._ring, self._stopper = features, ring, stopper

    def register(self, app: App) -> None:
        app.event("agent_session_stopped")(self.stopped)
        app.event("app_home_opened")(self.opened)

    def before_ack(self, body: Mapping[str, Any], context: BoltContext, next_: Callable[[], None]) -> None:
        """A global middleware: what it raises leaves the event unacknowledged, so that it comes again."""
        event = body.get("event") or {}
        if body.get("type") == "event_callback" and event.get("type") == "agent_session_stopped":
            where = tuple(event.get(name) for name in ("channel", "thread_ts", "user"))
            if all(isinstance(word, str) and word for word in where):
                context[STOPPED] = self._stop(*map(str, where))
            else:
                log.warning("Slack's Stop was pressed nobody knows where: it names no channel, thread or user")
        next_()

    def stopped(self, context: BoltContext, event: Mapping[str, Any]) -> None:
        """Runs after the acknowledgement: a session of which nothing is left is Slack's to be told of."""
        sentence = context.get(STOPPED)
        if not sentence:
            return
        channel, root = event["channel"], event["thread_ts"]
        self._whispers.say(sentence, user=event["user"], channel=channel, root=root)
        if sentence == ALREADY_OVER:
            self._call("agents.sessions.setStatus", channel_id=channel, thread_ts=root, status="active")

    def opened(self, event: Mapping[str, Any]) -> None:
        if event.get("tab") == "messages" and event.get("channel"):
            prompts = [{"title": title, "message": message} for title, message in PROMPTS]
            self._call("assistant.threads.setSuggestedPrompts", channel_id=event["channel"], prompts=prompts)

    def _stop(self, channel: str, root: str, by: str) -> str:
        at = ThreadId(self._me.team, channel, root)
        if refusal := self._access.refusal(by, at.channel):
            return refusal
        run = self._open(str(at))
        if not run:
            return ALREADY_OVER
        if self._stopper == "asker" and by != self._asker(str(at), run):
            return ONLY_THE_ASKER
        if self._store.admissions.stop(str(at), run, by) == "over":
            return ALREADY_OVER
        self._ring(str(at))
        return ""

    def _open(self, thread: str) -> str:
        """The run that works there, or the latest that waits for a person."""
        head = self._store.inventory.head(thread)
        if head is None:
            return ""
        parked = [item.removeprefix(_PARKED) for item in head.rest if item.startswith(_PARKED)]
        return head.run or (parked[-1] if parked else "")

    def _asker(self, thread: str, run: str) -> str:
        log_of_thread = read_log(thread, self._store.log.read(thread))
        starts = (
            record.body["input"]["author"] for record in log_of_thread if record.kind == "start" and record.run == run
        )
        return str(next(starts, ""))

    def _call(self, method: str, **given: Any) -> None:
        try:
            self._features.call(method, _SECONDS, **given)
        except ReplyError as error:
            log.info("%s", error)
