"""A channel is read for who is in it, where we are in it too."""

from __future__ import annotations

import pytest

from bot.reply.channel import read_channel
from store.ports import ReplyError, Said
from tests.bot.doubles import ME, FakeSlack, refusal
from tests.conftest import FakeClock

NEWEST_FIRST = [
    {"user": "U0BOB", "text": "1 &lt; 2", "ts": "2.0"},
    {"bot_id": "B0CI", "text": "deployed", "ts": "1.0"},
]


def read(slack: FakeSlack, reader: str = "U0ANN", limit: int = 50) -> list[Said]:
    slack.answer("conversations.history", {"messages": NEWEST_FIRST})
    return read_channel(slack, ME, "C0OPS", reader, limit, 3.0, FakeClock())


@pytest.mark.clause("READ-2")
def test_the_newest_messages_are_told_oldest_first_with_their_authors() -> None:
    slack = FakeSlack()
    slack.answer("conversations.members", {"members": ["U0ANN", ME.user]})
    assert read(slack) == [Said("B0CI", "deployed", "1.0"), Said("U0BOB", "1 < 2", "2.0")]
    [asked] = slack.made("conversations.history")
    assert (asked.args["channel"], asked.args["limit"]) == ("C0OPS", 50)


@pytest.mark.clause("READ-2")
@pytest.mark.parametrize("members", [[ME.user], ["U0ANN"], ["U0BOB"], []])
def test_nothing_is_read_unless_both_are_members(members: list[str]) -> None:
    slack = FakeSlack()
    slack.answer("conversations.members", {"members": members})
    with pytest.raises(ReplyError, match="is not a channel of") as refused:
        read(slack)
    assert refused.value.kind == "closed"
    assert slack.made("conversations.history") == []


@pytest.mark.clause("READ-2")
def test_members_are_looked_for_on_a_bounded_number_of_pages() -> None:
    slack, more = FakeSlack(), {"response_metadata": {"next_cursor": "next"}}
    slack.answer("conversations.members", {"members": ["U0ANN"], **more}, {"members": [ME.user], **more})
    assert len(read(slack)) == 2
    slack = FakeSlack()
    slack.answer("conversations.members", {"members": ["U0BOB"], **more})
    with pytest.raises(ReplyError):
        read(slack)
    assert len(slack.made("conversations.members")) == 5


@pytest.mark.clause("READ-2")
def test_a_channel_that_slack_does_not_show_us_is_closed() -> None:
    slack = FakeSlack()
    slack.answer("conversations.members", refusal("channel_not_found"))
    with pytest.raises(ReplyError) as refused:
        read(slack)
    assert refused.value.kind == "closed"
