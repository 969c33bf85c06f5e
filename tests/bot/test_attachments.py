"""Our token leaves for Slack's own hosts only."""

from __future__ import annotations

import pytest

from bot.client import slack_client
from bot.reply.attachments import _is_slacks, read_attachment
from store.thread import ThreadId
from tests.bot.doubles import FakeSlack
from tests.conftest import FakeClock

API = "https://www.slack.com/api/"
LOCAL = "http://127.0.0.1:4000/api/"
THREAD = ThreadId("T1", "C1", "1.0")


@pytest.mark.parametrize(
    ("url", "api", "ours"),
    [
        ("https://files.slack.com/files-pri/T1-F1/a.txt", API, True),
        ("https://files.slack.com:443/a.txt", API, True),
        ("http://files.slack.com/a.txt", API, False),
        ("https://files.slack.com.evil.example/a.txt", API, False),
        ("https://evil.example/files.slack.com", API, False),
        ("https://files.slack.com@evil.example/a.txt", API, False),
        ("https://files.slack.com:8443/a.txt", API, False),
        ("http://127.0.0.1:4000/a.txt", API, False),
        ("http://127.0.0.1:4000/files-pri/a.txt", LOCAL, True),
        ("http://127.0.0.1:4001/a.txt", LOCAL, False),
        ("file:///etc/passwd", LOCAL, False),
        ("", API, False),
    ],
)
def test_the_token_goes_to_slacks_hosts_or_where_the_api_is(url: str, api: str, ours: bool) -> None:
    assert _is_slacks(url, api) is ours


def test_a_file_kept_elsewhere_is_named_and_not_fetched() -> None:
    slack = FakeSlack()
    info = {
        "id": "F1",
        "name": "a.txt",
        "mimetype": "text/plain",
        "size": 3,
        "shares": {"public": {"C1": [{"ts": "1.0"}]}},
    }
    for more in (
        {"url_private": "https://evil.example/a.txt"},
        {"is_external": True, "url_private": "https://x.example"},
    ):
        slack.answer("files.info", {"file": info | more})
        assert read_attachment(slack, "F1", THREAD, 1.0, FakeClock()).why == "it is not kept at Slack"


def test_the_client_knows_where_its_api_is() -> None:
    assert slack_client("xo" + "xb-none", base_url=LOCAL).base_url == LOCAL
