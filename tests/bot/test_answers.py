"""Clicks on what a run asks: durable first, decided once, never silent."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from bot.access import AccessPolicy
from bot.cards.ask_button import APPROVE, CHANGE, CHOOSE, DENY, REJECT, SEND, WORDS
from bot.cards.ask_form import PICK, SAY, pick_block, say_block
from bot.cards.ask_window import ANSWER
from bot.entitled import NOT_THE_ASKER
from bot.listeners import answers as said
from bot.listeners import deciding, windows
from bot.listeners.run_buttons import NO_LONGER_IN_USE, NOT_TAKEN
from bot.listeners.unmatched import UNKNOWN_FORM
from store.errors import StoreUnavailableError
from store.lease import Closing, Commit
from store.protocol import Store
from store.wait import Answer, Answerers, Choice, Given, Question, Wait
from tests.bot.asking import (
    COLOURS,
    THREAD,
    Redrawn,
    approval,
    ask,
    mailed,
    question,
    redrawing,
    stands,
    value,
    wait,
    whispered,
)
from tests.bot.doubles import Bot, Json, click, refusal
from tests.conftest import FakeClock

BLUE = f"{CHOOSE}.0"


@pytest.fixture
def redrawn() -> Iterator[Redrawn]:
    with redrawing() as redrawn:
        yield redrawn


@pytest.fixture
def office(bot: Bot, store: Store, redrawn: Redrawn) -> Bot:
    bot.build(store=store)
    return bot


def picked(of: Wait, **options: Any) -> Json:
    """`state.values` of inputs in a message: by number, the value of one option, or a list of several."""
    values: Json = {}
    for name, chosen in options.items():
        number = int(name.removeprefix("q"))
        one = {"selected_option": {"value": chosen} if chosen is not None else None}
        several = {"selected_options": [{"value": each} for each in chosen]} if isinstance(chosen, list) else one
        values[pick_block(of, number)] = {PICK: {"type": "radio_buttons", **several}}
    return {"state": {"values": values}}


def written(of: Wait, view: Json, words: str = "", number: int = 0, user: str = "U0ANN", **values: Any) -> Json:
    """A window that was filled in and sent; view: as it was opened."""
    state = {say_block(of, number): {SAY: {"type": "plain_text_input", "value": words or None}}, **values}
    sent = {**view, "id": "V1", "state": {"values": state}}
    return {
        "type": "view_submission",
        "user": {"id": user, "team_id": "T0TEAM"},
        "team": {"id": "T0TEAM"},
        "trigger_id": "1.2.3",
        "view": sent,
    }


def opened(bot: Bot) -> Json:
    """The window that was opened last."""
    view = bot.slack.made("views.open")[-1].args["view"]
    return dict(json.loads(view) if isinstance(view, str) else view)


@pytest.mark.clause("WAIT-2", "ASK-3")
def test_a_choice_is_durable_then_the_card_is_redrawn_and_a_worker_woken(
    office: Bot, store: Store, redrawn: Redrawn, caplog: pytest.LogCaptureFixture
) -> None:
    asked = question()
    ask(store, asked)
    caplog.set_level(logging.INFO, "bot")

    assert office.tell(click(BLUE, value(asked), user="U0BOB")).status == 200

    now = stands(store, asked)
    assert (now.state, now.answer) == (
        "answered",
        Answer(asked.id, "U0BOB", office.clock.now(), "button", (Given(("Blue",)),)),
    )
    assert mailed(store) == [f"answer:{asked.id}"]
    assert office.rung == [THREAD]
    [sent] = redrawn.sent
    assert (sent["url"], sent["replace_original"]) == ("http://127.0.0.1:9/response", True)
    assert [block["type"] for block in sent["blocks"]] == ["markdown", "section", "context"]
    assert whispered(office) == []
    assert [line for line in caplog.messages if asked.id in line] == [
        f"thread={THREAD} run=r7 {asked.id} answered by U0BOB (button): taken"
    ]


@pytest.mark.clause("WAIT-2", "ASK-3")
def test_with_the_store_down_the_clicker_is_told_to_click_again_and_may(
    office: Bot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question()
    ask(store, asked)

    def down(*_: object) -> None:
        raise StoreUnavailableError("the store does not answer")

    with monkeypatch.context() as broken:
        broken.setattr(store.waits, "answer", down)
        assert office.tell(click(BLUE, value(asked))).status == 200
    assert whispered(office) == [("U0ANN", NOT_TAKEN)]
    assert (stands(store, asked).state, office.rung) == ("open", [])

    office.tell(click(BLUE, value(asked)))
    assert stands(store, asked).state == "answered"


@pytest.mark.clause("ASK-3")
def test_where_slack_does_not_redraw_the_card_the_clicker_is_told(office: Bot, store: Store, redrawn: Redrawn) -> None:
    asked = question()
    ask(store, asked)
    redrawn.status = 404
    office.tell(click(BLUE, value(asked)))
    assert whispered(office) == [("U0ANN", said.TAKEN)]
    assert office.rung == [THREAD]


@pytest.mark.clause("WAIT-5", "ASK-3")
@pytest.mark.parametrize(
    ("user", "told"), [("U0BOB", "Already answered by <@U0ANN>: Blue"), ("U0ANN", "You answered this already: Blue")]
)
def test_the_first_answer_stands_and_who_comes_late_is_told_whose_it_is(
    office: Bot, store: Store, redrawn: Redrawn, user: str, told: str
) -> None:
    asked = question()
    ask(store, asked)
    office.tell(click(BLUE, value(asked)))
    office.tell(click(f"{CHOOSE}.1", value(asked), user=user))
    assert whispered(office) == [(user, told)]
    answer = stands(store, asked).answer
    assert answer is not None
    assert answer.given == (Given(("Blue",)),)
    assert len(redrawn.sent) == 2


@pytest.mark.clause("WAIT-5", "ASK-3")
def test_an_answer_after_the_deadline_or_to_nothing_that_is_known_is_told_so(
    office: Bot, store: Store, clock: FakeClock
) -> None:
    asked = question(deadline=clock.now() + 60)
    ask(store, asked)
    clock.advance(61)
    office.tell(click(BLUE, value(asked)))
    office.tell(click(BLUE, f"{THREAD}|r7|w0000000000000000"))
    assert [text for _, text in whispered(office)] == [deciding.LATE, deciding.UNKNOWN]
    assert stands(store, asked).answer is None
    assert office.rung == [THREAD]


@pytest.mark.clause("WAIT-5", "ASK-3")
def test_an_answer_to_what_is_over_is_told_how_it_ended(office: Bot, store: Store) -> None:
    asked = question()
    ask(store, asked)
    lease = store.leases.claim(THREAD, "boot:1:1:o").lease
    stopped = Closing(Answer(asked.id, "U0BOB", 2.0, "stopped"), over=True)
    store.log.commit(lease, Commit("r7", closed=[stopped], progress=False))
    store.leases.release(lease, idle=False)

    office.tell(click(BLUE, value(asked)))

    assert whispered(office) == [("U0ANN", "This is over already. The run was stopped by <@U0BOB>.")]


@pytest.mark.clause("ASK-3")
@pytest.mark.parametrize("carried", ["", "w1", f"{THREAD}|r7", "T0OTHER/C1/1.2|r7|w1", "T0TEAM|r7|w1"])
def test_a_card_with_a_value_that_is_not_ours_is_no_longer_in_use(office: Bot, carried: str) -> None:
    for action in (BLUE, SEND, APPROVE, REJECT, WORDS, CHANGE, DENY):
        assert office.tell(click(action, carried)).status == 200
    assert {text for _, text in whispered(office)} == {NO_LONGER_IN_USE}
    assert len(office.whispers) == 7


@pytest.mark.clause("ASK-3")
def test_a_button_of_another_kind_of_card_or_of_a_choice_that_is_gone_decides_nothing(
    office: Bot, store: Store
) -> None:
    asked = question()
    ask(store, asked)
    for action in (APPROVE, REJECT, CHANGE, DENY, f"{CHOOSE}.7"):
        office.tell(click(action, value(asked)))
    assert [text for _, text in whispered(office)] == [*[NO_LONGER_IN_USE] * 4, said.NO_CHOICE]
    assert stands(store, asked).state == "open"


@pytest.mark.clause("ASK-1", "ASK-3")
def test_what_is_picked_in_the_message_is_sent_whole_or_not_at_all(office: Bot, store: Store) -> None:
    toppings = Question("With what?", (Choice("Salt"), Choice("Oil"), Choice("Nuts")), several=True)
    asked = question(COLOURS, toppings)
    ask(store, asked)

    office.tell(click(SEND, value(asked), **picked(asked, q0="1", q1=[])))
    assert whispered(office) == [("U0ANN", said.CHOOSE_FIRST)]
    office.tell(click(SEND, value(asked), **picked(asked, q0="1", q1=["2", "0", "9", "x"])))

    answer = stands(store, asked).answer
    assert answer is not None
    assert answer.given == (Given(("Red",)), Given(("Salt", "Nuts")))


@pytest.mark.clause("ASK-3")
@pytest.mark.parametrize(
    "state",
    [None, {}, {"values": []}, {"values": {"b": 3}}, {"values": {"{block}": []}}]
    + [
        {"values": {"{block}": {PICK: found}}}
        for found in (None, [], {"selected_option": "0"}, {"selected_options": 3})
    ],
)
def test_a_message_that_says_nothing_readable_of_what_is_picked_is_not_an_answer(
    office: Bot, store: Store, state: Any
) -> None:
    asked = question(Question("With what?", (Choice("Salt"), Choice("Oil")), several=True))
    ask(store, asked)
    filled = json.loads(json.dumps(state).replace("{block}", pick_block(asked, 0)))
    assert office.tell(click(SEND, value(asked), state=filled)).status == 200
    assert whispered(office) == [("U0ANN", said.CHOOSE_FIRST)]


@pytest.mark.clause("ASK-1")
@pytest.mark.parametrize(("action", "verdict"), [(APPROVE, "approve"), (REJECT, "reject")])
def test_a_plan_is_approved_or_rejected_by_one_click(
    office: Bot, store: Store, redrawn: Redrawn, action: str, verdict: str
) -> None:
    asked = wait("plan", title="Move", steps=("Copy", "Check"))
    ask(store, asked)
    office.tell(click(action, value(asked), user="U0BOB"))
    answer = stands(store, asked).answer
    assert answer is not None
    assert (answer.verdict, answer.how, answer.by) == (verdict, "button", "U0BOB")
    steps = next(block for block in redrawn.sent[0]["blocks"] if block["type"] == "context")
    assert ("○ Copy\n○ Check" in steps["elements"][0]["text"]) == (verdict == "approve")


@pytest.mark.clause("ASK-5")
def test_an_approved_plan_that_is_followed_already_is_not_drawn_over_by_a_late_click(
    office: Bot, store: Store, redrawn: Redrawn
) -> None:
    asked = wait("plan", title="Move", steps=("Copy",))
    ask(store, asked)
    office.tell(click(APPROVE, value(asked)))
    office.tell(click(APPROVE, value(asked), user="U0BOB"))
    assert len(redrawn.sent) == 1
    assert whispered(office) == [("U0BOB", "Already answered by <@U0ANN>: approved")]


@pytest.mark.clause("GATE-5")
def test_at_a_quorum_each_vote_is_counted_once_and_the_one_that_completes_it_decides(office: Bot, store: Store) -> None:
    asked = approval(quorum=2)
    other = approval(n=2)
    ask(store, asked, other)

    for user in ("U0ANN", "U0ANN", "U0BOB", "U0CAT"):
        office.tell(click(APPROVE, value(asked), user=user))

    assert whispered(office) == [
        ("U0ANN", "Counted: 1 of 2 have approved."),
        ("U0ANN", "You approved this already: 1 of 2 have."),
        ("U0CAT", "Already answered by <@U0BOB>: approved"),
    ]
    assert (stands(store, asked).state, stands(store, other).state) == ("answered", "open")
    assert office.rung == [THREAD, THREAD]


@pytest.mark.clause("ASK-4", "ASK-3")
@pytest.mark.parametrize(
    ("by", "user", "why"),
    [
        (("asker",), "U0BOB", "Only <@U0ANN> may answer this."),
        (("U0CAT", "S0OPS"), "U0BOB", "Only <@U0CAT>, <!subteam^S0OPS> may answer this."),
        (("U0CAT", "S0OPS"), "U0OPS", None),
        (("U0CAT", "asker"), "U0ANN", None),
        ((), "U0ANN", "Nobody may answer this."),
    ],
)
def test_who_may_answer_is_checked_at_the_click_and_a_refusal_says_why(
    office: Bot, store: Store, by: tuple[str, ...], user: str, why: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    office.slack.answer("usergroups.users.list", {"users": ["U0OPS"]})
    asked = question(answerers=Answerers(by))
    ask(store, asked)
    caplog.set_level(logging.INFO, "bot")
    for action in (BLUE, WORDS):
        office.tell(click(action, value(asked), user=user))
    assert (stands(store, asked).state == "open") == (why is not None)
    if why is not None:
        assert whispered(office) == [(user, why)] * 2
        assert f"thread={THREAD} run=r7 {asked.id} refused to {user}" in caplog.messages
        assert office.slack.made("views.open") == []


@pytest.mark.clause("ASK-4")
def test_nobody_approves_what_was_asked_for_them_where_that_is_set_and_they_may_still_deny(
    office: Bot, store: Store
) -> None:
    asked = approval(not_asker=True)
    ask(store, asked)
    office.tell(click(APPROVE, value(asked), user="U0ANN"))
    assert whispered(office) == [("U0ANN", NOT_THE_ASKER)]

    office.tell(click(DENY, value(asked), user="U0ANN"))
    office.tell(written(asked, opened(office), "too much"))
    answer = stands(store, asked).answer
    assert answer is not None
    assert (answer.verdict, answer.words) == ("deny", "too much")


@pytest.mark.clause("ASK-4")
def test_who_may_not_use_the_bot_may_not_answer_either(office: Bot, store: Store) -> None:
    office.build(AccessPolicy(people=frozenset({"U0ANN"})), store=store)
    asked = question()
    ask(store, asked)
    office.tell(click(BLUE, value(asked), user="U0BOB"))
    stranger = click(BLUE, value(asked))
    stranger["user"] = {"id": "U0EVE", "team_id": "T0OTHER"}
    office.tell(stranger)
    assert stands(store, asked).state == "open"
    assert len(office.whispers) == 2


@pytest.mark.clause("ASK-3")
def test_while_slack_cannot_say_who_is_in_a_group_the_clicker_may_click_again(office: Bot, store: Store) -> None:
    office.slack.answer("usergroups.users.list", refusal("ratelimited"))
    asked = approval(by=("S0OPS",))
    ask(store, asked)
    office.tell(click(APPROVE, value(asked)))
    assert whispered(office) == [("U0ANN", NOT_TAKEN)]


@pytest.mark.clause("ASK-1", "WAIT-2")
def test_words_are_written_in_a_window_which_closes_once_they_are_durable(
    office: Bot, store: Store, redrawn: Redrawn
) -> None:
    asked = question(Question("Why?", words=True))
    ask(store, asked)
    assert office.tell(click(WORDS, value(asked), user="U0BOB")).status == 200
    [call] = office.slack.made("views.open")
    view = opened(office)
    assert (call.args["trigger_id"], view["callback_id"]) == ("1.2.3", ANSWER)
    assert [(block["block_id"], block["label"]["text"]) for block in view["blocks"]] == [(say_block(asked, 0), "Why?")]

    answer = office.tell(written(asked, view, "  because  ", user="U0BOB"))

    assert (answer.status, answer.body) == (200, "")
    given = stands(store, asked).answer
    assert given is not None
    assert (given.by, given.how, given.given) == ("U0BOB", "button", (Given((), "because"),))
    assert [one["url"] for one in redrawn.sent] == ["http://127.0.0.1:9/response"]
    assert office.rung == [THREAD]
    assert whispered(office) == []


@pytest.mark.clause("ASK-3", "WAIT-2")
def test_a_window_stays_with_what_is_in_it_while_the_store_is_down(
    office: Bot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question(Question("Why?", words=True))
    ask(store, asked)
    office.tell(click(WORDS, value(asked)))

    def down(*_: object) -> None:
        raise StoreUnavailableError("the store does not answer")

    with monkeypatch.context() as broken:
        broken.setattr(store.waits, "look", down)
        answer = json.loads(office.tell(written(asked, opened(office), "because")).body)
    assert answer == {"response_action": "errors", "errors": {say_block(asked, 0): NOT_TAKEN}}
    assert stands(store, asked).state == "open"
    assert office.tell(written(asked, opened(office), "because")).body == ""


@pytest.mark.clause("ASK-1", "ASK-3")
def test_a_window_of_several_questions_takes_choices_and_words_and_says_what_is_missing(
    office: Bot, store: Store
) -> None:
    asked = question(COLOURS, Question("Why?", words=True), Question("And?", (Choice("Yes"), Choice("No")), words=True))
    ask(store, asked)
    office.tell(click(WORDS, value(asked), **picked(asked, q0="1")))
    view = opened(office)
    assert [block["block_id"] for block in view["blocks"]] == [
        *(pick_block(asked, 0), say_block(asked, 1), pick_block(asked, 2), say_block(asked, 2))
    ]
    assert view["blocks"][0]["element"]["initial_option"]["value"] == "1"

    blue = picked(asked, q0="0", q2=None)["state"]["values"]
    answer = json.loads(office.tell(written(asked, view, "calm", 1, **blue)).body)
    assert answer["errors"] == dict.fromkeys((pick_block(asked, 2), say_block(asked, 2)), windows.SAY_SOMETHING)

    own = {say_block(asked, 2): {SAY: {"value": "perhaps"}}}
    assert office.tell(written(asked, view, "calm", 1, **blue, **own)).body == ""
    given = stands(store, asked).answer
    assert given is not None
    assert given.given == (Given(("Blue",)), Given((), "calm"), Given((), "perhaps"))


@pytest.mark.clause("ASK-3", "WAIT-5")
def test_a_window_that_comes_late_says_what_became_of_the_question(office: Bot, store: Store) -> None:
    asked = question(Question("Why?", words=True))
    ask(store, asked)
    office.tell(click(WORDS, value(asked), user="U0BOB"))
    view = opened(office)
    office.tell(written(asked, view, "because"))

    answer = json.loads(office.tell(written(asked, view, "so", user="U0BOB")).body)

    assert answer["response_action"] == "update"
    [block] = answer["view"]["blocks"]
    assert block["text"]["text"] == "Already answered by <@U0ANN>: because"


@pytest.mark.clause("ASK-1")
def test_changes_to_a_plan_need_words_and_a_denial_may_do_without(office: Bot, store: Store) -> None:
    plan, call = wait("plan", steps=("Copy",)), approval(n=2)
    ask(store, plan, call)
    office.tell(click(CHANGE, value(plan)))
    answer = json.loads(office.tell(written(plan, opened(office))).body)
    assert answer["errors"] == {say_block(plan, 0): windows.SAY_SOMETHING}
    office.tell(written(plan, opened(office), "sooner"))
    office.tell(click(DENY, value(call)))
    office.tell(written(call, opened(office)))
    found = [stands(store, one).answer for one in (plan, call)]
    assert [(one.verdict, one.words) for one in found if one] == [("change", "sooner"), ("deny", "")]


@pytest.mark.clause("ASK-3")
def test_a_window_that_slack_does_not_open_is_told_and_one_that_is_not_ours_is_answered(
    office: Bot, store: Store
) -> None:
    asked = question(Question("Why?", words=True))
    ask(store, asked)
    office.slack.answer("views.open", refusal("expired_trigger_id"))
    assert office.tell(click(WORDS, value(asked))).status == 200
    assert whispered(office) == [("U0ANN", windows.NOT_OPENED)]

    for metadata in ("", "x", f"{value(asked)}|other|", f"{value(asked)}"):
        view = {"type": "modal", "callback_id": ANSWER, "private_metadata": metadata, "blocks": 3}
        answer = json.loads(office.tell(written(asked, view, "because")).body)
        assert answer["view"]["blocks"][0]["text"]["text"] == UNKNOWN_FORM
    assert stands(store, asked).state == "open"
