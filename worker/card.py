"""A wait's card in its thread: posted, looked after, asked again further down, and retired when the wait is over."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

from store.errors import RunSuspended
from store.lease import Commit
from store.ports import Part, Reply, ReplyError
from store.view import AskView, CardState, RunView, StepState
from store.wait import SHOWN
from worker.door import Door
from worker.ledger import Ledger
from worker.post import Post
from worker.progress import Progress
from worker.services import Services
from worker.state import RunState

IN_VIEW = 20
"""Messages below a card until it counts as scrolled away."""
PLAN_PROGRESS = "plan_progress"
"""The tool whose calls say where a plan stands."""

log = logging.getLogger(__name__)


class Card:
    """The card of one wait, in the n-th place where it was asked; 0 is the first.

    It is owed (`card:<wait>`, with that number) from the wait's opening until it stands there. Its end is owed by
    itself (`retire:<wait>`), so that who still posts the card of a wait that is over takes nothing away. Before a card
    is posted further down, the one above loses its buttons, so there are never two open ones.
    """

    def __init__(self, services: Services, door: Door, state: RunState, reply: Reply, wait: str) -> None:
        self._services, self._door, self._state, self._reply = services, door, state, reply
        self._asked = state.waits[wait]
        self._ledger = Ledger(services, door, state)

    @property
    def latest(self) -> int:
        """The number of the lowest place where it was, or is being, posted."""
        return latest(self._state, self._asked.wait.id)

    def show(self, number: int) -> None:
        """Make the open card stand there, and record that it does. `ReplyError` where Slack does not take it."""
        view = self._view()
        if self._asked.answer is None:
            if number > 0:
                self._post(number - 1).amend(replace(view, ask=replace(self._ask(), state="moved")))
            self._stand(number, view)
            if len(self._asked.wait.arguments) > SHOWN:
                self._lay_beside(view)
        self._done("card")

    def retire(self, rewrite_in: float) -> None:
        """Take the buttons away and say how it ended, in the lowest card that stands and in the reminder of it.

        rewrite_in: seconds until late words of an owner we took over from cannot come any more; then it is to be said
        once more (`RunSuspended`).
        """
        view = self._view()
        for post in self._places():
            if ts := post.amend(view):
                post.retire_twins(ts)
                break
        self._reminder().amend(view)
        if rewrite_in > 0:
            raise RunSuspended("the card is retired once more, over late words of the process before", rewrite_in)
        self._done("retire")

    def is_in_view(self) -> bool:
        """Whether people in the thread still come across it."""
        if self._told().stands:
            return True
        ts = self._post(self.latest).standing(self._view())
        if not ts:
            return False
        timeout = self._door.allowance(self._services.limits.slack_timeout)
        below = self._reply.below(ts, IN_VIEW + 1, timeout)
        return below is not None and below <= IN_VIEW

    def follow(self, done: Collection[int], doing: int) -> None:
        """Show how far the plan is; what is there at the end is owed, this is not."""
        view = self._view()
        steps = steps_of(self._asked.wait.steps, done, doing, over=False)
        self._places()[0].amend(replace(view, ask=replace(self._ask(), steps=steps)))

    def remind(self) -> None:
        """Say once, in a post of its own, that the wait is still open; nothing where it is over."""
        if self._asked.answer is None:
            reminder = self._reminder()
            reminder.retire_twins(reminder.ensure(self._view()))
        self._done("remind")

    def _done(self, what: str) -> None:
        self._door.commit(Commit(self._state.id, done=[f"{what}:{self._asked.wait.id}"], progress=False))

    def _stand(self, number: int, view: RunView) -> None:
        """In the thread, or where that takes no posts any more, with the asker alone."""
        try:
            post = self._post(number)
            post.retire_twins(post.show(view))
        except ReplyError as error:
            if error.kind != "closed":
                raise
            log.info("thread=%s %s is asked in direct messages: %s", view.thread, self._asked.wait.id, error)
            self._told().ensure(view)

    def _lay_beside(self, view: RunView) -> None:
        """The whole input of a call that is too long for its card; without it the card still says what is missing."""
        try:
            self._part(f"input.{self._asked.wait.id}").ensure(view)
        except ReplyError as error:
            if error.kind in ("busy", "lost", "credentials"):
                raise
            log.warning("thread=%s the input of %s cannot be shown: %s", view.thread, self._asked.wait.id, error)

    def _view(self) -> RunView:
        progress = Progress(self._services.clock, self._state, active_before=0.0, resumed=False, queued=0)
        return replace(progress.view("waiting"), ask=self._ask())

    def _ask(self) -> AskView:
        asked = self._asked
        state: CardState = "open" if asked.answer is None else "over"
        return AskView(asked.wait, state, asked.answer, plan_steps(self._state, asked.wait.id), asked.void)

    def _post(self, number: int) -> Post:
        wait = self._asked.wait.id
        return self._part(f"ask.{wait}.{number}" if number else f"ask.{wait}")

    def _places(self) -> Sequence[Post]:
        """Where it may stand, the lowest first: with the asker alone where the thread took no posts."""
        if self._told().stands:
            return [self._told()]
        return [*(self._post(number) for number in range(self.latest, -1, -1)), self._told()]

    def _reminder(self) -> Post:
        return self._part(f"remind.{self._asked.wait.id}")

    def _told(self) -> Post:
        return self._part(f"told.{self._asked.wait.id}")

    def _part(self, part: Part) -> Post:
        return Post(self._services, self._door, self._ledger, self._state, self._reply, part, mine=False)


def latest(state: RunState, wait: str) -> int:
    """The number of the lowest place where a wait's card was, or is being, posted."""
    first = f"#ask.{wait}"
    calls = {record.key.call for record in state.posts.values()}
    return max((int(call.rpartition(".")[2]) for call in calls if call.startswith(f"{first}.")), default=0)


def plan_steps(state: RunState, wait: str) -> tuple[tuple[str, StepState], ...]:
    """The steps of an approved plan, each with where the run says it is; those of a run that is over are left."""
    asked = state.waits[wait]
    if asked.wait.kind != "plan" or asked.answer is None or asked.answer.verdict != "approve":
        return ()
    done, doing = _progress(state)
    return steps_of(asked.wait.steps, done, doing, over=state.settled is not None)


def steps_of(
    steps: Sequence[str], done: Collection[int], doing: int, *, over: bool
) -> tuple[tuple[str, StepState], ...]:
    """Each step with where it is."""

    def where(number: int) -> StepState:
        if number in done:
            return "done"
        if over:
            return "left"
        return "doing" if number == doing else "todo"

    return tuple((step, where(number)) for number, step in enumerate(steps, start=1))


def _progress(state: RunState) -> tuple[set[int], int]:
    """The step numbers that are done, and the one under way, as the run said last."""
    committed = [result for turn in state.turns for result in turn.results]
    said = [
        record
        for record in (*committed, *state.open.values())
        if record.kind == "tool" and record.body.get("name") == PLAN_PROGRESS and record.state == "done"
    ]
    if not said:
        return set(), 0
    arguments = said[-1].body["args"]
    return set(arguments["done"]), int(arguments["doing"] or 0)
