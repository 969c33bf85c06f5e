"""Texts of every length and shape at the Slack stand-in, strict about every limit: as post and as update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import pytest

from bot.client import slack_client
from bot.identity import whoami
from bot.reply import replies
from playground.standins.slack.client import SlackStandin
from playground.standins.slack.people import PEOPLE
from store.ports import Reply
from store.system import SystemClock
from store.view import Form, RunView

ANN, BOB = (next(person.id for person in PEOPLE if person.key == key) for key in ("ann", "bob"))
CODE = "\n".join(f"line {n:05}" for n in range(5_000))
TABLE = "| n | square |\n|---|---|\n" + "".join(f"| {n} | {n * n} |\n" for n in range(700))
SHAPES = {
    "3,999 characters in a fence": f"```py\n{CODE[:3_989]}\n```",
    "4,001 characters in a fence": f"```py\n{CODE[:3_991]}\n```",
    "45,000 characters in a fence": f"```py\n{CODE[:45_000]}\n```",
    "three posts of a table": TABLE * 2,
    "signs that are escaped": "&<>" * 8_000,
    "one word": "粗" * 30_000,
    "people and groups": "<!channel> <@U1> @here " * 1_200,
    "nested fences": "````md\n" + "```\ninner &lt;b&gt;\n```\n" * 800 + "````",
}


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackStandin]:
    with SlackStandin.start() as standin:
        yield standin


def thread_of(slack: SlackStandin, run: str) -> tuple[Reply, RunView]:
    client = slack_client(slack.bot_token, base_url=slack.api_url)
    root = str(client.chat_postMessage(channel="C0GENERAL1", text="go")["ts"])
    me = whoami(client)
    thread = f"{me.team}/C0GENERAL1/{root}"
    return replies(client, me, SystemClock())(thread, run), RunView(run, thread, "U0ANN", "running")


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_final_text_of_any_shape_is_taken_whole(slack: SlackStandin, shape: str) -> None:
    reply, view = thread_of(slack, "r7")
    ts = reply.post("reply", view, 5.0)
    over = replace(view, status="completed", text=SHAPES[shape], footer="4 s · 120 tokens · $0.01")
    reply.edit(ts, over, 5.0)
    for part in reply.parts(over):
        if part == "file":
            reply.post(part, replace(over, file=reply.upload(over, 5.0)), 5.0)
        else:
            reply.edit(reply.post(part, over, 5.0), over, 5.0, part)
        assert len(reply.find(part, 0.0, 5.0)) == 1
    said = reply.history(10, 5.0)
    assert len(said) == 2 + len(reply.parts(over))
    root = view.thread.rpartition("/")[2]
    assert [message["notifies"] for message in slack.messages("C0GENERAL1", root)] == [[]] * len(said)


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize("form", get_args(Form))
def test_every_form_is_taken_as_post_and_as_update(slack: SlackStandin, form: Form) -> None:
    reply, view = thread_of(slack, "r7")
    over = replace(view, status="completed", text=SHAPES["signs that are escaped"], note="&" * 3_000, form=form)
    reply.edit(reply.post("reply", over, 5.0), over, 5.0)
    [_, said] = reply.history(10, 5.0)
    assert said.text


@pytest.mark.clause("REPLY-5")
def test_the_asker_is_told_alone_when_the_channel_is_closed(slack: SlackStandin) -> None:
    reply, view = thread_of(slack, "r7")
    told = replace(view, asker=ANN, status="completed", text=SHAPES["one word"])
    ts = reply.post("told", told, 5.0)
    assert reply.find("told", 0.0, 5.0, ANN) == [ts]
    assert reply.find("told", 0.0, 5.0, BOB) == []
