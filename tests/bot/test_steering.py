"""What a message in a thread is: a stop, the answer to a question, or an input that waits its turn."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from bot.access import AccessPolicy
from bot.aftermath import WAITING
from bot.cards.ask_button import ASIDE
from bot.listeners import aside
from bot.listeners.run_buttons import ALREADY_OVER, NO_LONGER_IN_USE, NOT_TAKEN, ONLY_THE_ASKER
from bot.listening import Listening
from store.errors import StoreUnavailableError
from store.lease import Commit
from store.protocol import Store
from store.wait import Answer, Answerers, Given, Question
from tests.bot.asking import (
    LATER,
    ROOT,
    THREAD,
    Redrawn,
    approval,
    ask,
    end_run,
    question,
    redrawing,
    stands,
    start_run,
    wait,
    whispered,
)
from tests.bot.doubles import Bot, Json, click, event, mention, message

WHY = Question("Why?", words=True)


@pytest.fixture
def redrawn() -> Iterator[Redrawn]:
    with redrawing() as redrawn:
        yield redrawn


@pytest.fixture
def office(bot: Bot, store: Store, redrawn: Redrawn) -> Bot:
    bot.build(store=store)
    return bot


def reply(text: str, user: str = "U0ANN", ts: str = LATER, **more: Any) -> Json:
    return event(message(text, ts=ts, thread_ts=ROOT, user=user, **more))


def inputs(store: Store, thread: str = THREAD) -> list[str]:
    """What waits to be taken there."""
    claim = store.leases.claim(thread, "boot:1:1:y")
    store.leases.release(claim.lease, idle=False)
    return [said.text for said in claim.mailbox.inputs]


def stopped(store: Store) -> dict[str, str]:
    """Runs that are asked to stop, each with who asked."""
    claim = store.leases.claim(THREAD, "boot:1:1:x")
    store.leases.release(claim.lease, idle=False)
    return {run: stop.by for run, stop in claim.mailbox.stops.items()}


def reactions(bot: Bot) -> list[tuple[str, str]]:
    return [(call.args["timestamp"], call.args["name"]) for call in bot.slack.made("reactions.add")]


@pytest.mark.clause("STEER-3", "STOP-1", "STEER-2")
@pytest.mark.parametrize("text", ["stop", "STOP!", " Cancel. ", "abort", "…halt?", "<@U0BOT> stop", "*stop*"])
def test_a_stop_word_alone_stops_the_open_run_and_is_no_input(office: Bot, store: Store, text: str) -> None:
    start_run(store)
    for _ in range(2):
        assert office.tell(reply(text, user="U0BOB")).status == 200
    assert stopped(store) == {"r7": "U0BOB"}
    assert inputs(store) == []
    assert reactions(office) == [(LATER, "octagonal_sign")]
    assert office.rung == [THREAD]


@pytest.mark.clause("STEER-2", "STEER-3")
@pytest.mark.parametrize("text", ["stop it", "please stop", "don't stop", "stopp", "s top", "no"])
def test_a_message_that_is_no_stop_word_alone_stops_nothing(office: Bot, store: Store, text: str) -> None:
    start_run(store)
    office.tell(reply(text))
    assert stopped(store) == {}
    assert inputs(store) == [text]
    assert reactions(office) == [(LATER, "eyes")]


@pytest.mark.clause("STEER-3", "STOP-1")
def test_the_stop_word_of_one_run_stops_no_later_one_however_often_it_comes(office: Bot, store: Store) -> None:
    start_run(store)
    office.tell(reply("stop"))
    end_run(store)
    start_run(store, run="r8", ts="1800000000.000300")
    office.tell(reply("stop"))
    office.tell(reply("stop", ts="1800000000.000250"))
    assert "r8" not in stopped(store)
    assert reactions(office) == [(LATER, "octagonal_sign"), ("1800000000.000250", "eyes")]


@pytest.mark.clause("STEER-3", "STOP-1")
def test_a_stop_word_reaches_a_run_that_nobody_began_yet(office: Bot, store: Store) -> None:
    office.tell(event(mention()))
    [run] = [said.run for said in store.leases.claim(THREAD, "boot:1:1:x").mailbox.inputs]
    office.tell(reply("stop"))
    assert store.admissions.stop(THREAD, run, "U0ANN") == "again"


@pytest.mark.clause("STEER-3")
def test_where_no_run_is_open_a_stop_word_is_an_input_like_any_other(office: Bot, store: Store) -> None:
    start_run(store)
    end_run(store)
    office.tell(reply("stop"))
    office.tell(event(message("<@U0BOT> stop", ts="1800000009.000100")))
    assert inputs(store) == ["stop"]
    assert inputs(store, "T0TEAM/C0GENERAL/1800000009.000100") == ["stop"]


@pytest.mark.clause("STOP-1")
def test_who_may_stop_by_a_word_is_the_same_policy(office: Bot, store: Store) -> None:
    office.build(stopper="asker", store=store)
    start_run(store)
    for _ in range(2):
        office.tell(reply("stop", user="U0BOB"))
    assert whispered(office) == [("U0BOB", ONLY_THE_ASKER)] * 2
    assert (stopped(store), inputs(store), reactions(office)) == ({}, [], [])
    end_run(store)
    office.tell(reply("stop", user="U0BOB"))
    assert inputs(store) == []
    start_run(store, run="r8", ts="1800000000.000300")
    office.tell(reply("stop", ts="1800000000.000400"))
    assert stopped(store) == {"r8": "U0ANN"}


@pytest.mark.clause("STOP-1")
def test_a_stop_word_that_comes_as_its_run_settles_is_told_so_and_starts_nothing(
    office: Bot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_run(store)
    asked = store.admissions.stoppable

    def settling(*given: Any, **more: Any) -> str:
        run = asked(*given, **more)
        end_run(store)
        return run

    monkeypatch.setattr(store.admissions, "stoppable", settling)
    office.tell(reply("stop"))
    assert whispered(office) == [("U0ANN", ALREADY_OVER)]
    assert inputs(store) == []


@pytest.mark.clause("STEER-3")
def test_stop_words_are_a_setting(office: Bot, store: Store) -> None:
    office.build(store=store, stop_words={"Basta"})
    start_run(store)
    office.tell(reply("stop"))
    assert stopped(store) == {}
    office.tell(reply("BASTA!", ts="1800000000.000220"))
    assert stopped(store) == {"r7": "U0ANN"}


@pytest.mark.clause("STEER-3", "ACCESS-3")
def test_in_a_thread_that_listens_to_mentions_only_a_stop_word_needs_one(office: Bot, store: Store) -> None:
    office.build(store=store, listening=Listening("mentions"))
    start_run(store)
    office.tell(reply("stop"))
    assert (stopped(store), inputs(store)) == ({}, [])
    office.tell(reply("<@U0BOT> stop", ts="1800000000.000220"))
    assert stopped(store) == {"r7": "U0ANN"}


@pytest.mark.clause("STEER-3", "ACCESS-3")
def test_in_a_muted_thread_a_stop_word_needs_a_mention(office: Bot, store: Store) -> None:
    start_run(store)
    office.tell(reply("<@U0BOT> mute"))
    office.tell(reply("stop", ts="1800000000.000250"))
    assert (stopped(store), inputs(store)) == ({}, [])
    office.tell(reply("<@U0BOT> stop", ts="1800000000.000260"))
    assert stopped(store) == {"r7": "U0ANN"}


@pytest.mark.clause("STEER-3", "WAIT-2")
@pytest.mark.parametrize("mode", ["mentions", "asked", "all"])
def test_a_reply_is_the_answer_to_the_one_open_question_in_words(
    office: Bot, store: Store, mode: Any, caplog: pytest.LogCaptureFixture
) -> None:
    office.build(store=store, listening=Listening(mode))
    asked = question(WHY)
    ask(store, asked)
    caplog.set_level(logging.INFO, "bot")
    for _ in range(2):
        assert office.tell(reply("because of 1 &lt; 2", user="U0BOB", files=[{"id": "F0A"}])).status == 200
    assert stands(store, asked).answer == Answer(
        asked.id, "U0BOB", office.clock.now(), "words", (Given((), "because of 1 < 2\n[attached: F0A]"),)
    )
    assert inputs(store) == []
    assert reactions(office) == [(LATER, "white_check_mark")]
    assert office.rung == [THREAD]
    assert [line for line in caplog.messages if asked.id in line] == [
        f"thread={THREAD} run=r7 {asked.id} answered by U0BOB (words): taken"
    ]


@pytest.mark.clause("STEER-3", "WAIT-2")
def test_an_answer_that_the_store_cannot_take_is_not_acknowledged_and_taken_when_it_comes_again(
    office: Bot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question(WHY)
    ask(store, asked)

    def down(*_: object) -> None:
        raise StoreUnavailableError("the store does not answer")

    with monkeypatch.context() as broken:
        broken.setattr(store.waits, "answer", down)
        assert office.tell(reply("because")).status == 500
    assert office.tell(reply("because")).status == 200
    assert stands(store, asked).state == "answered"


@pytest.mark.clause("STEER-3")
def test_stop_goes_before_the_answer(office: Bot, store: Store) -> None:
    asked = question(WHY)
    ask(store, asked)
    office.tell(reply("stop"))
    assert (stands(store, asked).state, stopped(store)) == ("open", {"r7": "U0ANN"})


@pytest.mark.clause("STEER-3", "ASK-4")
@pytest.mark.parametrize(
    ("waits", "said"),
    [
        ([question(WHY)], {"text": "<@U0BOT> because"}),
        ([question(WHY), question(WHY, n=2)], {}),
        ([question()], {}),
        ([approval()], {}),
        ([wait("plan", steps=("Copy",))], {}),
        ([question(WHY, answerers=Answerers(("U0CAT",)))], {}),
        ([question(WHY, asked=1_800_000_050.0)], {}),
    ],
    ids=["a mention", "two questions", "choices only", "an approval", "a plan", "somebody else's", "said before"],
)
def test_what_is_not_the_answer_waits_its_turn_with_its_sign(
    office: Bot, store: Store, waits: list[Any], said: Json
) -> None:
    ask(store, *waits)
    office.tell(reply(**{"text": "because", **said}))
    assert {stands(store, asked).state for asked in waits} == {"open"}
    assert inputs(store) == ["because"]
    assert reactions(office) == [(LATER, "eyes")]


@pytest.mark.clause("STEER-3")
def test_beside_an_approval_the_one_question_in_words_is_answered_by_a_reply(office: Bot, store: Store) -> None:
    asked, other = question(WHY), approval(n=2)
    ask(store, asked, other)
    office.tell(reply("because"))
    assert (stands(store, asked).state, stands(store, other).state) == ("answered", "open")


@pytest.mark.clause("STEER-3", "ACCESS-3", "ACCESS-1")
def test_a_reply_that_is_not_for_us_is_no_answer_either(office: Bot, store: Store) -> None:
    asked = question(WHY)
    ask(store, asked)
    office.tell(reply("ask <@U0CAT>"))
    office.slack.people["U0GUS"] = {"is_restricted": True}
    office.tell(reply("because", user="U0GUS"))
    office.tell(reply("<@U0BOT> mute"))
    office.tell(reply("because", ts="1800000000.000300"))
    assert stands(store, asked).state == "open"
    assert inputs(store) == []
    office.tell(reply("<@U0BOT> unmute", ts="1800000000.000400"))
    office.tell(reply("because", ts="1800000000.000500"))
    assert stands(store, asked).state == "answered"


@pytest.mark.clause("STEER-3")
def test_a_reply_in_a_direct_message_needs_no_mention_to_be_one(office: Bot, store: Store) -> None:
    """There every message is addressed to us, and yet does not mention us."""
    thread = "T0TEAM/D0ANN/1800000000.000100"
    start_run(store, thread)
    asked = question(WHY)
    lease = store.leases.claim(thread, "boot:1:1:b").lease
    store.log.commit(lease, Commit("r7", records=[(asked.key, "pending", "{}")], opened=[asked]))
    store.leases.release(lease, idle=False)
    office.tell(reply("because", channel="D0ANN", channel_type="im"))
    found = store.waits.look(thread, asked.id)
    assert found is not None
    assert found.state == "answered"


@pytest.mark.clause("LOG-4")
def test_a_message_costs_one_round_trip_more_where_it_may_be_an_answer_and_none_where_it_starts_a_thread(
    office: Bot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    look = store.waits.open_in
    monkeypatch.setattr(store.waits, "open_in", lambda thread: (asked.append(thread), look(thread))[1])
    monkeypatch.setattr(store.admissions, "stoppable", lambda *_, **__: asked.append("stoppable"))
    office.tell(event(mention()))
    office.tell(event(message("hello", channel="D0ANN", channel_type="im", ts="1800000003.000100")))
    assert asked == []
    office.tell(reply("and tomorrow?"))
    assert asked == [THREAD]


@pytest.mark.clause("ADMIT-4")
@pytest.mark.parametrize("text", ["<@U0BOT> and tomorrow?", "and tomorrow?"])
def test_a_mention_behind_a_question_is_told_what_it_waits_for_and_how_to_go_on_without(
    office: Bot, store: Store, text: str
) -> None:
    ask(store, question())
    for _ in range(2):
        office.tell(reply(text, user="U0ANN"))
    if "<@U0BOT>" not in text:
        assert whispered(office) == []
        return
    [whisper] = office.whispers
    assert (whisper["user"], whisper["thread_ts"], whisper["text"]) == ("U0ANN", ROOT, WAITING)
    assert set_aside(whisper)["action_id"] == ASIDE
    assert set_aside(whisper)["value"] == f"{THREAD}|r7|"


def set_aside(whisper: Json) -> Json:
    blocks = whisper["blocks"]
    blocks = json.loads(blocks) if isinstance(blocks, str) else blocks
    return dict(blocks[1]["elements"][0])


@pytest.mark.clause("ADMIT-4")
def test_in_a_direct_message_whatever_waits_behind_a_decision_is_told_so(office: Bot, store: Store) -> None:
    """There nobody mentions us, and yet a forgotten approval must not silence it."""
    thread = "T0TEAM/D0ANN/1800000000.000100"
    start_run(store, thread)
    asked = approval()
    lease = store.leases.claim(thread, "boot:1:1:b").lease
    head = {"status": "waiting", "waiting": "1"}
    store.log.commit(lease, Commit("r7", records=[(asked.key, "pending", "{}")], head=head, opened=[asked]))
    store.leases.release(lease, idle=False)
    office.tell(reply("and tomorrow?", channel="D0ANN", channel_type="im"))
    [whisper] = office.whispers
    assert (whisper["channel"], whisper["text"]) == ("D0ANN", WAITING)
    assert set_aside(whisper)["value"] == f"{thread}|r7|"


@pytest.mark.clause("ADMIT-4")
def test_a_mention_behind_a_run_that_works_is_told_nothing(office: Bot, store: Store) -> None:
    start_run(store)
    office.tell(reply("<@U0BOT> and tomorrow?"))
    assert whispered(office) == []
    assert reactions(office) == [(LATER, "eyes")]


@pytest.mark.clause("ADMIT-4")
def test_a_mention_behind_a_run_that_works_is_not_told_of_what_is_asked_about_a_parked_one(
    office: Bot, store: Store
) -> None:
    ask(store, question())
    lease = store.leases.claim(THREAD, "boot:1:1:p").lease
    parked = Commit("r7", head={"status": "parked", "run": "", "waiting": "0"}, rest={"parked:r7": "{}"})
    store.log.commit(lease, parked)
    store.leases.release(lease, idle=False)
    start_run(store, run="r8", ts="1800000000.000110")
    office.tell(reply("<@U0BOT> and tomorrow?"))
    assert whispered(office) == []
    assert reactions(office) == [(LATER, "eyes")]


@pytest.mark.clause("ADMIT-4", "ASK-4")
def test_setting_aside_closes_all_that_the_run_asks_an_approval_as_denied_and_a_plan_as_rejected(
    office: Bot, store: Store, redrawn: Redrawn, caplog: pytest.LogCaptureFixture
) -> None:
    waits = [question(), approval(n=2, quorum=2, by=("U0CAT",)), wait("plan", n=3, steps=("Copy",))]
    ask(store, *waits)
    caplog.set_level(logging.INFO, "bot")
    assert office.tell(click(ASIDE, f"{THREAD}|r7|", user="U0BOB")).status == 200
    answers = [stands(store, one).answer for one in waits]
    assert [(one.by, one.how, one.verdict) for one in answers if one] == [
        ("U0BOB", "aside", ""),
        ("U0BOB", "aside", "deny"),
        ("U0BOB", "aside", "reject"),
    ]
    assert office.rung == [THREAD]
    assert redrawn.texts == [aside.SET_ASIDE]
    assert whispered(office) == []
    assert f"thread={THREAD} run=r7 {waits[1].id} answered by U0BOB (aside deny): taken" in caplog.messages

    redrawn.status = 404
    office.tell(click(ASIDE, f"{THREAD}|r7|", user="U0BOB"))
    assert whispered(office) == [("U0BOB", aside.NOTHING_OPEN)]


@pytest.mark.clause("ADMIT-4", "ASK-3")
def test_setting_aside_is_for_who_may_use_the_bot_and_never_silent(
    office: Bot, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question()
    ask(store, asked)
    office.build(AccessPolicy(people=frozenset({"U0ANN"})), store=store)
    office.tell(click(ASIDE, f"{THREAD}|r7|", user="U0BOB"))
    office.tell(click(ASIDE, "r7"))
    office.tell(click(ASIDE, "T0OTHER/C1/1.2|r7|"))
    with monkeypatch.context() as broken:
        broken.setattr(store.waits, "open_in", lambda thread: (_ for _ in ()).throw(StoreUnavailableError("away")))
        office.tell(click(ASIDE, f"{THREAD}|r7|"))
    assert [text for _, text in whispered(office)][1:] == [NO_LONGER_IN_USE, NO_LONGER_IN_USE, NOT_TAKEN]
    assert stands(store, asked).state == "open"
