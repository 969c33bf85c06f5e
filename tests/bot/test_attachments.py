"""Files of this thread are read and no others, and our token leaves for Slack's own hosts only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.client import slack_client
from bot.reply.attachments import MOST_BYTES, _is_slacks, read_attachment
from everthread.web import WebServer
from store.ports import ReplyError
from store.system import SystemClock, SystemThreads
from store.thread import ThreadId
from tests.bot.doubles import FakeSlack
from tests.conftest import FakeClock

API = "https://www.slack.com/api/"
LOCAL = "http://127.0.0.1:4000/api/"
THREAD = ThreadId("T1", "C1", "1.0")
INFO = {
    "id": "F1",
    "name": "a.txt",
    "mimetype": "text/plain",
    "size": 3,
    "shares": {"public": {"C1": [{"ts": "1.0"}]}},
}
clock = SystemClock()


class Files:
    """A server that has one text, and one address that leads to it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.web = WebServer("127.0.0.1", 0, {"/a.txt": self._text, "/moved.txt": self._moved}, clock)
        self.web.start(SystemThreads())
        self.url = f"http://127.0.0.1:{self.web.port}"

    def _text(self, environ: Any, start_response: Any) -> list[bytes]:
        self.asked.append(("/a.txt", environ.get("HTTP_AUTHORIZATION", "")))
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"abc"]

    def _moved(self, environ: Any, start_response: Any) -> list[bytes]:
        self.asked.append(("/moved.txt", environ.get("HTTP_AUTHORIZATION", "")))
        start_response("302 Found", [("Location", "/a.txt")])
        return [b""]


@pytest.fixture
def files() -> Iterator[Files]:
    files = Files()
    yield files
    files.web.stop()


def slack_with(info: dict[str, Any], api: str = LOCAL) -> FakeSlack:
    slack = FakeSlack()
    slack.base_url = api
    slack.answer("files.info", {"file": INFO | info})
    return slack


@pytest.mark.clause("READ-1")
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


@pytest.mark.clause("READ-1")
@pytest.mark.parametrize(
    "more", [{"url_private": "https://evil.example/a.txt"}, {"is_external": True, "url_private": "https://x.example"}]
)
def test_a_file_kept_elsewhere_is_named_and_not_fetched(more: dict[str, Any]) -> None:
    found = read_attachment(slack_with(more), "F1", THREAD, 1.0, FakeClock())
    assert (found.name, found.text, found.why) == ("a.txt", None, "it is not kept at Slack")


@pytest.mark.clause("READ-1")
@pytest.mark.parametrize(
    "shares",
    [
        {},
        {"public": {"C1": [{"ts": "2.0"}]}},
        {"public": {"C2": [{"ts": "1.0"}]}},
        {"private": {"D1": [{"ts": "1.0", "thread_ts": "1.0"}]}},
    ],
)
def test_a_file_of_another_thread_is_refused_and_not_fetched(files: Files, shares: dict[str, Any]) -> None:
    slack = slack_with({"shares": shares, "url_private": f"{files.url}/a.txt"}, files.url)
    with pytest.raises(ReplyError, match="not shared in this thread") as refused:
        read_attachment(slack, "F1", THREAD, 1.0, clock)
    assert refused.value.kind == "closed"
    assert files.asked == []


@pytest.mark.clause("READ-1")
@pytest.mark.parametrize("share", [{"ts": "1.0"}, {"ts": "2.0", "thread_ts": "1.0"}])
def test_a_file_of_this_thread_is_read_and_no_redirect_is_followed(files: Files, share: dict[str, str]) -> None:
    here = {"shares": {"public": {"C1": [share]}}}
    slack = slack_with({**here, "url_private": f"{files.url}/a.txt"}, files.url)
    assert read_attachment(slack, "F1", THREAD, 1.0, clock).text == "abc"
    assert files.asked == [("/a.txt", f"Bearer {slack.token}")]

    slack = slack_with({**here, "url_private": f"{files.url}/moved.txt"}, files.url)
    with pytest.raises(ReplyError, match="302"):
        read_attachment(slack, "F1", THREAD, 1.0, clock)
    assert [path for path, _ in files.asked] == ["/a.txt", "/moved.txt"]


@pytest.mark.clause("READ-1")
@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"mimetype": "image/png", "name": "a.png", "filetype": "png"}, "it is not text"),
        ({"size": MOST_BYTES + 1}, f"it is larger than {MOST_BYTES:,} bytes"),
    ],
)
def test_of_what_is_no_text_or_too_large_the_name_and_the_reason_are_told(
    files: Files, more: dict[str, Any], why: str
) -> None:
    slack = slack_with({"url_private": f"{files.url}/a.txt", **more}, files.url)
    found = read_attachment(slack, "F1", THREAD, 1.0, clock)
    assert (found.text, found.why) == (None, why)
    assert files.asked == []


def test_the_client_knows_where_its_api_is() -> None:
    assert slack_client("xo" + "xb-none", base_url=LOCAL).base_url == LOCAL
