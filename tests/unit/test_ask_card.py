"""What a run waits for as a Slack message: open, over, or moved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot.cards.ask_button import APPROVE, CHANGE, CHOOSE, DENY, REJECT, SEND, WORDS, Target, chosen
from bot.cards.ask_card import ask_card
from bot.cards.ask_window import Errand, Purpose, answer_window, in_window, input_ids
from bot.cards.ask_words import NAME, ending, gist
from bot.cards.card import Card
from bot.cards.remind_card import remind_card
from playground.standins.slack.blocks import check_blocks, interactive, shown_text
from playground.standins.slack.limits import enforce
from playground.standins.slack.text import escape, notified
from playground.standins.slack.views import check_view
from store.view import AskView, CardState, RunView, StepState
from store.wait import Answer, Answerers, Choice, Given, How, Question, Verdict, Wait, WaitKind

THREAD = "T0TEAM/C0GENERAL/1800000000.000100"
COLOURS = (Choice("Blue", "like the sea"), Choice("Red"), Choice("Green"))


def wait(kind: WaitKind = "question", **more: Any) -> Wait:
    return Wait("w0123456789abcdef", "r7", THREAD, "r7:1:t1:0", kind, "U0ANN", **{"title": "", "asked": 1.0, **more})


def asking(*questions: Question, **more: Any) -> Wait:
    return wait(questions=questions, **more)


def view(asked: Wait, state: CardState = "open", answer: Answer | None = None, **more: Any) -> RunView:
    return RunView("r7", THREAD, "U0ANN", "waiting", ask=AskView(asked, state, answer, **more))


def answered(how: How = "button", by: str = "U0BOB", **more: Any) -> Answer:
    return Answer("w0123456789abcdef", by, 2.0, how, **more)


def texts(value: Any) -> Iterator[str]:
    """Every text of the blocks, in order."""
    if isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "text" and isinstance(item, str):
                yield item
            else:
                yield from texts(item)


def shown(card: Card) -> list[str]:
    return list(texts(card.blocks))


def pressed(card: Card) -> list[tuple[str, str]]:
    """What can be pressed or picked: action ids with the first text of each."""
    return [(part["action_id"], next(texts(part), "")) for part in interactive(card.blocks)]


@pytest.mark.clause("ASK-1")
def test_one_question_has_a_button_for_each_choice_and_says_what_they_are() -> None:
    card = ask_card(view(asking(Question("Which colour?", COLOURS, words=True))))
    assert shown(card) == [
        "Which colour?",
        "1. Blue: like the sea\n2. Red\n3. Green",
        *("Blue", "Red", "Green", "Answer in words"),
        "Or reply in this thread.",
    ]
    assert [action for action, _ in pressed(card)] == [*(f"{CHOOSE}.{number}" for number in range(3)), WORDS]
    assert {part["value"] for part in interactive(card.blocks)} == {f"{THREAD}|r7|w0123456789abcdef"}
    assert card.text == "A question: Which colour?"


@pytest.mark.clause("ASK-1")
def test_a_question_in_words_alone_has_one_button_and_the_hint() -> None:
    card = ask_card(view(asking(Question("Why?", words=True))))
    assert pressed(card) == [(WORDS, "Answer in words")]
    assert shown(card)[-1] == "Or reply in this thread."


@pytest.mark.clause("ASK-1")
@pytest.mark.parametrize(
    ("question", "kind"),
    [
        (Question("Which?", COLOURS, several=True), "checkboxes"),
        (Question("Which?", tuple(Choice(str(n)) for n in range(6))), "radio_buttons"),
        (Question("Which?", (Choice("a" * 41), Choice("b"))), "radio_buttons"),
        (Question("Which?", tuple(Choice(str(n)) for n in range(11))), "static_select"),
        (Question("Which?", tuple(Choice(str(n)) for n in range(11)), several=True), "multi_static_select"),
    ],
)
def test_what_does_not_fit_on_buttons_is_picked_and_sent(question: Question, kind: str) -> None:
    card = ask_card(view(asking(question)))
    [element] = [block["element"] for block in card.blocks if block["type"] == "input"]
    assert element["type"] == kind
    assert [option["value"] for option in element["options"]] == [str(n) for n in range(len(question.choices))]
    assert pressed(card)[-1] == (SEND, "Submit")


@pytest.mark.clause("ASK-1")
def test_several_questions_are_picked_in_the_message_and_words_have_a_window() -> None:
    card = ask_card(view(asking(Question("Which?", COLOURS), Question("How many?", COLOURS, words=True), title="Two")))
    assert [block["type"] for block in card.blocks] == ["markdown", *("markdown", "input") * 2, "actions"]
    assert [action for action, _ in pressed(card)][-2:] == [SEND, WORDS]


@pytest.mark.clause("ASK-1")
def test_questions_that_a_message_has_no_inputs_for_are_listed_and_answered_in_a_window() -> None:
    for questions in ((Question("Why?", words=True), Question("Which?", COLOURS)), (Question("Which?", COLOURS),) * 6):
        card = ask_card(view(asking(*questions)))
        assert pressed(card) == [(WORDS, "Answer")]
        assert any("1. Blue: like the sea" in text for text in shown(card))


@pytest.mark.clause("ASK-1")
def test_what_an_option_has_no_room_for_is_listed_under_its_number() -> None:
    long = "a very long label " * 6
    card = ask_card(view(asking(Question("Which?", (Choice(long), Choice("b", "short"))))))
    assert f"1. {long.strip()}\n2. b: short" in shown(card)[1]
    assert pressed(card)[0][1].startswith("1. a very long")


@pytest.mark.clause("ASK-1")
def test_a_plan_is_numbered_and_can_be_approved_changed_or_rejected() -> None:
    card = ask_card(view(wait("plan", title="Move the data", steps=("Copy it", "Check\nit"))))
    assert shown(card)[:2] == ["Move the data", "1. Copy it\n2. Check it"]
    assert pressed(card) == [(APPROVE, "Approve"), (CHANGE, "Ask for changes"), (REJECT, "Reject")]


@pytest.mark.clause("ASK-1", "ASK-5")
def test_an_approved_plan_has_no_buttons_and_is_followed_step_by_step() -> None:
    steps: tuple[tuple[str, StepState], ...] = (("Copy", "done"), ("Check", "doing"), ("Tell", "todo"), ("Go", "left"))
    card = ask_card(view(wait("plan", title="Move"), "over", answered(verdict="approve"), steps=steps))
    assert shown(card) == ["Move", "✓ Copy\n▸ Check\n○ Tell\n○ Go (not done)", "Approved by <@U0BOB>."]
    assert pressed(card) == []


@pytest.mark.clause("ASK-1")
def test_an_approval_shows_the_exact_call_and_as_much_of_its_arguments_as_fits() -> None:
    arguments = json.dumps({"script": "x" * 20_000})
    asked = wait("approval", title="May it?", call="run_script(script=…)", arguments=arguments)
    card = ask_card(view(asked))
    assert shown(card)[:2] == ["May it?", "run_script(script=…)"]
    assert arguments.startswith(shown(card)[2])
    assert shown(card)[3] == f"{len(arguments) - 2_500:,} more characters are in the file below."
    assert pressed(card) == [(APPROVE, "Approve"), (DENY, "Deny")]
    assert card.text == "An approval: run_script(script=…)"


@pytest.mark.clause("ASK-4")
@pytest.mark.parametrize(
    ("answerers", "line"),
    [
        (Answerers(), None),
        (Answerers(("asker",)), "<@U0ANN> may decide"),
        (
            Answerers(("U0BOB", "S0OPS"), quorum=2, not_asker=True),
            "<@U0BOB>, <!subteam^S0OPS> may decide, not <@U0ANN>, for whom it is done, 2 people have to approve",
        ),
    ],
)
def test_who_may_decide_is_said_where_it_is_not_everybody(answerers: Answerers, line: str | None) -> None:
    card = ask_card(view(wait("approval", call="pay()", answerers=answerers)))
    assert [text for text in shown(card) if "may decide" in text] == ([line] if line else [])
    assert ("<@U0ANN>: An approval" in card.text) == (answerers.by == ("asker",))


def test_a_notification_says_what_is_asked_and_how_it_ended() -> None:
    one = asking(Question("Which?", COLOURS), title="Colours")
    for asked, said in ((one, "A question: Which?"), (wait("plan", title="Move"), "A plan to approve: Move")):
        assert ask_card(view(asked)).text == said
    over = ask_card(view(one, "over", answered(given=(Given(("Blue",)),))))
    assert over.text == "A question: Which? (Answered by <@U0BOB>. Blue)"


def test_a_deadline_and_what_counts_after_it_are_said() -> None:
    question = Question("Which?", COLOURS, default="Blue")
    open_card = ask_card(view(asking(question, deadline=1_800_000_600.0)))
    when = "<!date^1800000600^{date_short_pretty} {time}|2027-01-15 08:10 UTC>"
    assert shown(open_card)[-1] == f"Until {when}; after that “Blue” counts"
    over = ask_card(view(asking(question), "over", answered("deadline", by="")))
    assert shown(over)[-1] == "Nobody answered in time: “Blue” counts."


QUESTION = asking(Question("Which?", COLOURS), title="Colours")
OVER: list[tuple[Wait, Answer, str]] = [
    (QUESTION, answered(given=(Given(("Blue",)),)), "Answered by <@U0BOB>."),
    (QUESTION, answered("deadline", by=""), "Nobody answered in time."),
    (QUESTION, answered("aside"), "Set aside by <@U0BOB>."),
    (QUESTION, answered("stopped"), "The run was stopped by <@U0BOB>."),
    (wait("plan"), answered(verdict="change", words="sooner"), "Changes were asked for by <@U0BOB>."),
    (wait("plan"), answered(verdict="reject"), "Rejected by <@U0BOB>."),
    (wait("plan"), answered("aside", verdict="reject"), "Set aside by <@U0BOB>: it counts as rejected."),
    (wait("plan"), answered("deadline", by=""), "Nobody decided in time: it is not approved."),
    (wait("approval", call="pay()"), answered(verdict="approve"), "Approved by <@U0BOB>."),
    (wait("approval", call="pay()"), answered(verdict="deny", words="too much"), "Denied by <@U0BOB>."),
    (wait("approval"), answered("aside", verdict="deny"), "Set aside by <@U0BOB>: it counts as denied."),
]


@pytest.mark.clause("ASK-5")
@pytest.mark.parametrize(("asked", "answer", "line"), OVER)
def test_a_card_that_is_over_has_no_buttons_and_says_what_happened(asked: Wait, answer: Answer, line: str) -> None:
    card = ask_card(view(asked, "over", answer))
    assert pressed(card) == []
    assert shown(card)[-1] == line
    assert line in card.text
    assert card.text.startswith(NAME[asked.kind])
    for said in (answer.words, *(label for one in answer.given for label in one.choices)):
        assert not said or said in shown(card)


@pytest.mark.clause("ASK-5")
def test_several_answers_are_shown_with_their_questions() -> None:
    asked = asking(Question("Which?", COLOURS), Question("Why?", words=True))
    given_ = (Given(("Blue",)), Given((), "It is\ncalm."))
    card = ask_card(view(asked, "over", answered(given=given_)))
    assert "Which? → Blue\nWhy? → It is\ncalm." in shown(card)


@pytest.mark.clause("ASK-5")
def test_an_answer_that_its_run_could_not_take_is_said_to_be_kept() -> None:
    card = ask_card(view(QUESTION, "over", answered(given=(Given(("Blue",)),)), void=True))
    assert shown(card)[-1].startswith("The run could not take this answer any more. It is kept")


@pytest.mark.clause("ASK-5")
def test_a_card_that_moved_points_to_the_newer_one_and_has_no_buttons() -> None:
    card = ask_card(view(QUESTION, "moved"))
    assert shown(card) == ["Colours\n\nWhich?", "↓ Asked again further down in this thread."]
    assert pressed(card) == []


def test_a_card_that_stands_elsewhere_says_where_it_was_asked_and_invites_no_reply() -> None:
    card = ask_card(view(asking(Question("Why?", words=True))), elsewhere=True)
    assert shown(card)[-1] == "Asked in <#C0GENERAL>, where I cannot post any more."


def test_a_reminder_of_what_is_over_says_how_it_ended() -> None:
    card = remind_card(view(QUESTION, "over", answered()))

    assert card.text == "This is no longer open: Which?"
    assert card.blocks[0]["text"]["text"] == f"{card.text}\nAnswered by <@U0BOB>."


def test_a_reminder_names_who_can_answer_and_what() -> None:
    assert remind_card(view(QUESTION)).text == "<@U0ANN> this still waits above: Which?"
    card = remind_card(view(asking(Question("Why?"), answerers=Answerers(("U0BOB",)), deadline=1_800_000_600.0)))
    assert card.text == "<@U0BOB> this still waits above: Why?"
    assert "Until <!date^1800000600^" in shown(card)[0]


def test_a_view_about_nothing_that_is_asked_has_no_card() -> None:
    for make in (ask_card, remind_card):
        with pytest.raises(ValueError, match="r7 is about nothing"):
            make(RunView("r7", THREAD, "U0ANN", "waiting"))


def test_a_button_leads_back_to_its_wait_and_choice() -> None:
    target = Target.parse(f"{THREAD}|r7|w1")
    assert (str(target.thread), target.run, target.wait, str(target)) == (THREAD, "r7", "w1", f"{THREAD}|r7|w1")
    assert chosen(f"{CHOOSE}.12") == 12
    for value in ("", f"{THREAD}|r7", f"{THREAD}|r7|", "T0TEAM|r7|w1", f"{THREAD}|r7|ẃ"):
        with pytest.raises(ValueError, match=r"is not|unpack"):
            Target.parse(value)


@pytest.mark.clause("SEC-2")
@pytest.mark.parametrize("state", get_args(CardState))
def test_no_secret_is_shown_wherever_it_stands_in_what_is_asked_or_answered(state: CardState) -> None:
    secret = "xo" + "xb-" + "1234567890-abcdefghij"
    one = Question(f"Is {secret} right?", (Choice(f"Use {secret}", f"or {secret}"),), default=f"Use {secret}")
    questions = asking(one, Question(f"Why {secret}?", words=True), title=f"About {secret}", deadline=1_800_000_600.0)
    plan = wait("plan", title="Move", steps=(f"Use {secret}",))
    approval = wait("approval", call=f"login({secret})", arguments='{"token": "***"}')
    said = answered(given=(Given((f"Use {secret}",), f"not {secret}"),), words=f"because of {secret}")
    for asked in (questions, asking(one), plan, approval):
        followed: tuple[tuple[str, StepState], ...] = tuple((step, "todo") for step in asked.steps)
        run = view(asked, state, said if state == "over" else None, steps=followed)
        window = answer_window(asked, Errand(Target.of(asked), "words"), {})
        told = ending(asked, answered("deadline")) + gist(said)
        seen = [ask_card(run).blocks, ask_card(run).text, remind_card(run).text, window, told]
        assert secret not in json.dumps(seen)


NASTY = st.sampled_from(
    ["<!channel>", "<@U1>", "<!subteam^S1>", "@here", "```", "~~~\n", "&", "\x00", "\ud83d", "粗体", "🎉"]
)
WORDY = st.lists(st.one_of(NASTY, st.text(max_size=30)), max_size=8).map("".join)
LONG = st.one_of(WORDY, st.tuples(WORDY, st.integers(min_value=1, max_value=600)).map(lambda pair: pair[0] * pair[1]))
CHOICES = st.one_of(
    st.lists(st.builds(Choice, WORDY, WORDY), max_size=6),
    st.lists(st.builds(Choice, LONG, LONG), max_size=3),
    st.integers(min_value=7, max_value=130).map(lambda count: [Choice(f"choice {n}", "d" * 90) for n in range(count)]),
).map(tuple)
QUESTIONS = st.builds(Question, LONG, CHOICES, st.booleans(), st.booleans(), WORDY)
ANSWERERS = st.builds(
    Answerers,
    st.lists(st.one_of(st.sampled_from(["channel", "asker", "U0BOB", "S0OPS"]), WORDY), max_size=30).map(tuple),
    st.integers(min_value=1, max_value=5),
    st.booleans(),
)
WAITS = st.builds(
    Wait,
    id=st.just("w0123456789abcdef"),
    run=st.just("r7"),
    thread=st.just(THREAD),
    key=st.just("r7:1:t1:0"),
    kind=st.sampled_from(get_args(WaitKind)),
    asker=st.just("U0ANN"),
    title=LONG,
    asked=st.just(1.0),
    questions=st.one_of(st.lists(QUESTIONS, max_size=4), st.lists(st.builds(Question, LONG), max_size=70)).map(tuple),
    steps=st.lists(LONG, max_size=60).map(tuple),
    call=LONG,
    arguments=LONG,
    answerers=ANSWERERS,
    deadline=st.sampled_from([0.0, 1_800_000_600.0]),
)
GIVEN = st.lists(st.builds(Given, st.lists(LONG, max_size=4).map(tuple), LONG), max_size=6).map(tuple)
ANSWERS = st.one_of(
    st.none(),
    st.builds(
        Answer,
        wait=st.just("w0123456789abcdef"),
        by=st.sampled_from(["", "U0BOB"]),
        at=st.just(2.0),
        how=st.sampled_from(get_args(How)),
        given=GIVEN,
        verdict=st.sampled_from(get_args(Verdict)),
        words=LONG,
    ),
)
ASKS = st.builds(
    AskView,
    WAITS,
    st.sampled_from(get_args(CardState)),
    ANSWERS,
    st.lists(st.tuples(LONG, st.sampled_from(get_args(StepState))), max_size=60).map(tuple),
    st.booleans(),
)
ASKING = st.builds(
    Wait,
    id=st.just("w0123456789abcdef"),
    run=st.just("r7"),
    thread=st.just(THREAD),
    key=st.just("r7:1:t1:0"),
    kind=st.just("question"),
    asker=st.just("U0ANN"),
    title=st.just(""),
    asked=st.just(1.0),
    questions=st.lists(QUESTIONS, min_size=1, max_size=60).map(tuple),
)
OURS = {"@U0ANN", "@U0BOB", "!subteam^S0OPS"}


@pytest.mark.clause("REPLY-7", "ASK-1")
@settings(deadline=None, max_examples=80)
@given(ASKS, st.booleans())
def test_any_card_is_within_slacks_limits_and_names_nobody_but_those_who_may_answer(
    ask: AskView, elsewhere: bool
) -> None:
    run = RunView("r7", THREAD, "U0ANN", "waiting", ask=ask)
    for card in (ask_card(run, elsewhere=elsewhere), remind_card(run)):
        assert 0 < len(card.text.encode()) <= 3_800
        enforce("update text", len(escape(card.text).encode()))
        check_blocks(card.blocks)
        for block, parsed in zip(card.blocks, Block.parse_all(card.blocks), strict=True):
            assert parsed.to_dict()["type"] == block["type"]
        assert set(notified(card.text)) | set(notified(shown_text(card.blocks))) <= OURS
        assert set(notified("\n".join(shown(card)))) <= OURS
        json.dumps(card.blocks, ensure_ascii=False).encode()
    assert bool(pressed(ask_card(run))) == (ask.state == "open")
    if ask.answer is not None:
        assert set(notified(ending(ask.wait, ask.answer) + gist(ask.answer))) <= OURS


@pytest.mark.clause("REPLY-7", "ASK-1")
@settings(deadline=None, max_examples=40)
@given(ASKING, st.sampled_from(get_args(Purpose)))
def test_any_window_is_within_slacks_limits_and_asks_what_it_can_be_answered(asked: Wait, purpose: Purpose) -> None:
    errand = Errand(Target.of(asked), purpose, "https://hooks.example/" + "x" * 80)
    view = check_view(answer_window(asked, errand, {}), "modal")
    assert notified(shown_text(view["blocks"])) == notified("\n".join(texts(view["blocks"]))) == []
    assert Errand.parse(view["private_metadata"]) == errand
    assert 0 in in_window(asked, view)
    assert len(input_ids(view)) == len(set(input_ids(view)))


def test_an_address_that_is_too_long_is_not_carried() -> None:
    errand = Errand(Target.parse(f"{THREAD}|r7|w1"), "words", "https://" + "x" * 3_000)
    assert Errand.parse(str(errand)).url == ""
