"""From Slack's payload to a durable submission, before the acknowledgement."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any

import pytest
from slack_bolt import BoltRequest

from bot.people import kind_of
from store.submission import Submission
from tests.bot.doubles import ME, Bot, event, mention, message, refusal


class Dead(Executor):
    """A process that dies once it has answered: what should run behind the answer never does."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return Future()


@pytest.mark.clause("ADMIT-1")
def test_a_mention_is_stored_before_it_is_acknowledged(bot: Bot) -> None:
    bot.app.listener_runner.listener_executor = Dead()
    answer = bot.app.dispatch(BoltRequest(mode="socket_mode", body=event(mention())))
    assert answer.status == 200
    assert bot.inputs == [
        Submission(
            thread="T0TEAM/C0GENERAL/1800000000.000100",
            channel="C0GENERAL",
            ts="1800000000.000100",
            author="U0ANN",
            text="charge 5",
            run="r1",
            at=bot.clock.now(),
        )
    ]
    assert bot.rung == ["T0TEAM/C0GENERAL/1800000000.000100"]


@pytest.mark.clause("ADMIT-1")
def test_a_message_the_store_cannot_take_is_not_acknowledged_and_taken_when_it_comes_again(bot: Bot) -> None:
    bot.admissions.down = True
    assert bot.tell(event(mention())).status == 500
    assert bot.rung == []
    bot.admissions.down = False
    assert bot.tell(event(mention())).status == 200
    assert [taken.text for taken in bot.inputs] == ["charge 5"]


@pytest.mark.clause("ADMIT-3")
@pytest.mark.parametrize("first", ["app_mention", "message"])
def test_a_message_is_one_submission_however_often_it_arrives(bot: Bot, first: str) -> None:
    both = [event(mention(), event_id="Ev1"), event(message(), event_id="Ev2")]
    if first == "message":
        both.reverse()
    for payload in both * 5 + both[:1]:
        assert bot.tell(payload).status == 200
    assert [taken.run for taken in bot.inputs] == ["r1"]
    assert bot.rung == ["T0TEAM/C0GENERAL/1800000000.000100"]


def test_another_input_under_a_taken_key_is_acknowledged_and_changes_nothing(bot: Bot) -> None:
    bot.tell(event(mention()))
    assert bot.tell(event(mention("<@U0BOT> charge 6"))).status == 200
    assert [taken.text for taken in bot.inputs] == ["charge 5"]


@pytest.mark.clause("ADMIT-3")
def test_a_reply_without_a_mention_is_taken_only_from_who_asked_in_that_thread(bot: Bot) -> None:
    root = "1800000000.000100"
    bot.tell(event(message("thanks", ts="1800000000.000200", thread_ts=root)))
    assert bot.inputs == []
    bot.tell(event(mention()))
    bot.tell(event(message("and I?", ts="1800000000.000300", thread_ts=root, user="U0BOB")))
    bot.tell(event(message("and tomorrow?", ts="1800000000.000400", thread_ts=root)))
    assert [taken.text for taken in bot.inputs] == ["charge 5", "and tomorrow?"]


def test_our_own_messages_are_acknowledged_and_not_heard(bot: Bot) -> None:
    assert bot.tell(event(message(user=ME.user, bot_id=ME.bot))).status == 200
    assert bot.inputs == []


GUEST: dict[str, Any] = {"is_restricted": True}
SINGLE_CHANNEL_GUEST: dict[str, Any] = {"is_restricted": True, "is_ultra_restricted": True}
STRANGER: dict[str, Any] = {"is_stranger": True, "team_id": "T0OTHER"}


@pytest.mark.parametrize(
    ("user", "kind"),
    [
        ({}, "member"),
        (GUEST, "guest"),
        (SINGLE_CHANNEL_GUEST, "guest"),
        (STRANGER, "foreign"),
        ({"team_id": "T0OTHER"}, "foreign"),
        ({"team_id": "T0OTHER", "enterprise_user": {"teams": ["T0OTHER", "T0TEAM"]}}, "member"),
        ({"is_bot": True}, "bot"),
        ({"id": "USLACKBOT"}, "bot"),
        ({"deleted": True}, "gone"),
    ],
)
def test_a_person_is_of_one_kind(user: dict[str, Any], kind: str) -> None:
    assert kind_of({"id": "U0ANN", "team_id": "T0TEAM", **user}, ME) == kind


@pytest.mark.clause("ACCESS-1")
@pytest.mark.parametrize("person", [GUEST, SINGLE_CHANNEL_GUEST, STRANGER, {"deleted": True}, {"is_bot": True}])
def test_guests_and_strangers_are_refused_once_quietly_and_nothing_is_admitted(
    bot: Bot, person: dict[str, Any]
) -> None:
    bot.slack.people["U0ANN"] = person
    for payload in (event(mention()), event(message()), event(mention(ts="1800000009.000100"))):
        assert bot.tell(payload).status == 200
    assert bot.inputs == []
    assert bot.rung == []
    [whisper] = bot.whispers
    assert (whisper["user"], whisper["channel"]) == ("U0ANN", "C0GENERAL")
    assert "thread_ts" not in whisper
    assert bot.slack.made("chat.postMessage") == []


@pytest.mark.clause("ACCESS-1", "SEC-1")
def test_a_foreign_author_is_refused_from_the_payload_alone(bot: Bot) -> None:
    bot.tell(event(mention(user_team="T0OTHER", thread_ts="1700000000.000100")))
    assert bot.inputs == []
    assert bot.whispers[0]["thread_ts"] == "1700000000.000100"
    assert bot.slack.made("users.info") == []


@pytest.mark.clause("ACCESS-1")
def test_a_guest_who_talks_to_others_is_told_nothing(bot: Bot) -> None:
    bot.slack.people["U0ANN"] = GUEST
    assert bot.tell(event(message("I agree", thread_ts="1700000000.000100"))).status == 200
    assert bot.whispers == []


@pytest.mark.clause("ACCESS-1")
def test_when_nobody_can_say_who_it_is_the_message_is_neither_taken_nor_lost(bot: Bot) -> None:
    bot.slack.answer("users.info", TimeoutError("timed out"), {"user": {"id": "U0ANN", "team_id": "T0TEAM"}})
    assert bot.tell(event(mention())).status == 500
    assert bot.inputs == []
    assert bot.tell(event(mention())).status == 200
    assert len(bot.inputs) == 1


def test_somebody_slack_does_not_show_is_foreign(bot: Bot) -> None:
    bot.slack.answer("users.info", refusal("user_not_found"))
    assert bot.tell(event(mention())).status == 200
    assert bot.inputs == []
    assert bot.workspace.known == {"U0ANN": "foreign"}


def test_a_known_person_costs_no_call(bot: Bot) -> None:
    for ts in ("1800000001.000100", "1800000002.000100"):
        bot.tell(event(mention(ts=ts)))
    assert len(bot.inputs) == 2
    assert len(bot.slack.made("users.info")) == 1


def test_a_fault_of_ours_is_logged_whole_and_loses_no_message(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    bot.workspace.person = {}.__getitem__  # type: ignore[assignment,method-assign]
    assert bot.tell(event(mention())).status == 500
    assert "Traceback" in caplog.text
