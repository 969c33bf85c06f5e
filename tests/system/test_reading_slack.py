"""What the agent may read of Slack, at the local Slack: files of this thread, channels of who asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.client import slack_client
from bot.identity import whoami
from bot.reply import replies
from bot.reply.attachments import MOST_BYTES
from playground.standins.slack.client import SlackStandin
from store.ports import Reply, ReplyError
from store.system import SystemClock

ANN, GUS, EVE = "U0ANN00001", "U0GUS00001", "U0EVE00001"
GENERAL, RANDOM, BACKSTAGE = "C0GENERAL1", "C0RANDOM01", "C0BACKSTG1"


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackStandin]:
    with SlackStandin.start() as standin:
        yield standin


def reply(slack: SlackStandin, root: str, channel: str = GENERAL) -> Reply:
    client = slack_client(slack.bot_token, base_url=slack.api_url)
    me = whoami(client)
    return replies(client, me, SystemClock())(f"{me.team}/{channel}/{root}", "r1")


def share(slack: SlackStandin, name: str, content: str | bytes, thread: str | None = None) -> tuple[str, str]:
    """The root of the thread, and the file's id."""
    ts = slack.say("ann", "general", "look at this", thread, files={name: content})
    [message] = [m for m in slack.messages("general") if m["ts"] == ts]
    return thread or ts, message["files"][0]["id"]


@pytest.mark.clause("READ-1")
@pytest.mark.parametrize("name", ["a.txt", "notes.md", "rows.csv", "data.json", "code.py"])
def test_text_that_was_shared_in_the_thread_is_read(slack: SlackStandin, name: str) -> None:
    root, file = share(slack, name, "grüße, 1")
    found = reply(slack, root).attachment(file, 5.0)

    assert (found.name, found.text, found.size) == (name, "grüße, 1", 10)


@pytest.mark.clause("READ-1")
def test_what_is_no_text_or_too_large_is_only_named(slack: SlackStandin) -> None:
    root, picture = share(slack, "a.png", b"\x89PNG\0")
    _, large = share(slack, "large.txt", "x" * (MOST_BYTES + 1), root)
    _, false = share(slack, "false.txt", b"text\0not", root)
    here = reply(slack, root)

    whys = [here.attachment(file, 5.0).why for file in (picture, large, false)]
    assert whys == ["it is not text", f"it is larger than {MOST_BYTES:,} bytes", "it is not text"]


@pytest.mark.clause("READ-1")
def test_a_file_of_another_thread_is_refused_before_it_is_fetched(slack: SlackStandin) -> None:
    _, elsewhere = share(slack, "secret.txt", "secret")
    root, _ = share(slack, "a.txt", "here")
    since = slack.last()
    with pytest.raises(ReplyError, match="not shared in this thread"):
        reply(slack, root).attachment(elsewhere, 5.0)

    assert slack.events(since, kinds=["file.asked"]) == []


@pytest.mark.clause("READ-2")
def test_a_channel_is_read_where_both_are_in_it(slack: SlackStandin) -> None:
    root = slack.say("ann", "general", "the last word")
    here = reply(slack, root)

    assert here.channel(GENERAL, ANN, 1, 5.0)[0].text == "the last word"
    assert here.channel(BACKSTAGE, ANN, 5, 5.0) == []


@pytest.mark.clause("READ-2")
@pytest.mark.parametrize(
    ("channel", "reader"), [(RANDOM, ANN), (BACKSTAGE, GUS), (GENERAL, EVE), ("C0NOWHERE", ANN), ("D0BOB00001", ANN)]
)
def test_a_channel_is_not_read_where_one_of_them_is_not_in_it(slack: SlackStandin, channel: str, reader: str) -> None:
    root = slack.say("ann", "general", "hello")
    since = len(slack.calls("conversations.history"))
    with pytest.raises(ReplyError) as refused:
        reply(slack, root).channel(channel, reader, 5, 5.0)

    assert refused.value.kind == "closed"
    assert len(slack.calls("conversations.history")) == since
