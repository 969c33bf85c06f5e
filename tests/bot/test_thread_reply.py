"""A run's posts over the Web API: found again, edited, never sent twice."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from bot.client import slack_client
from bot.identity import Identity, whoami
from bot.reply import replies
from store.ports import Clock, Reply, ReplyError, Said
from store.view import RunView
from tests.bot.doubles import ME, Answer, FakeSlack, refusal

THREAD = "T0TEAM/C0GENERAL/1800000000.000100"
VIEW = RunView(run="r7", thread=THREAD, asker="U0ANN", status="running", text="On it.")


@pytest.fixture
def slack() -> FakeSlack:
    return FakeSlack()


@pytest.fixture
def reply(slack: FakeSlack, clock: Clock) -> Reply:
    return replies(slack, ME, clock)(THREAD, "r7")


def posted(ts: str, run: str = "r7", part: str = "reply", **more: Any) -> dict[str, Any]:
    payload = {"run": run, "part": part}
    metadata = {"event_type": "everthread_reply", "event_payload": payload}
    return {"ts": ts, "user": ME.user, "bot_id": ME.bot, "text": "On it.", "metadata": metadata, **more}


@pytest.mark.clause("REPLY-2")
def test_a_post_carries_its_run_and_part(slack: FakeSlack, reply: Reply) -> None:
    assert reply.post("reply", VIEW, 4.0) == "1800000000.000100"
    [call] = slack.made("chat.postMessage")
    assert call.args["channel"] == "C0GENERAL"
    assert call.args["thread_ts"] == "1800000000.000100"
    assert call.args["metadata"] == {
        "event_type": "everthread_reply",
        "event_payload": {"run": "r7", "part": "reply"},
    }
    assert (call.args["unfurl_links"], call.args["unfurl_media"]) == (False, False)
    assert call.timeout <= 4.0
    assert slack.timeout != call.timeout


@pytest.mark.clause("REPLY-2")
def test_finding_looks_through_every_page_for_our_own_posts_of_this_part(
    slack: FakeSlack, reply: Reply, clock: Clock
) -> None:
    root = {"ts": "1800000000.000100", "user": "U0ANN", "text": "charge 5"}
    mine, twin = posted("1800000003.000100"), posted("1800000002.000100")
    other_run, other_part = posted("1800000004.000100", run="r8"), posted("1800000005.000100", part="done")
    forged = posted("1800000006.000100", user="U0EVE", bot_id="B0EVE")
    bare = {"ts": "1800000007.000100", "bot_id": ME.bot, "text": "x"}
    slack.answer(
        "conversations.replies",
        {"messages": [root, mine, other_run], "response_metadata": {"next_cursor": "c2"}},
        {"messages": [root, mine, twin, other_part, forged, bare], "response_metadata": {"next_cursor": ""}},
    )
    assert reply.find("reply", clock.now(), 4.0) == ["1800000002.000100", "1800000003.000100"]
    first, second = slack.made("conversations.replies")
    assert first.args["ts"] == "1800000000.000100"
    assert first.args["include_all_metadata"]
    assert float(first.args["oldest"]) < clock.now()
    assert second.args["cursor"] == "c2"


@pytest.mark.clause("REPLY-2")
def test_looking_ends_within_its_time_and_within_its_pages(slack: FakeSlack, reply: Reply, clock: Any) -> None:
    endless = {"messages": [], "response_metadata": {"next_cursor": "more"}}
    slack.answer("conversations.replies", endless)
    assert reply.find("reply", clock.now(), 4.0) == []
    assert len(slack.made("conversations.replies")) == 10

    slack.answer("conversations.replies", endless)
    asked = slack.api_call
    slack.api_call = lambda *args, **kwargs: (clock.advance(3.0), asked(*args, **kwargs))[1]  # type: ignore[method-assign]
    with pytest.raises(ReplyError, match="longer than 4"):
        reply.find("reply", clock.now(), 4.0)
    assert len(slack.made("conversations.replies")) == 12


def test_an_edit_is_the_whole_state(slack: FakeSlack, reply: Reply) -> None:
    reply.edit("1800000001.000100", VIEW, 4.0)
    [call] = slack.made("chat.update")
    assert call.args["ts"] == "1800000001.000100"
    assert call.args["text"]
    assert {"type": "markdown", "text": "On it."} in call.args["blocks"]


def test_deleting_what_is_gone_is_done(slack: FakeSlack, reply: Reply) -> None:
    slack.answer("chat.delete", refusal("message_not_found"), refusal("not_in_channel"))
    reply.delete("1800000001.000100", 4.0)
    with pytest.raises(ReplyError) as caught:
        reply.delete("1800000001.000100", 4.0)
    assert caught.value.kind == "closed"


def test_history_is_the_last_messages_once_each(slack: FakeSlack, reply: Reply) -> None:
    root = {"ts": "1.0", "user": "U0ANN", "text": "charge 5"}
    slack.answer(
        "conversations.replies",
        {
            "messages": [root, {"ts": "2.0", "user": "U0BOB", "text": "a &lt; b"}],
            "response_metadata": {"next_cursor": "c"},
        },
        {"messages": [root, {"ts": "3.0", "bot_id": "B0X", "text": "c"}, {"ts": "4.0"}]},
    )
    assert reply.history(3, 4.0) == [
        Said("U0BOB", "a < b", "2.0"),
        Said("B0X", "c", "3.0"),
        Said("somebody", "", "4.0"),
    ]


FAILURES = [
    (refusal("ratelimited"), "busy", "busy"),
    (Answer({"ok": False, "error": "ratelimited"}, 429, {"Retry-After": "30"}), "busy", "busy"),
    (refusal("service_unavailable"), "busy", "busy"),
    (refusal("streaming_state_conflict"), "busy", "busy"),
    (refusal("internal_error"), "lost", "busy"),
    (refusal("fatal_error"), "lost", "busy"),
    (Answer({}, 502), "lost", "busy"),
    (Answer({}, 403), "busy", "busy"),
    (refusal("message_not_found"), "gone", "gone"),
    (refusal("edit_window_closed"), "gone", "gone"),
    (refusal("is_archived"), "closed", "closed"),
    (refusal("not_in_channel"), "closed", "closed"),
    (refusal("token_revoked"), "credentials", "credentials"),
    (refusal("missing_scope"), "credentials", "credentials"),
    (refusal("msg_blocks_too_long"), "payload", "payload"),
    (refusal("something_new"), "payload", "payload"),
    (TimeoutError("timed out"), "lost", "lost"),
    (ConnectionResetError("reset"), "lost", "lost"),
    (ConnectionRefusedError("refused"), "busy", "busy"),
    (socket.gaierror("no such host"), "busy", "busy"),
    (ValueError("no JSON"), "lost", "lost"),
]


@pytest.mark.parametrize(("answer", "posting", "editing"), FAILURES)
def test_a_refusal_has_one_meaning(
    slack: FakeSlack, reply: Reply, answer: Answer | Exception, posting: str, editing: str
) -> None:
    slack.answer("chat.postMessage", answer)
    slack.answer("chat.update", answer)
    with pytest.raises(ReplyError) as post:
        reply.post("reply", VIEW, 4.0)
    with pytest.raises(ReplyError) as edit:
        reply.edit("1.0", VIEW, 4.0)
    assert (post.value.kind, edit.value.kind) == (posting, editing)
    assert "r7" in str(post.value)


def test_a_rate_limit_says_for_how_long_and_a_refusal_what_was_wrong(slack: FakeSlack, reply: Reply) -> None:
    slack.answer(
        "chat.postMessage",
        Answer({"ok": False, "error": "ratelimited"}, 429, {"retry-after": "30"}),
        refusal("invalid_blocks", response_metadata={"messages": ["must be shorter"]}),
    )
    with pytest.raises(ReplyError) as busy:
        reply.post("reply", VIEW, 4.0)
    assert (busy.value.retry_after, busy.value.code) == (30.0, "ratelimited")
    with pytest.raises(ReplyError, match="must be shorter"):
        reply.post("reply", VIEW, 4.0)


class Server:
    """Takes requests on a loopback port and treats each as `answer` says; counts them."""

    def __init__(self, answer: bytes) -> None:
        self._answer, self.requests = answer, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/api/"
        self._pool = ThreadPoolExecutor(1)
        self._pool.submit(self._serve)

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            with peer:
                peer.recv(65_536)
                self.requests += 1
                peer.sendall(self._answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._pool.shutdown(wait=True)


@pytest.fixture
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = Server(request.param)
    yield server
    server.close()


HTML = b"HTTP/1.1 503 Busy\r\nContent-Type: text/html\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy"


@pytest.mark.clause("REPLY-2")
@pytest.mark.parametrize("server", [b"", HTML], indirect=True, ids=["dropped", "no JSON"])
def test_a_post_whose_answer_is_lost_is_sent_once(server: Server, clock: Clock) -> None:
    client = slack_client("xo" + "xb-none", base_url=server.url)
    with pytest.raises(ReplyError) as caught:
        replies(client, ME, clock)(THREAD, "r7").post("reply", VIEW, 2.0)
    assert caught.value.kind == "lost"
    assert server.requests == 1


def test_we_ask_slack_who_we_are(slack: FakeSlack) -> None:
    assert whoami(slack) == Identity("T0TEAM", "U0BOT", "B0BOT")
    slack.answer("auth.test", {"team_id": "T0TEAM", "user_id": "U0ANN"})
    with pytest.raises(ReplyError, match="bot token"):
        whoami(slack)
    slack.answer("auth.test", refusal("invalid_auth"))
    with pytest.raises(ReplyError, match="invalid_auth"):
        whoami(slack)


def test_a_thread_that_is_none_is_refused(slack: FakeSlack, clock: Clock) -> None:
    with pytest.raises(ValueError, match="team/channel/root"):
        replies(slack, ME, clock)("C0GENERAL", "r7")
