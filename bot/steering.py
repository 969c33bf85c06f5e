"""What a reply in a thread may be besides an input: a stop, or the answer to a question."""

from __future__ import annotations

import logging
import string
from collections.abc import Collection
from typing import Literal

from bot.entitled import Entitled
from bot.heard import Heard
from bot.listeners.run_buttons import Stopper
from store.ports import Clock
from store.protocol import Store, Taking, Whose
from store.submission import Submission
from store.wait import Answer, Given, Wait

STOP_WORDS = frozenset({"stop", "cancel", "abort", "halt"})
Halted = Literal["stopping", "again", "over", "known", "refused", "nothing"]
"""nothing: no run is open there, so the word is an input like any other. refused: only the asker may stop it."""

_AROUND = string.whitespace + string.punctuation + "…¡¿"

log = logging.getLogger(__name__)


class Steering:
    """Costs one round trip for a reply that is neither, and none for a message that starts a thread."""

    def __init__(
        self,
        *,
        store: Store,
        entitled: Entitled,
        clock: Clock,
        stopper: Stopper = "anyone",
        stop_words: Collection[str] = STOP_WORDS,
    ) -> None:
        self._store, self._entitled, self._clock, self._stopper = store, entitled, clock, stopper
        self._stop_words = frozenset(word.casefold() for word in stop_words)

    def says_stop(self, heard: Heard) -> bool:
        """Whether it is a stop word alone, in a thread."""
        return heard.in_thread and not heard.files and heard.text.strip(_AROUND).casefold() in self._stop_words

    def stop(self, message: Submission, whose: Whose) -> Halted:
        """Stop the run that the word means; durable when this returns, and the message is used up unless `nothing`."""
        admissions, thread = self._store.admissions, message.thread
        run = admissions.stoppable(message, whose=whose)
        if not run:
            return "nothing"
        if self._stopper == "asker" and not self._asked(message, run):
            admissions.retract(thread, message.ts, message.author, burn=True)
            return "refused"
        halted = admissions.stop(thread, run, message.author, message=message)
        log.info("thread=%s run=%s stop word of %s: %s", thread, run, message.author, halted)
        return halted

    def question(self, heard: Heard) -> Wait | None:
        """The question that this reply can be the answer to: the only one that takes words, asked before it was said.

        None where its author may not answer, or mentions us; `ReplyError` where Slack cannot say who may.
        """
        if not heard.in_thread or heard.mentioned or not (heard.text.strip() or heard.files):
            return None
        asked = [wait for wait in self._store.waits.open_in(heard.thread) if wait.takes_words]
        if len(asked) != 1 or float(heard.ts) < asked[0].asked:
            return None
        return asked[0] if self._entitled.refusal(asked[0], heard.author) is None else None

    def answer(self, heard: Heard, wait: Wait) -> Taking:
        """Take the message as the answer; durable when this returns, and no run's input unless it was not taken."""
        at = self._clock.now()
        files = f"[attached: {', '.join(heard.files)}]" if heard.files else ""
        words = "\n".join(part for part in (heard.text.strip(), files) if part)
        answer = Answer(wait.id, heard.author, at, "words", (Given((), words),))
        taken = self._store.waits.answer(heard.thread, answer, heard.submission(run=wait.run, at=at))
        where = (wait.thread, wait.run, wait.id)
        log.info("thread=%s run=%s %s answered by %s (words): %s", *where, heard.author, taken.how)
        return taken.how

    def _asked(self, message: Submission, run: str) -> bool:
        origins = self._store.admissions.origins(message.thread.partition("/")[0], [run])
        return run in origins and origins[run].author == message.author
