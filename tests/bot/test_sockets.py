"""The real Bolt app over a real socket, against the local Slack."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any, cast

import pytest
from slack_bolt import App

from bot.access import AccessPolicy
from bot.app import build
from bot.cards.button import STOP
from bot.client import slack_client
from bot.identity import Identity, whoami
from bot.people import People
from bot.reply import replies
from bot.socket import Sockets
from playground.standins.slack.client import SlackStandin
from store.ports import Replies, ReplyError
from store.protocol import Store, Whose
from store.submission import Receipt, Submission
from store.system import SystemClock, SystemIds, SystemThreads
from store.view import CallView, RunView
from tests.bot.doubles import FakeAdmissions, FakeWaits, FakeWorkspace, click


class Admitting(FakeAdmissions):
    """Admissions that can be made to wait for the socket's end."""

    def __init__(self, slack: SlackStandin) -> None:
        super().__init__()
        self._slack, self.slow, self.entered = slack, False, Event()

    def admit(self, submission: Submission, *, whose: Whose = "any") -> Receipt | None:
        if self.slow:
            since = self._slack.last()
            self.entered.set()
            self._slack.wait_for("socket.closed", since=since, timeout=5.0)
        return super().admit(submission, whose=whose)


@dataclass
class Office:
    """A workspace with our bot in it."""

    slack: SlackStandin
    sockets: Sockets
    admissions: Admitting
    replies: Replies
    me: Identity

    def until_acked(self, events: int, since: int) -> None:
        seen = itertools.count(1)
        self.slack.wait_for("event.acked", lambda _: next(seen) == events, since)


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackStandin]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            patch.delenv(name, raising=False)
        with SlackStandin.start() as slack:
            yield slack


def an_app(slack: SlackStandin, admissions: FakeAdmissions) -> App:
    client = slack_client(slack.bot_token, base_url=slack.api_url)
    unused = cast("Any", None)
    store = Store(admissions, unused, unused, unused, FakeWorkspace(), cast("Any", FakeWaits()))
    me = whoami(client)
    People(client, me, store.workspace).warm()
    return build(
        client,
        me=me,
        store=store,
        ring=lambda thread: None,
        clock=SystemClock(),
        ids=SystemIds(),
        policy=AccessPolicy(),
    )


def an_office(slack: SlackStandin) -> Office:
    admissions, since = Admitting(slack), slack.last()
    app = an_app(slack, admissions)
    sockets = Sockets(app, slack.app_token)
    sockets.start()
    slack.wait_for("socket.connected", since=since)
    me = whoami(app.client)
    return Office(slack, sockets, admissions, replies(app.client, me, SystemClock()), me)


@pytest.fixture(scope="module")
def office(slack: SlackStandin) -> Iterator[Office]:
    office = an_office(slack)
    yield office
    office.sockets.stop()


@pytest.mark.clause("ADMIT-1", "ADMIT-3", "ACCESS-1")
def test_what_people_say_is_taken_once_over_a_socket_and_all_of_it_is_acknowledged(office: Office) -> None:
    slack, since = office.slack, office.slack.last()
    assert office.sockets.connected
    ts = slack.say("ann", "general", "@everthread is 1 < 2?")
    slack.say("ann", "general", "good morning")
    slack.say("gus", "general", "@everthread let me in")
    slack.say("bob", "dm:bob", "hello")
    office.until_acked(6, since)
    again = slack.last()
    office.until_acked(slack.redeliver(ts, times=3), again)
    taken = {said.author: said.text for said in office.admissions.taken.values()}
    assert taken == {"U0ANN00001": "is 1 < 2?", "U0BOB00001": "hello"}
    assert slack.calls("users.info") == []
    assert slack.violations() == []


@pytest.mark.clause("ADMIT-1", "REPLY-8")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"actions": []}, "actions is missing"),
        ({"user": None}, "user is missing"),
        ({"authorizations": 3}, "authorizations has a wrong type"),
    ],
)
def test_a_malformed_payload_is_acknowledged_and_leaves_one_line(
    office: Office, caplog: pytest.LogCaptureFixture, change: dict[str, object], why: str
) -> None:
    assert office.slack.deliver("interactive", click(STOP, "r7") | change)["acked"]
    wait_until(lambda: bool(of_payloads(caplog)), "it was logged")
    [line] = of_payloads(caplog)
    assert line.message.endswith(why)
    assert line.exc_info is None


def of_payloads(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.clause("REPLY-1", "REPLY-2", "STOP-1")
def test_a_reply_is_posted_found_edited_and_stopped(office: Office) -> None:
    slack = office.slack
    ts = slack.say("ann", "general", "@everthread charge 5")
    thread = f"{office.me.team}/C0GENERAL1/{ts}"
    reply = office.replies(thread, "r7")
    calls = (CallView("charge", "running"),)
    posted = reply.post("reply", RunView("r7", thread, "U0ANN00001", "running", calls=calls), 4.0)
    assert reply.find("reply", float(ts), 4.0) == [posted]
    assert reply.find("done", float(ts), 4.0) == []
    assert slack.click("bob", STOP, posted)["acked"]
    assert office.admissions.stops == [(thread, "r7", "U0BOB00001")]
    reply.edit(posted, RunView("r7", thread, "U0ANN00001", "completed", text="word " * 9_000), 4.0)

    slack.fault("drop", "chat.postMessage")
    with pytest.raises(ReplyError) as caught:
        reply.post("done", RunView("r7", thread, "U0ANN00001", "completed"), 4.0)
    assert caught.value.kind == "lost"
    slack.no_fault()
    [done] = reply.find("done", float(ts), 4.0)
    assert [said.ts for said in reply.history(10, 4.0)] == [ts, posted, done]
    assert slack.violations() == []


@pytest.mark.clause("ADMIT-1")
def test_stopping_closes_the_socket_first_and_finishes_what_was_received(slack: SlackStandin, office: Office) -> None:
    office.sockets.stop()
    other = an_office(slack)
    other.admissions.slow = True
    slack.say("bob", "dm:bob", "wait for me")
    assert other.admissions.entered.wait(5.0)
    other.sockets.stop()
    assert not other.sockets.connected
    assert [said.text for said in other.admissions.taken.values()] == ["wait for me"]


def test_an_app_token_slack_refuses_is_named(slack: SlackStandin) -> None:
    sockets = Sockets(an_app(slack, FakeAdmissions()), "xa" + "pp-wrong")
    with pytest.raises(ReplyError, match=r"apps\.connections\.open.*invalid_auth"):
        sockets.start()
    sockets.stop()


@pytest.mark.clause("OPS-1")
@pytest.mark.parametrize(("bots", "warned"), [(1, 1), (2, 0)])
def test_others_on_the_same_app_token_are_warned_of_once_a_deploy_would_be_over(
    slack: SlackStandin, office: Office, caplog: pytest.LogCaptureFixture, bots: int, warned: int
) -> None:
    office.sockets.stop()
    ours, other = (Sockets(an_app(slack, FakeAdmissions()), slack.app_token, bots) for _ in range(2))
    try:
        for sockets in (other, ours):
            since = slack.last()
            sockets.start()
            slack.wait_for("socket.connected", since=since)
        wait_until(lambda: ours.greeted == 1, "Slack's greeting was heard")
        assert warnings(caplog) == [], "at a deploy the process before us is still there"
        ours.look_again()
        wait_until(lambda: ours.greeted == 1 + warned, "the connection was renewed where somebody else was found")
        assert len(warnings(caplog)) == warned
    finally:
        ours.stop()
        other.stop()


@pytest.mark.clause("OPS-1")
def test_the_process_that_a_deploy_replaces_is_nobody_to_warn_of(
    slack: SlackStandin, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    office.sockets.stop()
    before, ours = (Sockets(an_app(slack, FakeAdmissions()), slack.app_token) for _ in range(2))
    for sockets in (before, ours):
        since = slack.last()
        sockets.start()
        slack.wait_for("socket.connected", since=since)
    wait_until(lambda: ours.greeted == 1, "Slack's greeting was heard")
    since = slack.last()
    before.stop()
    slack.wait_for("socket.closed", since=since)
    ours.look_again()
    wait_until(lambda: ours.greeted == 2, "the renewed connection was greeted")
    ours.stop()
    assert warnings(caplog) == []


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if "use this Slack app token" in record.message]


def wait_until(predicate: Callable[[], bool], describe: str) -> None:
    clock, threads = SystemClock(), SystemThreads()
    until = clock.boottime() + 5.0
    while not predicate():
        assert clock.boottime() < until, f"not within 5 s: {describe}"
        threads.sleep(0.01)
