"""The two shortcuts on a message: what its thread waits for, and stop."""

from __future__ import annotations

from typing import Any

import pytest

from bot.access import AccessPolicy
from bot.listeners import guarded
from bot.listeners.run_buttons import ONLY_THE_ASKER
from bot.listeners.shortcuts import NOTHING_HERE, STOP, WHY
from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.views import check_view
from tests.bot.desk import Desk, message_action, seen, text_of, view_of
from tests.bot.doubles import refusal
from tests.scene import ADA, ANN, BOB, GENERAL, OPS


def whispered(desk: Desk) -> list[str]:
    for one in desk.bot.whispers:
        check_blocks(one["blocks"])
    return [text_of(one["blocks"]) for one in desk.bot.whispers]


@pytest.mark.clause("ADMIN-2")
def test_whoever_sees_a_message_may_ask_what_its_thread_waits_for() -> None:
    def look(desk: Desk) -> tuple[int, Any, list[str]]:
        status = desk.use(WHY, "deploy", ANN)
        return status, desk.bot.whispers[0], whispered(desk)

    status, whisper, [said] = seen(look)
    assert (status, whisper["user"], whisper["channel"]) == (200, ANN, OPS)
    assert whisper["thread_ts"].endswith(".000100")
    assert "It waits for an approval of “deploying checkout with ***”" in said
    assert "*Approve*: “deploying checkout with ***” runs, once" in said


@pytest.mark.clause("ADMIN-2", "REPLY-8")
def test_where_nothing_of_ours_runs_or_we_are_not_there_the_answer_is_shown_all_the_same() -> None:
    def look(desk: Desk) -> tuple[list[str], Any]:
        desk.bot.tell(message_action(WHY, ANN, GENERAL, "1700000000.000100"))
        desk.bot.slack.answer("chat.postEphemeral", refusal("not_in_channel"))
        desk.use(WHY, "bill", ANN)
        return whispered(desk), view_of(desk.bot.slack.made("views.open")[0].args)

    [nothing, _], view = seen(look)
    check_view(view, "modal")
    assert nothing == NOTHING_HERE
    assert "It is parked: only a person can move it on." in text_of(view["blocks"])


@pytest.mark.clause("ADMIN-1", "STOP-1")
def test_stop_is_stored_and_rung_before_it_is_acknowledged_and_a_reply_belongs_to_its_thread() -> None:
    def look(desk: Desk) -> tuple[list[str], list[str], str, str]:
        root = desk.scene.threads["move"].split("/")[2]
        desk.bot.tell(message_action(STOP, BOB, GENERAL, "1900000000.000100", thread_ts=root))
        stop = desk.scene.fleet.outside.inventory.glances([desk.scene.threads["move"]])[0]
        assert stop is not None
        return whispered(desk), desk.scene.rung, desk.scene.threads["move"], stop.stops["r4"].by

    [said], rung, thread, by = seen(look)
    assert said.endswith("|r4>: It is asked to stop. 1 message behind it stays.")
    assert (rung, by) == ([thread], BOB)


@pytest.mark.clause("STOP-1")
def test_who_may_stop_is_the_policy_of_the_button() -> None:
    def look(desk: Desk) -> list[str]:
        for user in (BOB, ANN, ADA):
            desk.use(STOP, "move", user)
        return whispered(desk)

    others, askers, admins = seen(look, stopper="asker")
    assert others == ONLY_THE_ASKER
    assert askers.endswith("It is asked to stop. 1 message behind it stays.")
    assert admins.endswith("It was asked to stop before. 1 message behind it stays.")


@pytest.mark.clause("ACCESS-1")
def test_who_may_not_use_it_may_not_ask_either_and_a_lost_store_is_said() -> None:
    def look(desk: Desk) -> list[str]:
        desk.use(WHY, "move", BOB)
        desk.scene.fleet.server.connected = False
        try:
            assert desk.use(STOP, "move", ADA) == 200
        finally:
            desk.scene.fleet.server.connected = True
        return whispered(desk)

    refused, down = seen(look, policy=AccessPolicy(people=frozenset({ANN})))
    assert "I only work for the people I was set up for" in refused
    assert down == guarded.STORE_DOWN
