"""Runs that wait for people: without a process, across anything, and never silently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from playground.simulation.baton import START
from playground.simulation.doubles import Gate, Posted
from store.ports import ReplyError, Said
from store.protocol import Head
from store.wait import Answer as Given_Answer
from store.wait import Given, How, Verdict, Wait
from tests.crash.conftest import THREAD, Killer, World, calls, says
from tests.crash.moments import At, Both, Make, raising, replies
from worker.tools.builtin import builtin_tools
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, tool

COLOR = (
    "ask_user",
    {"title": "the colour", "questions": [{"question": "Which?", "choices": [{"label": "red"}, {"label": "blue"}]}]},
)
PLAN = ("present_plan", {"title": "moving", "steps": ["pack", "drive", "unpack"]})
PEOPLE: list[Tool] = [found for found in builtin_tools() if found.name in ("ask_user", "present_plan", "plan_progress")]


class Asking:
    """A simulated run that asks people."""

    def __init__(self, world: Make, *turns: Any, tools: Sequence[Tool] = (), **agent: Any) -> None:
        self.seen: World = world(*turns, tools=[*PEOPLE, *tools], **agent)
        self.fleet = self.seen.fleet
        self.run = ""

    def play(self, act: Callable[[], None]) -> None:
        """Say `go` and do the rest on virtual time."""

        def all_of_it() -> None:
            self.run = self.fleet.say(THREAD, "go").run
            act()

        self.fleet.run(all_of_it)

    def work(self, *gates: Gate) -> int:
        return self.fleet.work_off(THREAD, gates)

    def waits(self) -> list[Wait]:
        return list(self.fleet.host.store.waits.open_in(THREAD))

    def answer(
        self,
        *choices: str,
        wait: Wait | None = None,
        by: str = "U2",
        how: How = "button",
        verdict: Verdict = "",
        words: str = "",
    ) -> str:
        wanted = wait or self.waits()[0]
        answer = Given_Answer(wanted.id, by, self.fleet.baton.time, how, (Given(choices),), verdict, words)
        return self.fleet.host.store.waits.answer(THREAD, answer).how

    def outcome(self) -> dict[str, Any]:
        return self.fleet.host.store.admissions.outcome("T1", self.run) or {}

    def head(self) -> Head:
        found = self.fleet.host.store.inventory.head(THREAD)
        assert found is not None
        return found

    def cards(self) -> list[Posted]:
        return [post for post in self.fleet.slack.posts if post.part.startswith("ask.")]

    def standing(self) -> list[str]:
        """What each standing card shows, in the order of the thread."""
        states = [post.views[-1].ask for post in self.cards() if not post.deleted]
        return [ask.state for ask in states if ask is not None]

    def told(self, turn: int = 1) -> str:
        """What the model was told in that turn."""
        return str(self.fleet.model.asked[turn].messages[-1]["content"])


@pytest.mark.clause("WAIT-3", "ASK-1")
def test_a_question_leaves_nobody_at_work_and_its_answer_reaches_the_model(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"))

    def act() -> None:
        asking.work()
        waiting = asking.head()
        assert (waiting.status, waiting.owner, waiting.due, asking.standing()) == ("waiting", "", [], ["open"])
        assert replies(asking.seen)[0].views[-1].status == "waiting"
        assert asking.answer("blue") == "taken"
        asking.work()

    asking.play(act)

    assert asking.outcome()["text"] == "done"
    assert "<@U2> answered" in asking.told()
    assert "→ blue" in asking.told()
    assert asking.standing() == ["over"]
    assert asking.head().rest == []
    assert set(asking.fleet.model.billed.values()) == {1}


@pytest.mark.clause("WAIT-1", "WAIT-2")
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize(
    "call",
    ["commit tool.pending", "post ask", "commit #ask.done", "commit", "edit reply", "release", "edit ask", "model"],
)
def test_killed_anywhere_it_is_one_wait_one_card_and_one_answer(world: Make, call: str, side: str) -> None:
    asking = Asking(world, calls(COLOR), says("done"))
    gates = [Killer(call, side, nth) for nth in (1, 2, 3)]

    def act() -> None:
        asking.work(*gates)
        assert len(asking.waits()) == 1
        assert asking.answer("red") == "taken"
        asking.work(*[Killer(call, side, nth) for nth in (1, 2)])

    asking.play(act)

    assert asking.outcome()["text"] == "done"
    assert asking.standing() == ["over"]
    assert asking.answer("blue", wait=_only(asking)) == "answered"


def _only(asking: Asking) -> Wait:
    (wait,) = {post.views[-1].ask.wait for post in asking.cards() if post.views[-1].ask is not None}
    return wait


@pytest.mark.clause("WAIT-4")
def test_a_deadline_that_passes_while_nothing_runs_ends_the_wait_once(world: Make) -> None:
    patient = (COLOR[0], {**COLOR[1], "minutes": 10})
    asking = Asking(world, calls(patient), says("done"))

    def act() -> None:
        asking.work()
        wait = asking.waits()[0]
        asking.fleet.host.threads.sleep(601)
        assert asking.answer("red") == "late"
        assert asking.fleet.host.store.inventory.sweep("T1", 10, 10) == [THREAD]
        asking.work()
        assert asking.answer("red", wait=wait) == "answered"

    asking.play(act)

    assert "Nobody answered in time" in asking.told()
    assert asking.outcome()["text"] == "done"


@pytest.mark.clause("WAIT-4")
def test_its_asker_is_reminded_once_before_the_deadline(world: Make) -> None:
    patient = (COLOR[0], {**COLOR[1], "minutes": 10})
    asking = Asking(world, calls(patient), says("done"))

    def act() -> None:
        asking.work()
        for _ in range(3):
            asking.fleet.host.threads.sleep(180)
            asking.work()
        assert len(asking.waits()) == 1

    asking.play(act)

    assert [post.part for post in asking.fleet.slack.posts if post.part.startswith("remind.")] == [
        f"remind.{_only(asking).id}"
    ]


@pytest.mark.clause("ASK-5")
def test_a_reminder_of_what_is_answered_says_so(world: Make) -> None:
    patient = (COLOR[0], {**COLOR[1], "minutes": 10})
    asking = Asking(world, calls(patient), says("done"))

    def act() -> None:
        asking.work()
        asking.fleet.host.threads.sleep(460)
        asking.work()
        asking.answer("blue")
        asking.work()

    asking.play(act)

    [reminder] = [post for post in asking.fleet.slack.posts if post.part.startswith("remind.")]
    assert [seen.ask.state for seen in reminder.views if seen.ask is not None] == ["open", "over"]


@pytest.mark.clause("ADMIT-4", "WAIT-3")
def test_messages_stay_behind_a_run_that_waits_and_stir_nobody(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"), says("second"))

    def act() -> None:
        asking.work()
        tenures = len(asking.fleet.members)
        asking.fleet.say(THREAD, "and another thing", n=2)
        asking.work()
        asking.work()
        assert asking.head().queued == 1
        assert asking.fleet.host.store.inventory.look(THREAD) is False
        assert len(asking.fleet.members) == tenures + 2
        asking.answer("red")
        asking.work()

    asking.play(act)

    assert asking.head().queued == 0
    assert len(asking.fleet.model.asked) == 3


@pytest.mark.clause("WAIT-5", "ASK-5")
def test_a_stop_ends_a_run_that_waits_and_its_card_says_so(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"))

    def act() -> None:
        asking.work()
        wait = asking.waits()[0]
        asking.fleet.host.store.admissions.stop(THREAD, asking.run, "U3")
        asking.work()
        assert asking.answer("red", wait=wait) == "over"

    asking.play(act)

    assert asking.outcome()["status"] == "aborted"
    assert asking.standing() == ["over"]
    ask = asking.cards()[0].views[-1].ask
    assert ask is not None
    assert ask.answer is not None
    assert (ask.answer.how, ask.answer.by) == ("stopped", "U3")
    assert asking.head().rest == []


@pytest.mark.clause("WAIT-1")
def test_whoever_has_its_id_finds_an_open_wait(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"))
    waits = asking.fleet.host.store.waits

    def act() -> None:
        asking.work()
        wait = asking.waits()[0]
        found = waits.find("T1", wait.id)
        assert found is not None
        assert (found.state, found.wait) == ("open", wait)
        assert waits.find("T1", "wunknown") is None
        asking.answer("red")
        asking.work()
        over = waits.look(THREAD, wait.id)
        assert over is not None
        assert (waits.find("T1", wait.id), over.state) == (None, "answered")

    asking.play(act)


@pytest.mark.clause("WAIT-1")
def test_other_calls_of_the_batch_go_on_while_one_waits(world: Make) -> None:
    ran: list[str] = []

    @tool(replay="unsafe")
    def act(context: ToolContext, name: str) -> str:
        """Act."""
        ran.append(name)
        return name

    asking = Asking(world, calls(COLOR, ("act", {"name": "a"}), ("act", {"name": "b"})), says("done"), tools=[act])

    def play() -> None:
        asking.work()
        assert sorted(ran) == ["a", "b"]
        asking.answer("red")
        asking.work()

    asking.play(play)

    assert sorted(ran) == ["a", "b"]
    assert asking.outcome()["text"] == "done"


@pytest.mark.clause("TOOL-10")
def test_a_plain_tool_may_not_wait(world: Make) -> None:
    from worker.tools.ask import Ask

    @tool(replay="unsafe")
    def impatient(context: ToolContext) -> str:
        """Ask without being made of steps."""
        return str(context.ask("answer", Ask("question", "may I?")))

    asking = Asking(world, calls(("impatient", {})), says("done"), tools=[impatient])
    asking.play(lambda: asking.work() and None)

    assert asking.outcome()["text"] == "done"
    assert "composite=True" in asking.told()


@pytest.mark.clause("ASK-2")
def test_a_card_that_is_deleted_or_scrolled_away_is_asked_again_and_one_in_view_is_left_alone(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"))
    waits = asking.fleet.host.store.waits

    def recall() -> None:
        asking.fleet.host.threads.sleep(700)
        assert waits.recall("T1", unseen=600, limit=10) == [THREAD]
        assert waits.recall("T1", unseen=600, limit=10) == []
        asking.work()

    def act() -> None:
        asking.work()
        recall()
        assert asking.standing() == ["open"]
        asking.fleet.slack.said += [Said("U1", "chatter", f"18000001{n:02}.0") for n in range(50, 80)]
        recall()
        assert asking.standing() == ["moved", "open"]
        asking.fleet.slack.said.clear()
        recall()
        assert asking.standing() == ["moved", "open"]
        asking.cards()[-1].deleted = True
        recall()
        assert asking.standing() == ["moved", "open"]
        assert len(asking.cards()) == 3
        asking.answer("red")
        asking.work()

    asking.play(act)

    assert asking.standing() == ["moved", "over"]
    assert asking.outcome()["text"] == "done"


@pytest.mark.clause("ASK-2")
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("call", ["edit ask", "post ask", "commit #ask", "commit"])
def test_killed_while_it_asks_again_there_is_one_open_card(world: Make, call: str, side: str) -> None:
    asking = Asking(world, calls(COLOR), says("done"))

    def act() -> None:
        asking.work()
        asking.fleet.slack.said += [Said("U1", "chatter", f"18000001{n:02}.0") for n in range(50, 80)]
        asking.fleet.host.threads.sleep(700)
        asking.fleet.host.store.waits.recall("T1", unseen=600, limit=10)
        asking.work(Killer(call, side), Killer(call, side, 2))

    asking.play(act)

    assert asking.standing() == ["moved", "open"]


@pytest.mark.clause("ASK-2")
def test_a_card_that_slack_has_no_time_to_look_for_now_is_looked_for_later(world: Make) -> None:
    """After a connection everybody reads: what was missed is caught up with at the same time."""

    def refuse(_member: object) -> None:
        raise ReplyError("the budget is spent", kind="busy", code="budget", retry_after=20)

    asking = Asking(world, calls(COLOR), says("done"))

    def act() -> None:
        asking.work()
        asking.cards()[0].deleted = True
        asking.fleet.host.threads.sleep(700)
        asking.fleet.host.store.waits.recall("T1", unseen=600, limit=10)
        asking.work(At("below", "before", refuse))

    asking.play(act)

    assert asking.standing() == ["open"]


@pytest.mark.clause("ASK-2", "ASK-5")
def test_a_card_that_the_asker_has_alone_follows_and_is_retired_there_and_the_thread_is_not_searched_for_it(
    world: Make,
) -> None:
    def refuse(_member: object) -> None:
        raise ReplyError("the channel is archived", kind="closed", code="is_archived")

    searched: list[str] = []
    asking = Asking(world, calls(PLAN), calls(("plan_progress", {"done": [1], "doing": 2})), says("done"))

    def act() -> None:
        asking.work(At("post ask", "before", refuse))
        asking.answer(verdict="approve")
        asking.work(lambda call, side: searched.append(call) if call.startswith("find ask") else None)

    asking.play(act)

    [card] = [post for post in asking.fleet.slack.posts if post.part.startswith("told.")]
    shown = [tuple(state for _, state in view.ask.steps) for view in card.views if view.ask is not None]
    assert ("done", "doing", "todo") in shown
    assert shown[-1] == ("done", "left", "left")
    assert searched == []


@pytest.mark.clause("ASK-2")
def test_a_card_that_slack_refused_to_take_is_posted_later(world: Make) -> None:
    def refuse(_member: object) -> None:
        raise ReplyError("not now", kind="busy", retry_after=20)

    asking = Asking(world, calls(COLOR), says("done"))
    asking.play(lambda: asking.work(At("post ask", "before", refuse)) and None)

    assert asking.standing() == ["open"]


@pytest.mark.clause("ASK-5")
def test_a_card_that_is_answered_loses_its_buttons_before_the_run_goes_on(world: Make) -> None:
    passed: list[str] = []
    asking = Asking(world, calls(COLOR), says("done"))

    def act() -> None:
        asking.work()
        asking.answer(how="words", words="blue")
        asking.work(lambda call, side: passed.append(f"{side} {call.partition('.')[0]}"))

    asking.play(act)

    assert passed.index("after edit ask") < passed.index("before model")


@pytest.mark.clause("ASK-1")
def test_a_card_whose_turn_in_the_channel_comes_within_a_second_is_not_put_off(world: Make) -> None:
    begun: dict[str, float] = {}

    def note(call: str, side: str) -> None:
        begun.setdefault(f"{call.partition('.')[0]} {side}", asking.fleet.baton.time)

    asking = Asking(world, calls(COLOR), says("done"))
    asking.play(lambda: asking.work(note) and None)

    assert asking.standing() == ["open"]
    assert begun["post ask after"] - begun["post reply after"] < 2


@pytest.mark.clause("ASK-1")
def test_a_card_whose_turn_comes_some_milliseconds_later_than_was_said_is_not_put_off(world: Make) -> None:
    """A post counts from its answer, so the turn after it may move once it was told."""
    asking = Asking(world, calls(COLOR), says("done"))
    gates = [
        At("post ask", "before", raising(ReplyError("not yet", kind="busy", code="budget", retry_after=wait)), nth)
        for nth, wait in ((1, 1.0), (2, 0.01))
    ]

    def act() -> None:
        asking.work(Both(*gates))
        assert asking.fleet.baton.time - START < 3

    asking.play(act)

    assert asking.standing() == ["open"]


@pytest.mark.clause("ASK-1")
def test_a_plan_that_is_approved_shows_how_far_it_is(world: Make) -> None:
    asking = Asking(
        world,
        calls(PLAN),
        calls(("plan_progress", {"done": [1], "doing": 2})),
        calls(("plan_progress", {"done": [1, 2, 3]})),
        says("done"),
    )

    def act() -> None:
        asking.work()
        asking.answer(verdict="approve")
        asking.work()

    asking.play(act)

    shown = [tuple(state for _, state in view.ask.steps) for view in asking.cards()[0].views if view.ask is not None]
    assert shown[0] == ()
    assert ("done", "doing", "todo") in shown
    assert shown[-1] == ("done", "done", "done")
    assert "approved the plan" in asking.told()


@pytest.mark.clause("ASK-5")
def test_an_answer_that_its_run_cannot_take_any_more_is_kept_and_starts_nothing(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"))
    store = asking.fleet.host.store

    def act() -> None:
        asking.work()
        store.admissions.stop(THREAD, asking.run, "U3")
        assert asking.answer("red") == "taken"
        asking.work()

    asking.play(act)

    assert asking.outcome()["status"] == "aborted"
    ask = asking.cards()[0].views[-1].ask
    assert ask is not None
    assert ask.answer is not None
    assert (ask.answer.how, ask.void) == ("button", True)
    assert len(asking.fleet.model.asked) == 1


@pytest.mark.clause("WAIT-1")
def test_a_run_started_behind_another_of_its_tenure_goes_on_from_what_it_was_started_with(world: Make) -> None:
    asking = Asking(world, says("first"), calls(COLOR), says("second"))

    def act() -> None:
        asking.fleet.say(THREAD, "and", n=2)
        tenures = asking.work(At("release", "before", lambda _member: asking.answer("red") and None, nth=2))
        assert tenures == 1

    asking.play(act)

    assert [post.views[-1].text for post in replies(asking.seen)] == ["first", "second"]


@pytest.mark.clause("RUN-17", "ASK-1")
def test_a_store_that_is_away_while_the_card_is_shown_fails_no_tool(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"))

    class Away:
        """The store cannot be reached for the first turn that a card takes."""

        times = 0

        def __call__(self, call: str, side: str) -> None:
            if (call, side) == ("take_turn", "before") and asking.waits() and not self.times:
                self.times += 1
                raise RedisConnectionError("away")

    def act() -> None:
        asking.work(Away())
        assert asking.standing() == ["open"]
        asking.answer("red")
        asking.work()

    asking.play(act)

    assert "→ red" in asking.told()


@pytest.mark.clause("RUN-17", "WAIT-1")
def test_a_store_that_is_away_while_somebody_is_asked_fails_no_tool(world: Make) -> None:
    asking = Asking(world, calls(COLOR), says("done"))

    class Away:
        """The store cannot be reached from the model's answer on, until that tenure is over."""

        answered = False

        def __call__(self, call: str, side: str) -> None:
            if call == "commit model.done" and side == "after":
                self.answered = True
            elif (
                self.answered and side == "before" and call.split(" ")[0] in ("commit", "release", "renew", "take_turn")
            ):
                raise RedisConnectionError("away")

    def act() -> None:
        asking.work(Away())
        asking.answer("red")
        asking.work()

    asking.play(act)

    assert "→ red" in asking.told()
