"""Which payloads are for us, and what they say."""

from __future__ import annotations

from typing import Any

import pytest

from bot.heard import hear, said
from tests.bot.doubles import ME, event, mention, message

REPLY = {"thread_ts": "1700000000.000100", "parent_user_id": "U0ANN"}

NOT_FOR_US: dict[str, dict[str, Any]] = {
    "a message in a channel without a mention": message("good morning"),
    "a message to somebody else": message("<@U0BOB> can you look?", **REPLY),
    "a message to somebody else, named": message("<@U0BOB|bob> can you look?", **REPLY),
    "a message to a group": message("<!subteam^S0OPS> can you look?", **REPLY),
    "another bot's message": message(bot_id="B0OTHER", subtype="bot_message", user=None),
    "another bot's mention": mention(bot_id="B0OTHER"),
    "our own message": message(user=ME.user, bot_id=ME.bot),
    "Slack's own message": message("Reminder", channel="D0ANN", channel_type="im", user="USLACK"),
    "Slackbot's message": message("hi", channel="D0ANN", channel_type="im", user="USLACKBOT"),
    "an edit": {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C0GENERAL",
        "ts": "1.2",
        "hidden": True,
    },
    "a deletion": {"type": "message", "subtype": "message_deleted", "channel": "C0GENERAL", "ts": "1.2"},
    "somebody joining": message(f"<@{ME.user}> has joined the channel", subtype="channel_join"),
    "a reaction": {"type": "reaction_added", "user": "U0ANN", "item": {"channel": "C0GENERAL", "ts": "1.2"}},
    "the home tab opened": {"type": "app_home_opened", "user": "U0ANN", "channel": "D0ANN", "tab": "home"},
}


@pytest.mark.clause("ADMIT-3")
@pytest.mark.parametrize("inner", NOT_FOR_US.values(), ids=NOT_FOR_US.keys())
def test_what_is_not_for_us_is_not_heard(inner: dict[str, Any]) -> None:
    assert hear(event(inner), ME) is None


@pytest.mark.clause("ADMIT-3")
def test_both_events_of_a_mention_are_one_submission() -> None:
    files = [{"id": "F0A", "name": "a.txt"}, {"id": "F0B", "name": "b.txt"}]
    heard = hear(event(mention(files=files)), ME)
    again = hear(event(message(subtype="file_share", files=files), event_id="Ev0002"), ME)
    assert heard is not None
    assert again is not None
    one, other = heard.submission("r1", 1.0), again.submission("r2", 2.0)
    assert (one.key, one.fingerprint, one.thread) == (other.key, other.fingerprint, other.thread)
    assert one.files == ("F0A", "F0B")
    assert one.key == "C0GENERAL:1800000000.000100"


@pytest.mark.parametrize(
    ("inner", "thread", "addressed"),
    [
        (mention(), "T0TEAM/C0GENERAL/1800000000.000100", True),
        (mention(**REPLY), "T0TEAM/C0GENERAL/1700000000.000100", True),
        (message(**REPLY), "T0TEAM/C0GENERAL/1700000000.000100", True),
        (message("and tomorrow?", **REPLY), "T0TEAM/C0GENERAL/1700000000.000100", False),
        (message("also", subtype="thread_broadcast", **REPLY), "T0TEAM/C0GENERAL/1700000000.000100", False),
        (message("hi", channel="D0ANN", channel_type="im"), "T0TEAM/D0ANN/1800000000.000100", True),
        (message("ask <@U0BOB>", channel="D0ANN", channel_type="im"), "T0TEAM/D0ANN/1800000000.000100", True),
        (message("<@U0BOB> ask <@U0BOT|everthread>"), "T0TEAM/C0GENERAL/1800000000.000100", True),
        (message("hi", channel="D0ANN", team="E0ORG"), "T0TEAM/D0ANN/1800000000.000100", True),
    ],
)
def test_a_message_belongs_to_its_thread(inner: dict[str, Any], thread: str, addressed: bool) -> None:
    heard = hear(event(inner), ME)
    assert heard is not None
    assert (heard.thread, heard.addressed, heard.foreign) == (thread, addressed, False)
    assert heard.in_thread == ("thread_ts" in inner)


@pytest.mark.parametrize("more", [{"user_team": "T0OTHER"}, {"team": "T0OTHER"}])
def test_a_payload_can_say_that_its_author_is_from_elsewhere(more: dict[str, Any]) -> None:
    heard = hear(event(message(**more)), ME)
    assert heard is not None
    assert heard.foreign


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<@U0BOT> charge 5", "charge 5"),
        ("<@U0BOT|everthread> charge 5", "charge 5"),
        ("<@U0BOT>: charge 5", "charge 5"),
        ("<@U0BOT>, charge 5", "charge 5"),
        ("<@U0BOT> :tada: hooray", ":tada: hooray"),
        ("hey <@U0BOT> charge 5", "hey charge 5"),
        ("charge 5 <@U0BOT>", "charge 5"),
        ("<@U0BOT> tell <@U0BOB> in <#C0OPS|ops>", "tell <@U0BOB> in <#C0OPS|ops>"),
        ("<@U0BOT> a &lt; b &amp;&amp; c &gt; d, &amp;lt;", "a < b && c > d, &lt;"),
        ("<@U0BOT>\n```\nx  y\n```", "```\nx  y\n```"),
        ("<@U0BOT>", "<@U0BOT>"),
        ("", ""),
    ],
)
def test_what_was_said_is_the_text_without_our_mention(text: str, expected: str) -> None:
    assert said(text, ME) == expected
