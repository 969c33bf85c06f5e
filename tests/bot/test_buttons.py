"""Stop, Drop, and whatever has no listener."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.access import AccessPolicy
from bot.cards.button import DROP, STOP
from bot.listeners import run_buttons as said
from bot.listeners import unmatched
from store.lease import Commit, Lease
from store.protocol import Store
from store.submission import Submission
from tests.bot.doubles import Bot, click, event, refusal

THREAD = "T0TEAM/C0GENERAL/1800000000.000100"
VALUE = f"{THREAD}|r7|U0ANN"


@pytest.mark.clause("STOP-1")
def test_a_click_on_stop_is_stored_then_acknowledged_and_wakes_a_worker(bot: Bot) -> None:
    assert bot.tell(click(STOP, VALUE, user="U0BOB")).status == 200
    assert bot.admissions.stops == [(THREAD, "r7", "U0BOB")]
    assert bot.rung == [THREAD]
    assert bot.whispers == []


@pytest.mark.clause("STOP-1")
def test_a_stop_that_comes_late_or_twice_is_answered_to_the_clicker_alone(bot: Bot) -> None:
    bot.admissions.stopping = "over"
    bot.tell(click(STOP, VALUE))
    bot.admissions.stopping = "again"
    bot.tell(click(STOP, VALUE))
    assert [whisper["text"] for whisper in bot.whispers] == [said.ALREADY_OVER, said.ALREADY_STOPPING]
    assert {(w["user"], w["channel"], w["thread_ts"]) for w in bot.whispers} == {
        ("U0ANN", "C0GENERAL", "1800000000.000100")
    }


@pytest.mark.clause("STOP-1")
def test_a_stop_that_still_shows_because_no_edit_is_to_be_had_is_told_that_it_is_over(bot: Bot, store: Store) -> None:
    lease = working(store)
    while not store.workspace.take_turn("T0TEAM", "edit", "another run", urgent=True).wait:
        pass
    settled = Commit("r7", records=[("r7:0:#settled:0", "done", "{}")], head={"run": ""}, done=["run:r7"])
    settled.settles, settled.outcome = True, ("r7", "{}")
    store.log.commit(lease, settled)
    bot.build(store=store)
    bot.tell(click(STOP, VALUE))
    assert [whisper["text"] for whisper in bot.whispers] == [said.ALREADY_OVER]
    assert bot.rung == []


@pytest.mark.clause("STOP-1")
def test_a_stop_for_a_run_that_its_thread_does_not_know_is_told_that_it_is_over(bot: Bot, store: Store) -> None:
    lease = working(store)
    bot.build(store=store)
    bot.tell(click(STOP, f"{THREAD}|r1|U0ANN"))
    assert [whisper["text"] for whisper in bot.whispers] == [said.ALREADY_OVER]
    assert dict(store.leases.renew(lease).stops) == {}
    bot.tell(click(STOP, VALUE))
    assert list(store.leases.renew(lease).stops) == ["r7"]
    assert len(bot.whispers) == 1


def working(store: Store) -> Lease:
    """A run r7 of Ann's is open."""
    submission = Submission(THREAD, "C0GENERAL", "1800000000.000100", "U0ANN", "go", "r7", 1.0)
    store.admissions.admit(submission)
    lease = store.leases.claim(THREAD, "boot:1:1:a").lease
    head = {"status": "running", "run": "r7"}
    store.log.commit(lease, Commit("r7", head=head, due={"run:r7": ""}, taken=[submission], anew=True))
    return lease


@pytest.mark.clause("STOP-1")
@pytest.mark.parametrize("action", [STOP, DROP])
def test_with_the_store_down_the_clicker_is_told_to_click_again(bot: Bot, action: str) -> None:
    bot.admissions.down = True
    assert bot.tell(click(action, VALUE)).status == 200
    assert [whisper["text"] for whisper in bot.whispers] == [said.NOT_TAKEN]
    assert bot.rung == []


@pytest.mark.clause("STOP-1")
def test_who_may_stop_is_a_policy(bot: Bot) -> None:
    bot.build(stopper="asker")
    bot.tell(click(STOP, VALUE, user="U0BOB"))
    assert bot.admissions.stops == []
    assert [whisper["text"] for whisper in bot.whispers] == [said.ONLY_THE_ASKER]
    bot.tell(click(STOP, VALUE, user="U0ANN"))
    assert bot.admissions.stops == [(THREAD, "r7", "U0ANN")]


@pytest.mark.clause("ACCESS-1")
def test_who_may_not_use_it_may_not_stop_it(bot: Bot) -> None:
    bot.build(AccessPolicy(people=frozenset({"U0ANN"})))
    bot.tell(click(STOP, VALUE, user="U0BOB"))
    bot.build()
    stranger = click(STOP, VALUE)
    stranger["user"] = {"id": "U0EVE", "team_id": "T0OTHER"}
    bot.tell(stranger)
    assert bot.admissions.stops == []
    assert len(bot.whispers) == 2


def test_a_clicker_nobody_can_look_up_is_told_to_click_again(bot: Bot) -> None:
    bot.slack.answer("users.info", refusal("ratelimited"))
    assert bot.tell(click(STOP, VALUE)).status == 200
    assert [whisper["text"] for whisper in bot.whispers] == [said.NOT_TAKEN]


@pytest.mark.clause("STEER-1")
def test_dropping_withdraws_what_waits_says_how_much_and_tells_who_waited(bot: Bot) -> None:
    bot.admissions.waiting = [
        Submission(THREAD, "C0GENERAL", f"180000000{n}.000100", user, "also this", f"r{n}", 1.0)
        for n, user in ((3, "U0BOB"), (4, "U0ANN"), (5, "U0BOB"))
    ]
    bot.tell(click(DROP, VALUE))
    bot.tell(click(DROP, VALUE))
    assert bot.admissions.withdrawn == [(THREAD, "U0ANN")] * 2
    assert [(whisper["user"], whisper["text"]) for whisper in bot.whispers] == [
        ("U0ANN", "Dropped 3 messages."),
        ("U0BOB", said.DROPPED_BY.format(by="U0ANN")),
        ("U0ANN", said.NOTHING_WAITS),
    ]
    taken_away = [(call.args["timestamp"], call.args["name"]) for call in bot.slack.made("reactions.remove")]
    assert taken_away == [(f"180000000{n}.000100", "eyes") for n in (3, 4, 5)]


@pytest.mark.parametrize("value", ["", "r7", "T0TEAM/C0GENERAL|r7|U0ANN", f"{THREAD}||", "T0OTHER/C1/1.2|r7|U0ANN"])
def test_a_button_with_a_value_that_is_not_ours_is_no_longer_in_use(bot: Bot, value: str) -> None:
    assert bot.tell(click(STOP, value)).status == 200
    assert bot.admissions.stops == []
    assert [whisper["text"] for whisper in bot.whispers] == [said.NO_LONGER_IN_USE]


def test_a_button_nobody_knows_is_acknowledged_and_answered(bot: Bot) -> None:
    assert bot.tell(click("approve_v0", "x")).status == 200
    assert [whisper["text"] for whisper in bot.whispers] == [said.NO_LONGER_IN_USE]


USER = {"id": "U0ANN", "team_id": "T0TEAM"}
TEAM = {"id": "T0TEAM"}
VIEW = {"type": "modal", "callback_id": "old", "id": "V1"}
UNMATCHED: dict[str, dict[str, Any]] = {
    "a reaction": event({"type": "reaction_added", "user": "U0ANN", "item": {"channel": "C0", "ts": "1.2"}}),
    "somebody joining": event(
        {"type": "message", "subtype": "channel_join", "user": "U0ANN", "channel": "C0", "ts": "1.2", "text": "x"}
    ),
    "an edit": event(
        {
            "type": "message",
            "subtype": "message_changed",
            "channel": "C0",
            "ts": "1.3",
            "message": {"user": "U0ANN", "ts": "1.2", "text": "x"},
        }
    ),
    "an event of the future": event({"type": "something_new"}),
    "a modal": {"type": "view_submission", "user": USER, "team": TEAM, "view": VIEW},
    "a closed modal": {"type": "view_closed", "user": USER, "team": TEAM, "view": VIEW},
    "a global shortcut": {
        "type": "shortcut",
        "user": USER,
        "team": TEAM,
        "callback_id": "old",
        "trigger_id": "1.2",
    },
    "a message shortcut": {
        "type": "message_action",
        "user": USER,
        "team": TEAM,
        "callback_id": "old",
        "trigger_id": "1.2",
        "channel": {"id": "C0"},
        "message": {"ts": "1.2"},
        "response_url": "http://127.0.0.1:9/r",
    },
    "a menu's options": {"type": "block_suggestion", "user": USER, "team": TEAM, "action_id": "old", "value": "a"},
    "a button in the home tab": {
        "type": "block_actions",
        "user": USER,
        "team": TEAM,
        "container": {"type": "view", "view_id": "V1"},
        "view": {"type": "home"},
        "actions": [{"type": "button", "action_id": "old", "block_id": "b"}],
    },
    "a rate limit notice": {"type": "app_rate_limited", "team_id": "T0TEAM", "minute_rate_limited": 1_800_000_000},
}


@pytest.mark.clause("REPLY-8")
@pytest.mark.parametrize("body", UNMATCHED.values(), ids=UNMATCHED.keys())
def test_whatever_has_no_listener_is_acknowledged(bot: Bot, body: dict[str, Any]) -> None:
    assert bot.tell(body).status == 200
    assert bot.inputs == []


@pytest.mark.clause("REPLY-8")
def test_a_shortcut_nobody_knows_is_answered_in_a_window_or_where_its_message_is(bot: Bot) -> None:
    bot.tell(UNMATCHED["a global shortcut"])
    [opened] = windows(bot)
    assert (opened["trigger_id"], sentence(opened["view"])) == ("1.2", unmatched.UNKNOWN_SHORTCUT)

    bot.tell(UNMATCHED["a message shortcut"] | {"message": {"ts": "1.2", "thread_ts": "1.1"}})
    assert [(w["channel"], w["thread_ts"], w["text"]) for w in bot.whispers] == [
        ("C0", "1.1", unmatched.UNKNOWN_SHORTCUT)
    ]
    assert len(windows(bot)) == 1


@pytest.mark.clause("REPLY-8")
def test_where_we_are_not_in_the_channel_a_shortcut_is_answered_in_a_window(bot: Bot) -> None:
    bot.slack.answer("chat.postEphemeral", refusal("channel_not_found"))
    assert bot.tell(UNMATCHED["a message shortcut"]).status == 200
    assert [sentence(opened["view"]) for opened in windows(bot)] == [unmatched.UNKNOWN_SHORTCUT]


@pytest.mark.clause("REPLY-8")
def test_a_form_nobody_knows_is_answered_in_its_own_window(bot: Bot) -> None:
    answer = json.loads(bot.tell(UNMATCHED["a modal"]).body)
    assert answer["response_action"] == "update"
    assert sentence(answer["view"]) == unmatched.UNKNOWN_FORM


@pytest.mark.clause("REPLY-8")
def test_a_menu_nobody_knows_offers_nothing(bot: Bot) -> None:
    assert json.loads(bot.tell(UNMATCHED["a menu's options"]).body) == {"options": []}


@pytest.mark.clause("REPLY-8")
@pytest.mark.parametrize(("view", "method"), [("home", "views.open"), ("modal", "views.push")])
def test_a_button_outside_of_messages_that_nobody_knows_is_answered_in_a_window(
    bot: Bot, view: str, method: str
) -> None:
    bot.tell({**UNMATCHED["a button in the home tab"], "view": {"type": view}, "trigger_id": "1.2"})
    assert [sentence(call.args["view"]) for call in bot.slack.made(method)] == [said.NO_LONGER_IN_USE]
    bot.slack.answer(method, refusal("expired_trigger_id"))
    assert bot.tell({**UNMATCHED["a button in the home tab"], "trigger_id": "1.2"}).status == 200


def windows(bot: Bot) -> list[dict[str, Any]]:
    return [call.args for call in bot.slack.made("views.open")]


def sentence(view: dict[str, Any]) -> str:
    view = json.loads(view) if isinstance(view, str) else view
    assert view["type"] == "modal"
    [block] = view["blocks"]
    return str(block["text"]["text"])


def test_a_command_nobody_knows_gets_a_hint(bot: Bot) -> None:
    answer = bot.tell(
        {
            "command": "/old",
            "text": "",
            "user_id": "U0ANN",
            "team_id": "T0TEAM",
            "channel_id": "C0",
            "trigger_id": "1",
        }
    )
    assert answer.status == 200
    assert "Mention me in a channel" in answer.body


def test_a_whisper_slack_refuses_stops_nothing(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    bot.slack.answer("chat.postEphemeral", refusal("channel_not_found"))
    assert bot.tell(click("approve_v0", "x")).status == 200
    assert "channel_not_found" in caplog.text
