"""`/everthread`: the operator's verbs, answered to one person alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.access import AccessPolicy
from bot.listeners import guarded
from bot.listeners import settings as window
from bot.listeners.command import NOTHING_OF_YOURS, VERBS
from bot.listening import Listening
from bot.operators import ADMINS_ONLY, NOT_YOURS
from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.views import check_view
from tests.bot.desk import EVE, Desk, seen, submission, text_of, view_of
from tests.bot.doubles import event, message, refusal
from tests.scene import ADA, ANN, BOB, GENERAL, OPS, SECRET

LINK = "https://app.slack.com/client/T0TEAM/"


def answers(*typed: tuple[str, str], **build: Any) -> list[str]:
    """What is shown for each `(text, user)`, typed one after the other."""

    def look(desk: Desk) -> list[str]:
        shown = []
        for text, user in typed:
            words = [desk.scene.threads.get(word, word) for word in text.split()]
            body = desk.type(" ".join(words), user)
            assert body["response_type"] == "ephemeral"
            check_blocks(body["blocks"])
            shown.append(text_of(body["blocks"]))
        return shown

    found: list[str] = seen(look, **build)
    return found


@pytest.mark.clause("ADMIN-1")
def test_an_admin_sees_what_is_owed_and_everybody_else_their_own_runs() -> None:
    owed, mine, anns = answers(("runs", ADA), ("runs mine", ADA), ("runs", ANN))

    assert owed.startswith("*8 threads are owed.*")
    assert f"|r4> · <@{ANN}> · asked 4 min ago\nan answer to “Which region?”" in owed
    assert mine.startswith("*1 of your runs is not over.*")
    assert "*completed* · " in anns
    assert BOB not in anns


@pytest.mark.clause("ADMIN-2")
def test_why_says_it_in_sentences_with_people_by_their_names() -> None:
    [why] = answers(("why move", ADA))

    assert why.startswith(f"*waiting* · <{LINK}{GENERAL}/thread/")
    assert "It waits for an answer to “Which region?”, since 4 min 0 s." in why
    assert "*eu*: answers the question, and it goes on" in why


@pytest.mark.clause("ADMIN-1")
def test_without_a_target_why_is_about_ones_latest_run_that_is_not_over() -> None:
    latest, nothing = answers(("why", ANN), ("why", "U0NEW"))
    assert "Nobody began it: it comes next" in latest
    assert nothing == NOTHING_OF_YOURS


@pytest.mark.clause("ADMIN-1")
def test_only_admins_see_other_peoples_runs_and_change_what_is_not_theirs() -> None:
    typed = [("why deploy", ANN), ("inspect deploy", ANN), ("stop deploy", ANN), ("why move", ANN), ("stop move", ANN)]
    others = [("resume bill", ANN), ("heal bill", ANN), ("settings", ANN)]
    shown = answers(*typed, *others, ("stop deploy", ADA))

    assert shown[:3] == [NOT_YOURS] * 3
    assert "Which region?" in shown[3]
    assert shown[4].endswith("It is asked to stop. 1 message behind it stays.")
    assert shown[5:8] == [ADMINS_ONLY] * 3
    assert shown[8].endswith("It is asked to stop.")


@pytest.mark.clause("ADMIN-1")
def test_an_admin_is_who_slack_says_or_the_setting_and_nobody_of_another_workspace() -> None:
    def look(desk: Desk) -> list[str]:
        for user, rank in (("U0OWN", {"is_owner": True}), ("U0GST", {"is_admin": True, "is_restricted": True})):
            desk.bot.slack.people[user] = rank
        users = (ADA, "U0OWN", BOB, ANN, "U0GST", EVE)
        return [text_of(desk.type("heal " + desk.scene.threads["hello"], user)["blocks"]) for user in users]

    shown = seen(look, admins=frozenset({BOB}))
    assert ["It is over already." in one for one in shown] == [True, True, True, False, False, False]
    assert shown[3] == ADMINS_ONLY
    assert "guests" in shown[4]
    assert "other workspaces" in shown[5]


@pytest.mark.clause("ADMIN-1", "ACCESS-1")
def test_who_may_not_use_it_gets_no_command_either_but_an_admin_does() -> None:
    policy = AccessPolicy(people=frozenset({ANN}), channels=frozenset({OPS}))
    shown = answers(("help", BOB), ("help", ADA), policy=policy)
    assert "I don't work in this channel" in shown[0]
    assert "/everthread runs" in shown[1]


@pytest.mark.clause("ADMIN-1")
def test_slack_is_asked_once_in_ten_minutes_whether_somebody_is_an_admin() -> None:
    def look(desk: Desk) -> int:
        for _ in range(3):
            desk.type("usage", ADA)
        return len(desk.bot.slack.made("users.info"))

    assert seen(look) == 1


@pytest.mark.clause("ADMIN-1")
def test_resume_and_heal_are_recorded_and_rung() -> None:
    def look(desk: Desk) -> tuple[list[str], list[str], dict[str, str]]:
        lines = ("resume bill", "heal bill", "resume report", "resume report —force", "resume report now")
        shown = [
            text_of(desk.type(" ".join(desk.scene.threads.get(word, word) for word in line.split()))["blocks"])
            for line in lines
        ]
        return shown, desk.scene.rung, desk.scene.threads

    shown, rung, threads = seen(look)
    assert shown[0].endswith("It goes on as soon as a worker takes it up.")
    assert shown[1].endswith("An order for it is on its way already.")
    assert "It goes on by itself in" in shown[2]
    assert shown[3].endswith("A worker is asked to try it now.")
    assert shown[4].startswith("/everthread resume &lt;thread, link or run id&gt; [--force]")
    assert rung == [threads["bill"], threads["bill"], threads["report"]]


@pytest.mark.clause("ADMIN-1", "SEC-2")
def test_inspect_shows_the_steps_and_no_secret() -> None:
    steps, refund = answers(("inspect deploy", ADA), ("inspect refund", BOB))
    assert "approval “deploying checkout with ***”: open" in steps
    assert "*refunding 40 for order A-17* · cut off" in refund
    assert SECRET not in steps


@pytest.mark.clause("ADMIN-1")
@pytest.mark.parametrize("text", ["resolve r1", "why a b", "inspect", "stop", "usage now", "runs 0.x", "<!channel>"])
def test_bad_input_gets_usage(text: str) -> None:
    [shown] = answers((text, ADA))
    assert "/everthread " in shown
    assert "<!channel>" not in shown


@pytest.mark.clause("ADMIN-1")
def test_help_names_every_verb_there_is_and_none_there_is_not() -> None:
    shown, nothing = answers(("help", ANN), ("", ANN))
    assert shown == nothing
    lines = [line.split()[1].rstrip(":") for line in shown.splitlines()]
    assert lines == [*VERBS]
    assert not {"resolve", "grants", "drain"} & set(lines)


@pytest.mark.clause("ADMIN-1")
def test_what_names_nothing_is_said_with_what_may_be_given() -> None:
    [shown] = answers(("why nowhere", ADA))
    assert shown.startswith("Nothing is known of a run 'nowhere'")


@pytest.mark.clause("ADMIN-1")
def test_with_the_store_down_or_slack_silent_the_command_says_so() -> None:
    def look(desk: Desk) -> list[str]:
        desk.scene.fleet.server.connected = False
        try:
            down = text_of(desk.type("runs")["blocks"])
        finally:
            desk.scene.fleet.server.connected = True
        desk.bot.slack.answer("users.info", refusal("ratelimited"))
        return [down, text_of(desk.type("usage", "U0NEW")["blocks"])]

    assert seen(look) == [guarded.STORE_DOWN, guarded.SLACK_DOWN]


@pytest.mark.clause("ADMIN-1")
def test_settings_open_a_window_in_which_an_admin_chooses_when_a_reply_is_for_us() -> None:
    def look(desk: Desk) -> Any:
        said = desk.type("settings")
        view = view_of(desk.bot.slack.made("views.open")[-1].args)
        saved = desk.bot.tell(submission(GENERAL, "all"))
        again = desk.type("settings")
        shown = view_of(desk.bot.slack.made("views.open")[-1].args)
        return said, view, saved.body, again, shown, desk.scene.desk.listening(GENERAL)

    said, view, saved, again, shown, chosen = seen(look)
    assert (said, saved, again, chosen) == ({}, "", {}, "all")
    for one in (view, shown):
        check_view(one, "modal")
    assert view["private_metadata"] == GENERAL
    assert view["blocks"][0]["element"]["initial_option"]["value"] == "as_set"
    assert shown["blocks"][0]["element"]["initial_option"]["value"] == "all"
    assert "EVERTHREAD_LISTEN_IN C0GENERAL: all (changed here)" in text_of(shown["blocks"])
    assert "SLACK_BOT_TOKEN: set, and not shown (set)" in text_of(view["blocks"])


@pytest.mark.clause("ADMIN-1", "ACCESS-3")
def test_what_an_admin_chose_for_a_channel_goes_over_the_setting_at_once() -> None:
    def look(desk: Desk) -> list[int]:
        listening = Listening(chosen=desk.scene.desk.listening)
        desk.bot.build(store=desk.scene.fleet.outside, listening=listening, operators=desk.operators)
        admissions, root = desk.scene.fleet.outside.admissions, desk.scene.threads["move"].split("/")[2]
        taken = []
        for n, mode in enumerate(("mentions", "all", "as_set", "nonsense")):
            desk.bot.tell(submission(GENERAL, mode))
            reply = message("and this?", user=f"U0NEW{n}", ts=f"1900000000.00010{n}", thread_ts=root)
            desk.bot.tell(event(reply))
            taken.append(len(admissions.runs_of("T0TEAM", f"U0NEW{n}")))
        return taken

    assert seen(look) == [0, 1, 0, 0]


@pytest.mark.clause("ADMIN-1")
def test_a_choice_that_cannot_be_kept_leaves_the_window_open_and_says_why() -> None:
    def look(desk: Desk) -> list[Any]:
        refused = json.loads(desk.bot.tell(submission(GENERAL, "all", BOB)).body)
        odd = json.loads(desk.bot.tell(submission("", "all")).body)
        desk.scene.fleet.server.connected = False
        try:
            down = json.loads(desk.bot.tell(submission(GENERAL, "all")).body)
        finally:
            desk.scene.fleet.server.connected = True
        desk.bot.slack.answer("views.open", refusal("expired_trigger_id"))
        return [refused, odd, down, text_of(desk.type("settings")["blocks"])]

    refused, odd, down, not_opened = seen(look)
    assert refused["errors"] == {"everthread_listen": ADMINS_ONLY}
    assert odd["response_action"] == "update"
    assert down["errors"] == {"everthread_listen": guarded.STORE_DOWN}
    assert not_opened == window.NOT_OPENED
