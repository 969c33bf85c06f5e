"""How a play sees cards and windows, waits for them, and judges what became of what was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.cards.ask_card import ask_card
from playground.scenarios.cards import card_state
from playground.scenarios.conditions import match_of
from playground.scenarios.happenings import Happening, Happenings
from playground.scenarios.judge import broken, failures
from playground.scenarios.quiet import what_is_left
from playground.scenarios.scenario import Condition, Scenario, ToolPlan
from playground.scenarios.seen import Seen, SeenEffect, SeenReply, SeenRun, SeenWait
from playground.scenarios.surface import Surface, filled_in
from store.view import AskView, CardState, RunView
from store.wait import Answer, Choice, Question, Wait

THREAD = "T1/C1/1.0"
WAIT = Wait("w1", "r1", THREAD, "r1:0:t1/answer:0", "question", "U1", "the house", 1.0)
ONE = Question("Which colour?", (Choice("Red"), Choice("Blue")))
TWO = Question("Which rooms?", (Choice("Hall"), Choice("Attic")), several=True)
MODES = ("idle", "owed")
Json = dict[str, Any]


def blocks(state: CardState, *questions: Question) -> list[Json]:
    wait = Wait(**{name: getattr(WAIT, name) for name in WAIT.__slots__} | {"questions": questions or (ONE,)})
    answer = Answer("w1", "U2", 2.0, "button") if state == "over" else None
    view = RunView("r1", THREAD, "U1", "waiting", ask=AskView(wait, state, answer))
    return list(ask_card(view).blocks)


def card(ts: str, shown: list[Json], part: str = "ask.w1", **more: Any) -> Json:
    versions = [{"metadata": {"event_payload": {"run": "r1", "part": part}}}]
    return {"ts": ts, "thread_ts": "1.0", "from_app": True, "user": "U0", "blocks": shown, "versions": versions, **more}


@pytest.mark.parametrize("state", ["open", "over", "moved"])
def test_a_card_is_known_by_what_it_shows(state: CardState) -> None:
    assert card_state(blocks(state)) == state


def test_the_newest_message_with_a_button_is_clicked_and_a_stale_client_still_sees_one_that_is_gone() -> None:
    happenings = Happenings()
    surface = Surface(happenings)
    happenings.tell("slack.message.posted", **card("5.0", blocks("open")))
    happenings.tell("slack.message.posted", **card("6.0", blocks("open"), part="ask.w1.1"))
    happenings.tell("slack.message.edited", **card("5.0", blocks("moved")))

    button = surface.button("Blue", "ann")
    stale = surface.button("Blue", "ann", stale=True)

    assert button is not None
    assert (button.ts, button.action) == ("6.0", "everthread_choose.1")
    assert stale is not None
    assert stale.ts == "5.0"
    assert surface.button("Blue", "ann", thread="2.0") is None
    assert surface.button("Green", "ann") is None
    happenings.tell("slack.message.deleted", **card("6.0", blocks("open")))
    assert surface.button("Blue", "ann") is None


def test_a_whisper_and_a_window_are_seen_by_one_person_alone() -> None:
    happenings = Happenings()
    surface = Surface(happenings)
    aside = [{"type": "actions", "elements": [{"type": "button", "action_id": "a", "text": {"text": "Aside"}}]}]
    happenings.tell("slack.ephemeral.posted", ts="7.0", thread_ts="1.0", user="U0BOB00001", blocks=aside, text="")
    shown = {"type": "modal", "submit": {"text": "Send"}, "blocks": [], "id": "V1"}
    happenings.tell("slack.view.opened", view="V1", user="U0BOB00001", open=True, shown=shown)

    assert surface.button("Aside", "bob") is not None
    assert surface.button("Aside", "ann") is None
    assert surface.window("bob") == shown
    assert surface.window("ann") is None
    happenings.tell("slack.view.closed", view="V1", user="U0BOB00001", open=False, shown=shown)
    assert surface.window("bob") is None


def test_what_is_filled_in_stands_in_the_order_of_the_inputs() -> None:
    shown = blocks("open", ONE, TWO)

    assert filled_in(shown, ["Blue", ["Attic", "Hall"]]) == {
        "w1.0.pick": {"everthread_pick": "1"},
        "w1.1.pick": {"everthread_pick": ["1", "0"]},
    }
    assert filled_in(shown, [None, ["Hall"]]) == {"w1.1.pick": {"everthread_pick": ["0"]}}
    with pytest.raises(ValueError, match="there are 2 inputs to fill in, not 1"):
        filled_in(shown, ["Blue"])
    with pytest.raises(ValueError, match="there is no choice 'Green'; there are Red, Blue"):
        filled_in(shown, ["Green", []])


def test_a_condition_counts_each_card_once_in_a_state() -> None:
    opened = match_of(Condition("card", "open", containing="colour"), str)
    told = [
        Happening(n, 0.0, kind, card(ts, shown))
        for n, (kind, ts, shown) in enumerate(
            [
                ("slack.message.posted", "5.0", blocks("open")),
                ("slack.message.edited", "5.0", blocks("open")),
                ("slack.message.posted", "6.0", blocks("open", TWO)),
                ("slack.message.posted", "7.0", blocks("open")),
                ("slack.message.edited", "7.0", blocks("over")),
            ]
        )
    ]
    assert [opened(one) for one in told] == [True, False, False, True, False]


def test_a_run_counts_as_waiting_once_nobody_works_on_its_thread() -> None:
    waiting = match_of(Condition("run", "waiting"), str)

    def become(status: str) -> Happening:
        return Happening(0, 0.0, "store.commit", {"thread": THREAD, "run": "r1", "head": {"status": status}})

    idle, owed = (Happening(0, 0.0, "store.release", {"thread": THREAD, "over": True, "mode": mode}) for mode in MODES)
    told = [become("running"), idle, become("waiting"), owed, idle, idle, become("running"), become("waiting"), idle]
    assert [waiting(one) for one in told] == [False, False, False, False, True, False, False, False, True]


def commit(happenings: Happenings, status: str = "", **about: Any) -> None:
    head = {"status": status} if status else {}
    empty: Json = {"records": [], "due": (), "done": (), "closed": ()}
    happenings.tell("store.commit", run="r1", thread=THREAD, head=head, **empty | about)


def test_a_run_that_was_parked_and_goes_on_is_not_over_before_its_new_end_is_shown() -> None:
    happenings = Happenings()
    shown = [("#delivered", "done")]
    happenings.tell("store.admit", run="r1", thread=THREAD, word="NEW")
    commit(happenings, "parked")
    commit(happenings, records=shown)
    assert what_is_left(happenings) == ""
    happenings.tell("store.answer", wait="w1", how="TAKEN")
    assert what_is_left(happenings) == "1 answers are not taken into account"
    commit(happenings, "completed", due=("retire:w1",), closed=("w1",))
    assert what_is_left(happenings) == "the end of 1 runs is not shown"
    commit(happenings, records=shown)
    assert what_is_left(happenings) == "1 cards do not say how it ended"
    commit(happenings, done=("retire:w1",))
    assert what_is_left(happenings) == ""


RUN = SeenRun("r1", "1.0", "completed", "Done.", settlements=1)
REPLY = SeenReply("r1", "reply", "2.0", ["Done."])
OPEN, OVER = (SeenReply("r1", "ask.w1", "3.0", [""], card=state) for state in ("open", "over"))
DECIDED = SeenWait("w1", "r1", "r1:0:t1:0", 1.0, ["button by bob"])


@pytest.mark.parametrize(
    ("replies", "waits", "said"),
    [
        ([REPLY, OVER], [DECIDED], []),
        ([REPLY, OPEN], [DECIDED], ["w1 has 1 open cards, decided: button by bob"]),
        ([REPLY, OVER], [SeenWait("w1", "r1", "r1:0:t1:0", 1.0)], ["w1 was decided 0 times: "]),
        (
            [REPLY, OVER],
            [SeenWait("w1", "r1", "r1:0:t1:0", 1.0, ["deadline", "button by bob"])],
            ["w1 was decided 2 times: deadline, button by bob"],
        ),
    ],
)
def test_what_was_asked_is_decided_once_and_leaves_no_open_card(
    replies: list[SeenReply], waits: list[SeenWait], said: list[str]
) -> None:
    scenario = Scenario(Path("a.yaml"), "a")
    assert list(broken(scenario, Seen(replies=replies, runs=[RUN], waits=waits))) == said


def test_an_unsafe_call_happens_once_more_only_where_people_let_it_be_tried_again() -> None:
    scenario = Scenario(Path("a.yaml"), "a", tools=(ToolPlan("charge"),))
    twice = [SeenEffect("charge", "r1:0:t1:0", "charged")] * 2
    again = SeenWait("w1", "r1", "r1:0:t1:0", 1.0, ["button by bob"], again=True)

    for waits, said in (([again], []), ([DECIDED], ["the unsafe charge had its effect 2 times for r1:0:t1:0"])):
        seen = Seen(replies=[REPLY, OVER], runs=[RUN], waits=waits, effects=twice)
        assert list(broken(scenario, seen)) == said


def test_cards_are_counted_and_what_they_show_is_told_in_order() -> None:
    moved = SeenReply("r1", "ask.w1", "3.0", ["further down"], card="moved")
    over = SeenReply("r1", "ask.w1.1", "4.0", ["Answered by"], card="over")
    seen = Seen(replies=[REPLY, over, moved], runs=[RUN], waits=[DECIDED])
    right = {
        "cards": {"posted": 2, "standing": 2, "over": 1, "moved": 1, "open": 0},
        "cards_show": ("further", "Answered"),
        "decisions": ("button by bob",),
        "parts": {"reply": 1, "ask": 2},
    }

    assert failures(Scenario(Path("a.yaml"), "a", expect=right), seen) == []
    wrong = right | {"cards": {"open": 1}, "cards_show": ("Answered", "further"), "decisions": ("deadline",)}
    assert len(failures(Scenario(Path("a.yaml"), "a", expect=wrong), seen)) == 3
