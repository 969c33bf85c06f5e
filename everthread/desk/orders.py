"""What may be done to a run: stop it, let it go on, close it. Each is stored before it is rung for."""

from __future__ import annotations

from collections.abc import Callable

from everthread.desk.subject import Subject
from everthread.desk.words import messages
from store.desk import Did, Done
from store.lifecycle import SETTLED
from store.protocol import Ordered, OrderVerb, Store
from worker.footer import duration

_NOT_PARKED = {
    "queued": "It is in line and begins by itself.",
    "running": "It is being worked on.",
    "waiting": "It waits for an answer: answer it, or stop it.",
    "delivering": "It is over; only its answer is not shown yet.",
}


class Orders:
    """ring: wakes a worker for a thread, and never raises."""

    def __init__(self, store: Store, ring: Callable[[str], object]) -> None:
        self._store, self._ring = store, ring

    def stop(self, subject: Subject, by: str) -> Done:
        if subject.status in SETTLED or subject.status == "delivering":
            return _done(subject, "over", "It is over already.")
        outcome = self._store.admissions.stop(subject.thread, subject.run, by)
        if outcome == "over":
            return _done(subject, "over", "It is over already.")
        self._ring(subject.thread)
        queued = subject.glance.queued if subject.status != "queued" else 0
        stay = f" {messages(queued)} behind it {'stays' if queued == 1 else 'stay'}." if queued else ""
        if outcome == "again":
            return _done(subject, "again", f"It was asked to stop before.{stay}")
        return _done(subject, "done", f"It is asked to stop.{stay}")

    def resume(self, subject: Subject, by: str, *, force: bool) -> Done:
        if subject.status == "suspended":
            return self._force(subject) if force else _done(subject, "not_now", _by_itself(subject))
        if subject.status == "running" and force and not subject.glance.owner:
            return self._force(subject)
        if subject.status == "parked" and subject.waits:
            return _done(subject, "not_now", "It waits for an answer on its card: answer that, heal it, or stop it.")
        return self._order(subject, "resume", by, "It goes on as soon as a worker takes it up.")

    def heal(self, subject: Subject, by: str) -> Done:
        return self._order(subject, "heal", by, "It is closed without an answer as soon as a worker takes it up.")

    def _force(self, subject: Subject) -> Done:
        self._ring(subject.thread)
        return _done(subject, "done", "A worker is asked to try it now.")

    def _order(self, subject: Subject, verb: OrderVerb, by: str, says: str) -> Done:
        if subject.status in SETTLED:
            return _done(subject, "over", "It is over already.")
        if subject.status != "parked":
            return _done(subject, "not_now", f"Only a parked run can be told to {verb}. {_unparked(subject)}")
        if f"resume:{subject.run}" in subject.glance.rest:
            return _done(subject, "again", "It was told to go on, and does so when its thread is free.")
        ordered: Ordered = self._store.admissions.order(subject.thread, subject.run, verb, by)
        if ordered in ("ordered", "again"):
            self._ring(subject.thread)
        answers: dict[Ordered, tuple[Did, str]] = {
            "ordered": ("done", says),
            "again": ("again", "An order for it is on its way already."),
            "not_parked": ("not_now", "It is not parked any more."),
            "over": ("over", "It is over already."),
        }
        return _done(subject, *answers[ordered])


def _unparked(subject: Subject) -> str:
    return _by_itself(subject) if subject.status == "suspended" else _NOT_PARKED.get(subject.status, "")


def _by_itself(subject: Subject) -> str:
    at = subject.glance.looked_at
    when = f" in {duration(at)}" if at else ""
    return f"It goes on by itself{when}; resume with --force tries it now."


def _done(subject: Subject, did: Did, says: str) -> Done:
    return Done(did, subject.thread, subject.run, says.strip())
