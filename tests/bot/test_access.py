"""Who may use the bot, and where."""

from __future__ import annotations

import pytest

from bot.access import AccessPolicy
from bot.people import People
from tests.bot.doubles import ME, Bot, event, mention, message, refusal

ANN, BOB = "U0ANN", "U0BOB"


def taken(bot: Bot, policy: AccessPolicy, user: str = ANN, channel: str = "C0GENERAL") -> bool:
    bot.build(policy)
    assert bot.tell(event(mention(user=user, channel=channel))).status == 200
    return bool(bot.inputs)


@pytest.mark.clause("ACCESS-1")
@pytest.mark.parametrize(
    ("policy", "user", "channel", "allowed"),
    [
        (AccessPolicy(), ANN, "C0GENERAL", True),
        (AccessPolicy(people=frozenset({ANN})), ANN, "C0GENERAL", True),
        (AccessPolicy(people=frozenset({BOB})), ANN, "C0GENERAL", False),
        (AccessPolicy(channels=frozenset({"C0OPS"})), ANN, "C0GENERAL", False),
        (AccessPolicy(channels=frozenset({"C0OPS"})), ANN, "C0OPS", True),
        (AccessPolicy(channels=frozenset({"C0OPS"}), people=frozenset({ANN})), ANN, "C0GENERAL", False),
        (AccessPolicy(groups=frozenset({"S0OPS"})), ANN, "C0GENERAL", True),
        (AccessPolicy(groups=frozenset({"S0OPS"})), BOB, "C0GENERAL", False),
        (AccessPolicy(groups=frozenset({"S0OPS"}), people=frozenset({BOB})), BOB, "C0GENERAL", True),
    ],
)
def test_people_groups_and_channels_are_a_setting(
    bot: Bot, policy: AccessPolicy, user: str, channel: str, allowed: bool
) -> None:
    bot.slack.answer("usergroups.users.list", {"users": [ANN]})
    assert taken(bot, policy, user, channel) is allowed
    assert len(bot.whispers) == (0 if allowed else 1)


@pytest.mark.clause("ACCESS-1")
@pytest.mark.parametrize(
    ("policy", "allowed"),
    [
        (AccessPolicy(), False),
        (AccessPolicy(foreign=True), False),
        (AccessPolicy(guests=True), True),
        (AccessPolicy(people=frozenset({ANN})), True),
        (AccessPolicy(groups=frozenset({"S0OPS"})), False),
    ],
)
def test_a_guest_may_only_where_guests_or_that_guest_may(bot: Bot, policy: AccessPolicy, allowed: bool) -> None:
    bot.slack.people[ANN] = {"is_restricted": True}
    bot.slack.answer("usergroups.users.list", {"users": [ANN]})
    assert taken(bot, policy) is allowed


def test_a_dm_is_not_restricted_by_channels(bot: Bot) -> None:
    bot.build(AccessPolicy(channels=frozenset({"C0OPS"})))
    bot.tell(event(message("hi", channel="D0ANN", channel_type="im")))
    assert [said.text for said in bot.inputs] == ["hi"]


def test_a_group_is_asked_for_once_in_a_while(bot: Bot) -> None:
    bot.slack.answer("usergroups.users.list", {"users": [ANN]})
    bot.build(AccessPolicy(groups=frozenset({"S0OPS"})))
    for ts in ("1800000001.000100", "1800000002.000100"):
        bot.tell(event(mention(ts=ts)))
    assert len(bot.inputs) == 2
    assert len(bot.slack.made("usergroups.users.list")) == 1


def test_a_group_nobody_can_resolve_lets_nobody_in_and_loses_no_message(bot: Bot) -> None:
    bot.slack.answer("usergroups.users.list", refusal("ratelimited"), {"users": [ANN]})
    bot.build(AccessPolicy(groups=frozenset({"S0OPS"})))
    assert bot.tell(event(mention())).status == 500
    assert bot.tell(event(mention())).status == 200
    assert len(bot.inputs) == 1


def test_warming_up_learns_at_most_five_pages_of_people(bot: Bot) -> None:
    pages = [
        {"members": [{"id": f"U{n}", "team_id": ME.team}], "response_metadata": {"next_cursor": f"c{n}"}}
        for n in range(9)
    ]
    bot.slack.answer("users.list", *pages)
    assert People(bot.slack, ME, bot.workspace).warm() == 5
    assert bot.workspace.known == {f"U{n}": "member" for n in range(5)}
    assert [call.args["limit"] for call in bot.slack.made("users.list")] == [200] * 5


def test_warming_up_that_fails_stops_nothing(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    bot.slack.answer("users.list", refusal("missing_scope"))
    assert People(bot.slack, ME, bot.workspace).warm() == 0
    assert "missing_scope" in caplog.text
