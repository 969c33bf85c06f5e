"""Every payload Slack sends, and thousands that it never should, through signed HTTP to the real bot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any

import pytest

from bot.app import deliver
from bot.dispatch import dispatch, is_done
from bot.request_url import parsed
from bot.shape import wrong
from playground.standins.slack.request_url import encoded
from tests.bot import mutations, payloads
from tests.bot.doubles import Bot
from tests.bot.mutations import Tally, a_bot, post

Json = dict[str, Any]


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Bot, HTTPConnection]]:
    with a_bot() as (bot, port), closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        yield bot, connection


@pytest.mark.clause("ADMIT-1", "REPLY-8", "SEC-1")
@pytest.mark.parametrize(
    ("kind", "name", "payload"), [pytest.param(*each, id=each[1]) for each in mutations.everything()]
)
def test_every_payload_is_acknowledged_and_what_was_said_to_us_is_admitted(
    running: tuple[Bot, HTTPConnection], kind: str, name: str, payload: Json
) -> None:
    bot, connection = running
    bot.admissions.taken.clear()
    tally = Tally()
    assert post(connection, *encoded(kind, payload), tally) == 200
    bot.settle()
    said = [payloads.SAID[name]] if name in payloads.SAID else []
    assert [submission.text for submission in bot.inputs] == said


@pytest.mark.clause("REPLY-8")
def test_a_person_who_waits_is_told(running: tuple[Bot, HTTPConnection]) -> None:
    bot, connection = running
    before = len(bot.whispers)
    for name in ("click", "click on a whisper"):
        post(connection, *encoded("interactive", payloads.interactions()[name]), Tally())
    bot.settle()
    assert [whisper["user"] for whisper in bot.whispers[before:]] == [payloads.ANN] * 2
    for command in payloads.commands().values():
        assert parsed(*encoded("slash_commands", command)) == command, "also one whose text says payload"


@pytest.mark.clause("ADMIT-1", "SEC-1")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_damage_to_a_payload_is_an_unexplained_fault_and_no_harmless_change_loses_a_message(seed: int) -> None:
    tally = mutations.run(600, seed)
    assert tally.bad == []
    assert tally.sent == 600
    assert tally.kept > 10
    assert tally.statuses[500] == 0, "what is malformed is refused in one line, not as a fault of ours"


@pytest.mark.parametrize(("kind", "_name", "payload"), mutations.everything())
def test_no_payload_of_slacks_has_a_wrong_shape(kind: str, _name: str, payload: Json) -> None:
    assert wrong(payload) == ""


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ({"type": ["message"]}, "type has a wrong type"),
        ({"type": "event_callback"}, "event is missing"),
        ({"type": "event_callback", "event": {}}, "event is missing"),
        ({"type": "of the future", "event": None}, "event is missing"),
        ({"type": "event_callback", "event": {"type": 3}}, "event.type has a wrong type"),
        ({"type": "event_callback", "event": {"type": "message", "user": {}}}, "a message has no"),
        ({"type": "event_callback", "event": {"type": "message", "files": [1]}}, "event.files holds"),
        ({"type": "block_actions", "user": {}}, "user is missing"),
        ({"type": "block_actions", "user": {"id": "U1"}, "actions": [{"type": "button"}]}, "an action has no"),
        ({"type": "shortcut", "user": {"id": "U1"}}, "callback_id is missing"),
    ],
)
def test_what_is_wrong_with_a_payload_is_said_in_a_few_words_and_in_one_line_of_the_log(
    running: tuple[Bot, HTTPConnection], payload: Json, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert wrong(payload).startswith(why)
    bot, connection = running
    caplog.clear()
    assert post(connection, *encoded("interactive", payload), Tally()) == 400
    [line] = [record for record in caplog.records if record.name.startswith(("bot", "slack"))]
    assert f": {why}" in line.message
    assert line.exc_info is None
    assert deliver(bot.app, payload), "what can never be taken is not handed over for ever"


@pytest.mark.clause("REPLY-8")
def test_what_bolt_cannot_read_is_let_go_too(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    event = {"type": "member_joined_channel", "user": "U0ANN", "channel": 3}
    assert is_done(dispatch(bot.app, {"type": "event_callback", "event": event}))
    [line] = [record for record in caplog.records if record.name == "bot.dispatch"]
    assert "event_callback member_joined_channel: Bolt cannot read it" in line.message
    assert line.exc_info is None


@pytest.mark.clause("ADMIT-1")
@pytest.mark.parametrize("payload", [None, [], "text", 3])
def test_what_is_no_object_is_let_go(bot: Bot, payload: object, caplog: pytest.LogCaptureFixture) -> None:
    assert is_done(dispatch(bot.app, payload))
    assert [record.message for record in caplog.records if record.name == "bot.dispatch"] == [
        "a payload of Slack is malformed and was let go: a payload without a type: it is no object"
    ]
