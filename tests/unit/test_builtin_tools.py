"""The tools every agent starts with."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from store.ports import Attachment, ReplyError, Said
from tests.conftest import FakeClock
from worker.tools.builtin import builtin_tools
from worker.tools.builtin.attachment import read_attachment
from worker.tools.builtin.channel import read_channel
from worker.tools.builtin.http_post import http_post_tool
from worker.tools.builtin.notes import append_note, read_notes
from worker.tools.builtin.thread import read_thread
from worker.tools.builtin.time import current_time
from worker.tools.context import ToolContext
from worker.tools.execute import HEAD, MAX_OUTPUT, TAIL, clamp
from worker.tools.tool import BadArgumentsError, ToolError


def context(**more: Any) -> ToolContext:
    given: dict[str, Any] = {
        "run": "r1",
        "thread": "T1/C1/1.0",
        "key": "r1:0:t1:0",
        "asker": "U1",
        "clock": FakeClock(),
        "ending": lambda: False,
        "read_state": lambda name: [f"{name} one", "two"],
        "read_thread": lambda limit: [Said("U1", "hi", "1.0")][:limit],
        "read_attachment": lambda file: Attachment(file, "a.csv", "text/csv", 7, "a,b\n1,2"),
        "ask": lambda name, ask: pytest.fail(f"{name} asks {ask}"),
        "show_plan": lambda done, doing: pytest.fail(f"{done} {doing}"),
        "read_channel": lambda channel, limit: [Said("U1", f"in {channel}", "1.0")][:limit],
    }
    return ToolContext(**given | more)


@pytest.mark.clause("TOOL-1")
def test_the_builtin_reads_are_safe_and_whatever_leaves_the_house_is_unsafe() -> None:
    policies = {tool.name: tool.replay for tool in builtin_tools(["https://a.example/"], {80, 443})}

    assert policies == {
        "read_thread": "safe",
        "read_attachment": "safe",
        "read_channel": "safe",
        "current_time": "safe",
        "read_notes": "safe",
        "append_note": "safe",
        "ask_user": "safe",
        "present_plan": "safe",
        "plan_progress": "safe",
        "fetch_url": "unsafe",
        "http_post": "unsafe",
    }
    assert not {"http_post", "fetch_url"} & {tool.name for tool in builtin_tools()}


def test_notes_are_read_back_and_appended_as_staged_state() -> None:
    here = context()

    assert read_notes.run(here, {}) == "- notes one\n- two"
    assert append_note.run(here, {"note": "remember"}) == "noted"
    assert here.staged == [("notes", "remember")]
    assert read_notes.run(context(read_state=lambda _name: []), {}) == "(there are no notes yet)"


def test_the_thread_is_read_as_people_see_it() -> None:
    assert read_thread.run(context(), {"limit": 1}) == "[1.0] U1: hi"
    assert read_thread.run(context(read_thread=lambda _limit: []), {}) == "(nothing was said)"
    with pytest.raises(BadArgumentsError):
        read_thread.validate({"limit": 0})


def test_the_time_is_told_where_it_was_asked_for() -> None:
    assert current_time.run(context(), {"zone": "UTC"}) == "Friday, 2027-01-15 08:00:00 UTC"
    for nowhere in ("Nowhere/Land", "../etc", ""):
        with pytest.raises(ToolError, match="not a time zone"):
            current_time.run(context(), {"zone": nowhere})


@pytest.mark.clause("TOOL-6")
@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://hooks.example.com/deploy", True),
        ("https://hooks.example.com/deploy/now?x=1", True),
        ("https://hooks.example.com/deployment", False),
        ("https://hooks.example.com/", False),
        ("http://hooks.example.com/deploy", False),
        ("https://hooks.example.com:8443/deploy", False),
        ("https://hooks.example.com.evil.example/deploy", False),
        ("https://hooks.example.com@evil.example/deploy", False),
        ("https://u:p@hooks.example.com/deploy", False),
        ("https://hooks.example.com/deploy/../admin", False),
        ("https://hooks.example.com/deploy/%2e%2e/admin", False),
        ("https://hooks.example.com/deploy\\..\\admin", False),
        ("file:///etc/passwd", False),
        ("nonsense", False),
    ],
)
def test_posting_is_answered_before_anything_runs_unless_the_address_is_allowed(url: str, allowed: bool) -> None:
    post = http_post_tool(["https://hooks.example.com/deploy"])
    assert post.preflight is not None

    decided = post.preflight({"url": url, "body": None})

    assert (decided == {"url": url, "body": None}) is allowed
    assert isinstance(decided, str) is not allowed


def test_an_allowed_address_that_is_none_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="write it like"):
        http_post_tool(["hooks.example.com"])


class Hook(BaseHTTPRequestHandler):
    """Keeps what it was sent, and answers by its path."""

    heard: list[tuple[str, str, str]]

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.heard.append((self.path, self.headers["Idempotency-Key"], self.rfile.read(length).decode()))
        if self.path == "/silent":
            self.connection.close()
            return
        self.send_response(302 if self.path == "/moved" else 201)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture
def hook() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    heard: list[tuple[str, str, str]] = []
    server = HTTPServer(("127.0.0.1", 0), type("Handler", (Hook,), {"heard": heard}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})  # noqa: TID251
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", heard
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_post_carries_its_step_key_and_follows_no_redirect(hook: Any) -> None:
    url, heard = hook
    post = http_post_tool([url])

    assert post.run(context(), {"url": f"{url}/deploy", "body": {"a": 1}}) == "201 Created\nok"
    assert post.run(context(), {"url": f"{url}/moved"}).startswith("302 Found")

    assert heard == [("/deploy", "r1:0:t1:0", '{"a": 1}'), ("/moved", "r1:0:t1:0", "{}")]


def test_a_post_without_an_answer_says_that_it_may_have_happened(hook: Any) -> None:
    url, _ = hook
    post = http_post_tool([url])

    with pytest.raises(ToolError, match="it may have done what was asked"):
        post.run(context(), {"url": f"{url}/silent"})


def test_an_address_that_cannot_be_reached_got_nothing() -> None:
    url = "http://127.0.0.1:1"

    with pytest.raises(ToolError, match="nothing was sent") as raised:
        http_post_tool([url]).run(context(), {"url": url})
    assert raised.value.retryable is True


def test_a_long_output_keeps_its_head_and_tail_and_says_what_is_missing() -> None:
    assert clamp("x" * MAX_OUTPUT) == "x" * MAX_OUTPUT
    cut = clamp("a" * HEAD + "b" * 20_000 + "c" * TAIL)
    assert cut.startswith("a" * HEAD)
    assert cut.endswith("c" * TAIL)
    assert re.search("20,000 characters are left out here", cut)


@pytest.mark.clause("READ-1")
def test_an_attached_file_is_named_and_shown_and_a_long_one_cut() -> None:
    assert read_attachment.run(context(), {"file": "F1A"}) == "a.csv (text/csv, 7 bytes):\na,b\n1,2"
    picture = Attachment("F2", "a.png", "image/png", 9, why="it is not text")
    said = read_attachment.run(context(read_attachment=lambda _file: picture), {"file": "F2A"})
    assert said == "a.png (image/png, 9 bytes): its content cannot be read, because it is not text."
    long = Attachment("F3", "a.txt", "text/plain", 100_007, "x" * 100_007)
    assert "7 characters more" in read_attachment.run(context(read_attachment=lambda _file: long), {"file": "F3A"})
    with pytest.raises(BadArgumentsError):
        read_attachment.validate({"file": "../etc/passwd"})


@pytest.mark.clause("READ-2")
def test_a_channel_is_read_by_its_id_its_mention_or_as_the_one_of_the_thread() -> None:
    asked = [read_channel.run(context(), {"channel": name}) for name in ("C0OPS", "<#C0OPS|ops>", "")]
    assert asked == ["[1.0] U1: in C0OPS", "[1.0] U1: in C0OPS", "[1.0] U1: in C1"]

    def closed(_channel: str, _limit: int) -> list[Said]:
        raise ReplyError("C0OPS is not a channel of U1", kind="closed", code="member")

    with pytest.raises(ToolError, match="not a channel of U1"):
        read_channel.run(context(read_channel=closed), {"channel": "C0OPS"})


@pytest.mark.clause("READ-2")
@pytest.mark.parametrize("name", ["general", "#general", "https://a.example/C0OPS", "C0OPS C0RANDOM"])
def test_a_channel_without_an_id_is_refused_before_anything_runs(name: str) -> None:
    with pytest.raises(BadArgumentsError):
        read_channel.validate({"channel": name})
