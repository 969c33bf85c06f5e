"""Lists: what is owed, a person's runs, and what waits for people. What they read is bounded, whatever there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from everthread.desk.words import line, messages, row_of, waits_for
from store.desk import RunPage, RunRow, WaitRows
from store.glance import Glance, Origin
from store.ports import Clock
from store.protocol import Store
from store.stepkey import StepKey
from store.submission import Submission
from store.values import decode
from worker.footer import duration

PARKED = {
    "fruitless": "a person: it was cut off again and again",
    "unknown": "a person: an effect is in doubt",
    "spending": "a person: today's money is spent",
    "credentials": "a person: a service refuses our key or account",
    "limit": "a person: it reached a limit",
    "fault": "a person: a fault of ours",
}
_MOST = 100
"""Threads in a page of the inventory; those of a small inventory come all at once."""


class Listing:
    """Rows of runs and waits of one workspace."""

    def __init__(self, store: Store, team: str, clock: Clock) -> None:
        self._store, self._team, self._clock = store, team, clock

    def owed(self, cursor: str | None, limit: int) -> RunPage:
        """cursor: that of the inventory's page, and how many rows of it were shown."""
        page_at, _, skipped = (cursor or "").partition(".")
        if not (page_at or "0").isdecimal() or not (skipped or "0").isdecimal():
            raise ValueError(f"{cursor!r} is no cursor: give the one that a list before ended with")
        page = self._store.inventory.owed(self._team, cursor=page_at or None, limit=_MOST)
        skip = int(skipped or 0)
        threads = sorted(page.threads)[skip : skip + limit]
        glances = [glance for glance in self._store.inventory.glances(threads) if glance is not None]
        rows = [row for glance in glances for row in self._rows(glance)]
        left = skip + len(threads) < len(page.threads)
        onward = f"{page_at}.{skip + limit}" if left else page.cursor
        return RunPage(self._dated(rows), onward, self._store.inventory.count(self._team), self._clock.now())

    def of(self, user: str, limit: int) -> RunPage:
        runs = self._store.admissions.runs_of(self._team, user)
        origins = self._store.admissions.origins(self._team, runs)
        threads = list(dict.fromkeys(origins[run].thread for run in runs if run in origins))
        known = {glance.thread: glance for glance in self._store.inventory.glances(threads) if glance is not None}
        rows = [self._row_of(origins[run], known) for run in runs if run in origins]
        unfinished = sum(bool(row.status) for row in rows)
        rows = [row if row.status else self._settled(row) for row in rows[:limit]]
        return RunPage([row for row in rows if row.status], None, unfinished, self._clock.now())

    def waiting(self, who: Sequence[str], limit: int) -> WaitRows:
        found = self._store.waits.open_to(self._team, who, limit=limit)
        return WaitRows([row_of(wait) for wait in found.waits], found.more, self._clock.now())

    def _rows(self, glance: Glance) -> Iterator[RunRow]:
        """Everything in a thread that somebody or something waits for."""
        if glance.run:
            yield RunRow(glance.thread, glance.run, glance.status, "", 0.0, open_waits_for(glance))
        for item, raw in glance.rest.items():
            kind, _, about = item.partition(":")
            match kind:
                case "parked":
                    asked = next((waits_for(wait) for wait in glance.waits if wait.run == about), "")
                    yield RunRow(glance.thread, about, "parked", "", 0.0, asked or parked_for(raw))
                case "resume":
                    yield RunRow(glance.thread, about, "parked", "", 0.0, "its thread to be free; then it goes on")
                case "unknown":
                    doubtful = f"somebody to look whether “{line(str(decode(raw).get('title', '')), 80)}” happened"
                    yield RunRow(glance.thread, StepKey.parse(about).run, "unknown", "", 0.0, doubtful)
        for item in glance.due:
            if item.startswith("delivery:"):
                yield RunRow(glance.thread, item.partition(":")[2], "delivering", "", 0.0, "Slack to take its answer")
        if glance.inputs:
            yield _queued(glance, glance.inputs[0])

    def _dated(self, rows: Sequence[RunRow]) -> list[RunRow]:
        """With who asked and when, as far as that is kept; the longest waiting first."""
        origins = self._store.admissions.origins(self._team, [row.run for row in rows])
        return sorted((_of(row, origins.get(row.run)) for row in rows), key=lambda row: (row.asked, row.thread))

    def _row_of(self, origin: Origin, glances: Mapping[str, Glance]) -> RunRow:
        """One of a person's runs; its status is "" where only its outcome can tell."""
        glance = glances.get(origin.thread)
        rows = list(self._rows(glance)) if glance is not None else []
        found = next((row for row in rows if row.run == origin.run and row.status != "unknown"), None)
        if found is None and glance is not None:
            behind = next((one for one in glance.inputs if one.run == origin.run), None)
            found = _queued(glance, behind) if behind is not None else None
        return _of(found or RunRow(origin.thread, origin.run, "", "", 0.0, ""), origin)

    def _settled(self, row: RunRow) -> RunRow:
        outcome = self._store.admissions.outcome(self._team, row.run)
        status = "" if outcome is None else str(outcome["status"])
        return RunRow(row.thread, row.run, status, row.asker, row.asked, "")


def open_waits_for(glance: Glance) -> str:
    """What the open run of a thread waits for, in a few words."""
    answered = any(letter.startswith("answer:") for letter in glance.letters)
    waits = [wait for wait in glance.waits if wait.run == glance.run]
    if glance.status == "waiting" and waits and not answered:
        first, more = waits[0], len(waits) - 1
        return f"{waits_for(first)}{f', and {more} more' if more else ''}"
    if glance.owner and glance.lease_left > 0:
        return "the model and its tools: it is worked on"
    if glance.owner:
        return "a worker: the one before was lost"
    when = f", tried in {duration(glance.looked_at)}" if glance.looked_at else ""
    return f"a service that failed{when}" if glance.pause == "outage" else f"a free worker{when}"


def parked_for(raw: str) -> str:
    """Why a parked run needs a person."""
    reason = str(decode(raw).get("reason", "")) if raw else ""
    return PARKED.get(reason, "a person")


def _queued(glance: Glance, submission: Submission) -> RunRow:
    first = glance.inputs[0].run == submission.run
    what = "a free worker" if first and not glance.run else "its turn"
    behind = f"; {messages(glance.queued - 1)} behind it" if first and glance.queued > 1 else ""
    return RunRow(glance.thread, submission.run, "queued", submission.author, submission.at, f"{what}{behind}")


def _of(row: RunRow, origin: Origin | None) -> RunRow:
    if origin is None:
        return row
    return RunRow(row.thread, row.run, row.status, origin.author, origin.at, row.waits_for)
