"""What each button and each command would do to a run now."""

from __future__ import annotations

from collections.abc import Iterator

from everthread.desk.subject import Subject
from everthread.desk.words import line, messages
from store.desk import Means
from store.lifecycle import SETTLED
from store.wait import Wait


def means(subject: Subject) -> Iterator[Means]:
    glance = subject.glance
    if subject.status in SETTLED or subject.status == "delivering":
        return
    if subject.status in ("waiting", "parked"):
        for wait in subject.waits:
            yield from _of_card(wait)
        if subject.waits and subject.is_open and glance.queued:
            yield Means("Set the question aside", "it goes on without an answer, and then the thread with what waits")
    if subject.status == "parked" and not subject.waits:
        yield Means("resume", "it goes on after its last recorded step; nothing that is done is repeated")
    if subject.status == "parked":
        yield Means("heal", "its open calls are closed in words, and it ends without an answer")
    if subject.status == "suspended":
        yield Means("resume --force", "it is tried at once")
    stay = ""
    if glance.queued and subject.status != "queued":
        stay = f"; {messages(glance.queued)} behind it stay{'s' if glance.queued == 1 else ''}"
    yield Means("stop", f"it ends for good; what it did stays done{stay}")


def _of_card(wait: Wait) -> Iterator[Means]:
    """The buttons of a wait's card."""
    match wait.kind:
        case "question":
            yield from _of_question(wait)
        case "plan":
            yield Means("Approve", "it follows the plan")
            yield Means("Ask for changes", "it makes another plan")
            yield Means("Reject", "it goes on without the plan")
        case "approval":
            yield Means("Approve", f"“{line(wait.call, 80)}” runs, once")
            yield Means("Deny", "the call does not run; the model is told so, and why")


def _of_question(wait: Wait) -> Iterator[Means]:
    only = wait.questions[0] if len(wait.questions) == 1 else None
    choices = only.choices if only is not None and not only.several else ()
    for choice in choices:
        yield Means(line(choice.label, 60), line(choice.description) or "answers the question, and it goes on")
    if not choices and (only is None or only.choices):
        yield Means("Send", "what was picked answers, and it goes on")
    if wait.takes_words:
        yield Means("a reply in the thread", "its words are the answer, and it goes on")
