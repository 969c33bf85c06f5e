"""Why a run stands where it stands, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everthread.desk.means import means
from everthread.desk.steps import last_step, steps_of
from everthread.desk.subject import Subject
from everthread.desk.words import holder, line, messages, row_of, waits_for, who_may
from store.desk import Why
from store.lifecycle import SETTLED
from store.stepkey import StepKey
from store.values import decode
from store.wait import Wait
from worker.footer import duration


def why(subject: Subject, now: float, fruitless: int) -> Why:
    """fruitless: tenures that may die in a row before a run is parked."""
    reasons = _Reasons(subject, now, fruitless)
    return Why(
        thread=subject.thread,
        run=subject.run,
        status=subject.status,
        asker=subject.asker,
        asked=subject.asked,
        now=now,
        says=tuple(reasons.says()),
        means=tuple(means(subject)),
        waits=tuple(map(row_of, subject.waits)),
        people=tuple(reasons.people()),
    )


class _Reasons:
    """The sentences about one run at one moment."""

    def __init__(self, subject: Subject, now: float, fruitless: int) -> None:
        self._subject, self._now, self._fruitless = subject, now, fruitless
        self._glance = subject.glance

    def says(self) -> Iterator[str]:
        """What it waits for; who holds it; how far it is; what else is known."""
        subject = self._subject
        if subject.fault:
            yield f"Its records cannot be used by this build: {line(subject.fault)}."
        match subject.status:
            case "waiting":
                yield from self._waiting()
            case "parked":
                yield from self._parked()
            case "queued":
                yield self._queued()
            case "suspended":
                why = "a service did not answer" if self._glance.pause == "outage" else "its process was to end"
                yield f"It was left in good order because {why}, and goes on by itself{self._looked_at()}."
            case "delivering":
                yield f"It is over, but Slack has not taken its answer yet{self._looked_at()}."
            case status if status in SETTLED:
                yield self._settled()
        if subject.status not in SETTLED:
            yield self._held()
        yield from self._history()
        yield from self._besides()

    def people(self) -> Sequence[str]:
        """The ids that the sentences name."""
        named = [who for wait in self._subject.waits for who in (*row_of(wait).who, wait.asker)]
        stop = [self._subject.stop.by] if self._subject.stop is not None else []
        return [who for who in dict.fromkeys([*named, *stop]) if who]

    def _waiting(self) -> Iterator[str]:
        if self._subject.is_answered:
            yield "It has its answer; a worker takes it up."
        yield from self._asked()

    def _asked(self) -> Iterator[str]:
        for wait in self._subject.waits:
            yield f"It waits for {waits_for(wait)}, since {duration(self._now - wait.asked)}."
            yield f"{who_may(wait)}; {self._until(wait)}."

    def _until(self, wait: Wait) -> str:
        if not wait.deadline:
            return "there is no deadline"
        left = duration(max(0.0, wait.deadline - self._now))
        if wait.kind != "question":
            return f"after {left} more it counts as not approved"
        given = "; ".join(line(question.default, 60) for question in wait.questions if question.default)
        return f"after {left} more {f'“{given}” counts' if given else 'it goes on without an answer'}"

    def _parked(self) -> Iterator[str]:
        parked = self._subject.state.parked if self._subject.state is not None else None
        if f"resume:{self._subject.run}" in self._glance.rest:
            yield "It was told to go on, and does so when its thread is free."
        else:
            yield "It is parked: only a person can move it on."
            yield from self._asked()
        if parked is not None and (note := str(parked.body.get("note", ""))):
            yield line(note)
        if f"order:{self._subject.run}" in self._glance.letters:
            yield "An order for it is on its way to a worker."

    def _queued(self) -> str:
        glance, run = self._glance, self._subject.run
        ahead = next((n for n, one in enumerate(glance.inputs) if one.run == run), 0)
        if glance.run:
            return f"Nobody began it: it comes after run {glance.run}{f' and {messages(ahead)}' if ahead else ''}."
        if ahead:
            return f"Nobody began it: {messages(ahead)} {'comes' if ahead == 1 else 'come'} first{self._looked_at()}."
        return f"Nobody began it: it comes next{self._looked_at()}."

    def _settled(self) -> str:
        state = self._subject.state
        if state is None or state.settled is None:
            return "It is over."
        note = line(str(state.settled.body.get("note", "")))
        return f"It is over since {duration(max(0.0, self._now - state.settled.at))}{f': {note}' if note else '.'}"

    def _held(self) -> str:
        glance = self._glance
        who = holder(glance.owner).capitalize()
        if glance.owner and glance.lease_left > 0:
            what = "works on it" if self._subject.is_open else "works in its thread"
            left = f"the lease holds for {duration(glance.lease_left)} more unless it is renewed"
            return f"{who} {what}, for {duration(glance.held)} so far; {left}."
        if glance.owner:
            return f"{who} had it and was lost; the next worker takes over{self._looked_at()}."
        return "No process holds it."

    def _looked_at(self) -> str:
        at = self._glance.looked_at
        return "" if at is None else f"; it is looked at {'now' if at < 1 else f'in {duration(at)}'}"

    def _history(self) -> Iterator[str]:
        subject, glance = self._subject, self._glance
        step = last_step(steps_of(subject.records, subject.run))
        if step is not None:
            yield f"Its last step: {step.what}, {step.stands} {duration(max(0.0, self._now - step.at))} ago."
        if glance.deaths and subject.is_open:
            often = "once" if glance.deaths == 1 else f"{glance.deaths} times in a row"
            yield f"It was cut off {often} without getting any further; after more than {self._fruitless} it is parked."

    def _besides(self) -> Iterator[str]:
        subject, glance = self._subject, self._glance
        if subject.stop is not None and subject.status not in SETTLED:
            yield f"{subject.stop.by} asked to stop it {duration(max(0.0, self._now - subject.stop.at))} ago."
        for item, raw in glance.rest.items():
            kind, _, key = item.partition(":")
            if kind == "unknown" and StepKey.parse(key).run == subject.run:
                yield f"It may or may not have happened: “{line(str(decode(raw).get('title', '')))}”."
        if glance.queued and subject.status != "queued":
            yield f"{messages(glance.queued)} {'waits' if glance.queued == 1 else 'wait'} in its thread."
