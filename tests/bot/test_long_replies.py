"""A run's further parts over the Web API: numbered posts, a file in three calls, a word to the asker alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from slack_sdk.web.file_upload_v2_result import FileUploadV2Result

from bot.reply import replies
from store.ports import Clock, Reply, ReplyError
from store.view import AskView, RunView
from store.wait import Wait
from tests.bot.doubles import ME, FakeSlack, refusal

THREAD = "T0TEAM/C0GENERAL/1800000000.000100"
THREE = "\n\n".join(f"Paragraph {n}. " + "word " * 40 + "end." for n in range(120))
VIEW = RunView(run="r7", thread=THREAD, asker="U0ANN", status="completed", text=THREE)
PLACE = {"upload_url": "http://127.0.0.1:9/upload/v1/k", "file_id": "F1"}


class FilingSlack(FakeSlack):
    """Also takes what is sent to the address of an upload, with a status."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[str, bytes]] = []
        self.status = 200

    def _upload_file(self, *, url: str, data: bytes, **_how: Any) -> Any:
        self.sent.append((url, data))
        return FileUploadV2Result(status=self.status, body="")


@pytest.fixture
def slack() -> FilingSlack:
    return FilingSlack()


@pytest.fixture
def reply(slack: FilingSlack, clock: Clock) -> Reply:
    return replies(slack, ME, clock)(THREAD, "r7")


def parts_posted(slack: FakeSlack) -> list[str]:
    return [call.args["metadata"]["event_payload"]["part"] for call in slack.made("chat.postMessage")]


@pytest.mark.clause("REPLY-4")
def test_each_part_is_posted_and_edited_as_itself(slack: FilingSlack, reply: Reply) -> None:
    assert reply.parts(VIEW) == ("reply.2", "reply.3")
    for part in reply.parts(VIEW):
        reply.post(part, VIEW, 4.0)
    assert parts_posted(slack) == ["reply.2", "reply.3"]
    reply.edit("1.0", VIEW, 4.0, "reply.3")
    second, third = (call.args["blocks"] for call in slack.made("chat.postMessage"))
    [edit] = slack.made("chat.update")
    assert edit.args["blocks"] == third
    assert second[0]["text"] + "\n\n" + third[0]["text"] in THREE


@pytest.mark.clause("REPLY-4")
def test_a_file_is_three_calls_and_seen_only_after_the_last(slack: FilingSlack, reply: Reply) -> None:
    text = "line of text\n" * 4_000
    long = replace(VIEW, text=text)
    slack.answer("files.getUploadURLExternal", PLACE)
    assert reply.parts(long) == ("file",)
    file = reply.upload(long, 4.0)
    assert (file, slack.sent) == ("F1", [(PLACE["upload_url"], text.encode())])
    [asked] = slack.made("files.getUploadURLExternal")
    assert (asked.args["filename"], asked.args["length"]) == ("answer-r7.md", len(text))
    assert not slack.made("files.completeUploadExternal")

    assert reply.post("file", replace(long, file=file), 4.0) == ""
    [shown] = slack.made("files.completeUploadExternal")
    assert json.loads(shown.args["files"]) == [{"id": "F1", "title": "The whole answer"}]
    assert (shown.args["channel_id"], shown.args["thread_ts"]) == ("C0GENERAL", "1800000000.000100")


@pytest.mark.clause("REPLY-4")
def test_a_file_is_found_again_by_its_name(slack: FilingSlack, reply: Reply, clock: Clock) -> None:
    def shared(ts: str, name: str, **more: Any) -> dict[str, Any]:
        return {"ts": ts, "user": ME.user, "files": [{"id": "F1", "name": name}], **more}

    messages = [
        shared("1800000001.000100", "answer-r7.md"),
        shared("1800000002.000100", "answer-r8.md"),
        shared("1800000003.000100", "answer-r7.md", user="U0EVE"),
        {"ts": "1800000004.000100", "user": ME.user, "text": "x"},
    ]
    slack.answer("conversations.replies", {"messages": messages})
    assert reply.find("file", clock.now(), 4.0) == ["1800000001.000100"]


@pytest.mark.clause("REPLY-4")
def test_a_file_that_was_shown_already_is_shown(slack: FilingSlack, reply: Reply) -> None:
    slack.answer("files.completeUploadExternal", refusal("file_already_completed"))
    assert reply.post("file", replace(VIEW, file="F1"), 4.0) == ""


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("missing_scope", "payload"),
        ("not_allowed_token_type", "payload"),
        ("file_uploads_disabled", "payload"),
        ("file_not_found", "gone"),
        ("token_revoked", "credentials"),
        ("internal_error", "lost"),
        ("is_archived", "closed"),
    ],
)
def test_an_app_that_may_not_send_files_is_no_fault_of_its_token(
    slack: FilingSlack, reply: Reply, error: str, kind: str
) -> None:
    slack.answer("files.completeUploadExternal", refusal(error))
    with pytest.raises(ReplyError) as caught:
        reply.post("file", replace(VIEW, file="F1"), 4.0)
    assert (caught.value.kind, caught.value.code) == (kind, error)


def test_an_upload_that_was_not_taken_or_took_too_long_may_be_repeated(
    slack: FilingSlack, reply: Reply, clock: Any
) -> None:
    slack.answer("files.getUploadURLExternal", PLACE)
    slack.status = 500
    with pytest.raises(ReplyError, match="HTTP 500") as caught:
        reply.upload(VIEW, 4.0)
    assert caught.value.kind == "busy"

    asked = slack.api_call
    slack.api_call = lambda *args, **kwargs: (clock.advance(5.0), asked(*args, **kwargs))[1]  # type: ignore[method-assign]
    with pytest.raises(ReplyError, match="longer than 4") as caught:
        reply.upload(VIEW, 4.0)
    assert (caught.value.kind, len(slack.sent)) == ("busy", 1)


@pytest.mark.clause("REPLY-5")
def test_the_asker_is_told_in_their_direct_messages_and_the_word_is_found_there(
    slack: FilingSlack, reply: Reply, clock: Clock
) -> None:
    slack.answer("conversations.open", {"channel": {"id": "D0ANN"}})
    reply.post("told", VIEW, 4.0)
    [opened] = slack.made("conversations.open")
    assert opened.args["users"] == "U0ANN"
    [told] = slack.made("chat.postMessage")
    assert (told.args["channel"], told.args.get("thread_ts"), parts_posted(slack)) == ("D0ANN", None, ["told"])

    slack.answer("conversations.history", {"messages": [{"ts": "1800000009.000100", "bot_id": ME.bot, **_mark()}]})
    assert reply.find("told", clock.now(), 4.0, "U0ANN") == ["1800000009.000100"]
    assert slack.made("conversations.history")[0].args["channel"] == "D0ANN"


def _mark() -> dict[str, Any]:
    return {"metadata": {"event_type": "everthread_reply", "event_payload": {"run": "r7", "part": "told"}}}


@pytest.mark.clause("REPLY-5")
def test_in_a_direct_message_that_is_closed_nobody_else_can_be_told(slack: FilingSlack, clock: Clock) -> None:
    with pytest.raises(ReplyError) as caught:
        replies(slack, ME, clock)("T0TEAM/D0ANN/1800000000.000100", "r7").post("told", VIEW, 4.0)
    assert caught.value.kind == "closed"
    assert not slack.calls


@pytest.mark.clause("ASK-1")
def test_the_whole_input_of_a_call_is_a_file_of_its_wait(slack: FilingSlack, reply: Reply, clock: Clock) -> None:
    wait = Wait("w1", "r7", THREAD, "r7:0:t0/gate:0", "approval", "U0ANN", "May I?", 1.0, arguments="x" * 20_000)
    view = replace(VIEW, status="waiting", ask=AskView(wait, "open"))
    slack.answer("files.getUploadURLExternal", PLACE)

    file = reply.upload(view, 4.0)
    reply.post("input.w1", replace(view, file=file), 4.0)

    [asked] = slack.made("files.getUploadURLExternal")
    assert (asked.args["filename"], slack.sent) == ("input-w1.json", [(PLACE["upload_url"], b"x" * 20_000)])
    [shown] = slack.made("files.completeUploadExternal")
    assert json.loads(shown.args["files"]) == [{"id": "F1", "title": "The whole input of the call"}]
    posted = {"ts": "1800000001.000100", "user": ME.user, "files": [{"id": "F1", "name": "input-w1.json"}]}
    slack.answer("conversations.replies", {"messages": [posted]})
    assert reply.find("input.w1", clock.now(), 4.0) == ["1800000001.000100"]
