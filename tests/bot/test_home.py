"""The home tab: what waits for its reader, their runs, for admins the workspace's; made anew at each opening."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fakeredis
import pytest
from redis.client import Pipeline

from bot.access import AccessPolicy
from bot.listeners import home
from playground.standins.slack.views import check_view
from store.lease import Commit
from store.wait import Answerers, Wait
from tests.bot.desk import Desk, seen, text_of
from tests.bot.doubles import refusal
from tests.scene import ADA, ANN, BOB, GENERAL, OPS, TEAM

GROUP = "S0CALL"


def in_channels(desk: Desk, *channels: str) -> None:
    desk.bot.slack.answer("users.conversations", {"channels": [{"id": channel} for channel in channels]})


def ask(desk: Desk, waits: list[Wait]) -> None:
    """A run asks all of that in a thread of the scene."""
    store, thread = desk.scene.fleet.outside, desk.scene.threads["later"]
    lease = store.leases.claim(thread, "a:1:1:x").lease
    for n in range(0, len(waits), 200):
        store.log.commit(lease, Commit(f"r{n}", opened=waits[n : n + 200]))
    store.leases.release(lease, idle=False)


def wait(desk: Desk, name: str, by: tuple[str, ...], **more: Any) -> Wait:
    thread = desk.scene.threads["later"]
    given: dict[str, Any] = {"asker": ANN, "title": f"about {name}", **more}
    decide = Answerers(by, not_asker=given.pop("not_asker", False))
    return Wait(name, "r9", thread, f"r9:0:{name}:0", given.pop("kind", "plan"), asked=1.0, answerers=decide, **given)


@pytest.mark.clause("ADMIN-1")
def test_it_shows_what_waits_for_its_reader_and_their_runs_with_links() -> None:
    def look(desk: Desk) -> str:
        in_channels(desk, GENERAL)
        return text_of(desk.open_home(ANN))

    said = seen(look)
    waits, _, runs = said.partition("Your runs")
    assert f"|Which region?>*\na question · for <@{ANN}> · in <#{GENERAL}> · asked <!date^" in waits
    assert "until <!date^" in waits
    assert "deploying" not in said
    assert "*waiting* · <https://app.slack.com/client/T0TEAM/C0GENERAL/thread/" in runs
    assert "The workspace" not in said


@pytest.mark.clause("ADMIN-1")
def test_an_admin_sees_the_workspaces_runs_too() -> None:
    said = seen(lambda desk: text_of(desk.open_home(ADA)))
    assert "The workspace\nToday: $0.0150 of $20.00" in said
    assert "an approval of “deploying checkout with ***”" in said.partition("The workspace")[2]


@pytest.mark.clause("ADMIN-1")
def test_only_what_its_reader_may_answer_is_shown_and_nothing_of_channels_they_are_not_in() -> None:
    def look(desk: Desk) -> dict[str, set[str]]:
        desk.bot.slack.answer("usergroups.users.list", {"users": [BOB]})
        mine = [
            wait(desk, "bob", (BOB,)),
            wait(desk, "group", (GROUP,)),
            wait(desk, "asker", ("asker",)),
            wait(desk, "ours", ("channel",), not_asker=True),
            wait(desk, "nobody", ("asker",), not_asker=True),
        ]
        ask(desk, mine)
        found = {}
        for user, channels in ((BOB, [OPS]), (ANN, [GENERAL]), (ADA, [])):
            in_channels(desk, *channels)
            waits = text_of(desk.open_home(user)).partition("Your runs")[0]
            found[user] = {one.title.split()[1] for one in mine if f"|{one.title}>" in waits}
            found[user] |= {"approval"} if "deploying" in waits else set()
        return found

    assert seen(look, groups=frozenset({GROUP})) == {BOB: {"bob", "group", "approval"}, ANN: {"asker"}, ADA: set()}


@pytest.mark.clause("ADMIN-1")
def test_what_is_over_waits_for_nobody_and_an_opened_tab_is_made_anew() -> None:
    def look(desk: Desk) -> list[bool]:
        in_channels(desk, GENERAL)
        before = "|Which region?>" in text_of(desk.open_home(ANN))
        desk.scene.desk.stop(desk.scene.threads["move"], ANN)
        desk.scene.work("move")
        return [before, "|Which region?>" in text_of(desk.open_home(ANN))]

    assert seen(look) == [True, False]


@pytest.mark.clause("ADMIN-1", "WAIT-3")
def test_what_an_opening_reads_does_not_grow_with_what_waits() -> None:
    def look(desk: Desk) -> tuple[int, int, list[dict[str, Any]]]:
        in_channels(desk, GENERAL, OPS)
        desk.open_home(ADA)
        with round_trips() as few:
            desk.open_home(ADA)
        ask(desk, [wait(desk, f"w{n}", ("channel",) if n % 2 else (ADA,)) for n in range(2_000)])
        with round_trips() as many:
            blocks = desk.open_home(ADA)
        return len(few), len(many), blocks

    few, many, blocks = seen(look)
    assert many == few < 30
    check_view({"type": "home", "blocks": blocks}, "home")
    assert sum("|about w" in text_of([block]) for block in blocks) == home.WAITS
    assert f"… and up to {2_003 - home.WAITS:,} more, asked earlier" in text_of(blocks)


@contextmanager
def round_trips() -> Iterator[list[str]]:
    """What goes to the store meanwhile, a pipeline as one."""
    made: list[str] = []
    patch = pytest.MonkeyPatch()
    single, together = fakeredis.FakeRedis.execute_command, Pipeline.execute

    def one(self: Any, *args: Any, **options: Any) -> Any:
        made.append(str(args[0]))
        return single(self, *args, **options)

    def several(self: Any, *args: Any, **options: Any) -> Any:
        made.append("pipeline")
        return together(self, *args, **options)

    patch.setattr(fakeredis.FakeRedis, "execute_command", one)
    patch.setattr(Pipeline, "execute", several)
    try:
        yield made
    finally:
        patch.undo()


@pytest.mark.clause("ACCESS-1")
def test_who_may_not_use_it_is_told_so_on_the_tab() -> None:
    said = seen(lambda desk: text_of(desk.open_home(BOB)), policy=AccessPolicy(people=frozenset({ANN})))
    assert said == "I only work for the people I was set up for. Ask whoever runs me to add you."


def test_a_lost_store_is_said_and_what_slack_refuses_stops_nothing() -> None:
    def look(desk: Desk) -> list[str]:
        in_channels(desk, GENERAL)
        desk.scene.fleet.server.connected = False
        try:
            down = text_of(desk.open_home(ANN))
        finally:
            desk.scene.fleet.server.connected = True
        desk.bot.slack.answer("users.conversations", refusal("missing_scope"))
        desk.bot.slack.answer("views.publish", refusal("internal_error"))
        return [down, text_of(desk.open_home(ADA))]

    down, said = seen(look)
    assert down == home.STORE_DOWN
    assert "Nothing waits for you." in said


def test_the_messages_tab_gets_its_prompts_and_no_home() -> None:
    def look(desk: Desk) -> tuple[list[Any], int]:
        return desk.open_home(ANN, tab="messages"), len(desk.bot.slack.made("assistant.threads.setSuggestedPrompts"))

    assert seen(look) == ([], 1)


@pytest.mark.clause("ADMIN-1")
def test_links_lead_to_the_workspaces_own_address_where_it_is_known() -> None:
    from bot.identity import Identity
    from bot.links import thread_link

    thread = f"{TEAM}/{GENERAL}/1700000000.000100"
    named = Identity(TEAM, "U0BOT", "B0BOT", "https://acme.slack.com/")
    assert thread_link(named, thread) == "https://acme.slack.com/archives/C0GENERAL/p1700000000000100"
    unnamed = Identity(TEAM, "U0BOT", "B0BOT")
    assert (
        thread_link(unnamed, thread)
        == f"https://app.slack.com/client/{TEAM}/{GENERAL}/thread/{GENERAL}-1700000000.000100"
    )
