"""The real Bolt app behind a real web server, posted to by the local Slack and by strangers."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from threading import Event
from typing import Any

import pytest

from bot.cards.button import STOP
from bot.request_url import LARGEST_BODY, PATH, RequestUrl
from everthread.web import WebServer
from playground.standins.slack.client import SlackStandin
from playground.standins.slack.request_url import encoded, signed
from store.submission import Receipt, Submission
from store.system import SystemClock, SystemThreads
from tests.bot.doubles import FakeAdmissions
from tests.bot.test_sockets import an_app

GENERAL = "C0GENERAL1"
Json = dict[str, Any]
clock, threads = SystemClock(), SystemThreads()


class Slow(FakeAdmissions):
    """Admissions that can be made to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.slow, self.entered, self.go = False, Event(), Event()

    def admit(self, submission: Submission, **how: Any) -> Receipt | None:
        if self.slow:
            self.entered.set()
            assert self.go.wait(5.0)
        return super().admit(submission, **how)


@dataclass
class Office:
    """A workspace whose app is posted to."""

    slack: SlackStandin
    web: WebServer
    request_url: RequestUrl
    admissions: Slow

    def post(self, body: bytes, headers: dict[str, str], path: str = PATH) -> tuple[int, str]:
        with closing(HTTPConnection("127.0.0.1", self.web.port, timeout=5)) as connection:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def send(self, kind: str, payload: Json, at: float | None = None) -> tuple[int, str]:
        body, content_type = encoded(kind, payload)
        return self.post(body, signed(self.slack.signing_secret, body, content_type, at))

    def until_acked(self, events: int, since: int) -> None:
        got: list[Json] = []
        while len(got) < events:
            last = got[-1]["seq"] if got else since
            fresh = self.slack.events(last, timeout=5.0, kinds=["event.acked"])
            assert fresh, f"only {len(got)} of {events} events were acknowledged"
            got += fresh

    def close(self) -> None:
        self.web.stop()
        self.request_url.stop()


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackStandin]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            patch.delenv(name, raising=False)
        with SlackStandin.start(retry_delays=[0.0, 0.1, 0.2], transport="http") as slack:
            yield slack


def an_office(slack: SlackStandin) -> Office:
    admissions = Slow()
    request_url = RequestUrl(an_app(slack, admissions), slack.signing_secret, clock)
    web = WebServer("127.0.0.1", 0, {PATH: request_url}, clock, LARGEST_BODY)
    web.start(threads)
    office = Office(slack, web, request_url, admissions)
    assert slack.verify_request_url(f"http://127.0.0.1:{web.port}{PATH}")["verified"]
    return office


@pytest.fixture(scope="module")
def shared(slack: SlackStandin) -> Iterator[Office]:
    office = an_office(slack)
    yield office
    office.close()


@pytest.fixture
def office(shared: Office) -> Office:
    shared.slack.settings(request_url=f"http://127.0.0.1:{shared.web.port}{PATH}")
    shared.admissions.taken.clear()
    shared.admissions.down = False
    return shared


@pytest.mark.clause("ADMIT-1", "ADMIT-3", "SEC-1", "REPLY-8")
def test_what_people_say_and_click_arrives_over_http_once_and_all_of_it_is_acknowledged(office: Office) -> None:
    slack, since = office.slack, office.slack.last()
    ts = slack.say("ann", "general", "@everthread is 1 < 2?")
    slack.say("ann", "general", "good morning")
    slack.say("bob", "dm:bob", "payload=hello&x")
    office.until_acked(4, since)
    again = slack.last()
    office.until_acked(slack.redeliver(ts, times=3), again)
    taken = {said.author: said.text for said in office.admissions.taken.values()}
    assert taken == {"U0ANN00001": "is 1 < 2?", "U0BOB00001": "payload=hello&x"}
    assert slack.violations() == []


@pytest.mark.clause("REPLY-8")
def test_what_nobody_listens_to_is_answered_where_a_person_waits(office: Office) -> None:
    slack = office.slack
    assert "I don't know /payload" in slack.slash("ann", "general", "/payload", "show the payload, please")["shown"]
    ts = slack.say("ann", "general", "hello")
    since = slack.last()
    assert slack.shortcut("ann", "unknown")["acked"]
    opened = slack.wait_for("view.opened", since=since)
    assert opened["user"] == "U0ANN00001"
    slack.close_view("ann")
    assert slack.shortcut("ann", "unknown", ts)["acked"]
    assert "I don't know this shortcut" in slack.wait_for("ephemeral.posted", since=since)["text"]
    assert slack.open_home("ann")["acked"]
    limited = {"type": "app_rate_limited", "team_id": "T0EVERTHRD", "minute_rate_limited": 1_800_000_000}
    assert slack.deliver("events_api", limited)["acked"]
    action = {"action_id": STOP, "type": "button", "value": "from an older version", "block_id": "b"}
    since = slack.last()
    ts = slack.say("ann", "general", "hello")
    click = {
        "type": "block_actions",
        "user": {"id": "U0ANN00001", "team_id": "T0EVERTHRD"},
        "team": {"id": "T0EVERTHRD"},
        "channel": {"id": GENERAL},
        "container": {"type": "message", "message_ts": ts, "channel_id": GENERAL},
        "actions": [action],
    }
    assert slack.deliver("interactive", click)["acked"]
    assert slack.wait_for("ephemeral.posted", since=since)["user"] == "U0ANN00001"


@pytest.mark.clause("ADMIT-1")
def test_a_lost_store_leaves_the_event_to_slack_which_posts_it_again(office: Office) -> None:
    office.admissions.down = True
    since = office.slack.last()
    office.slack.say("ann", "general", "@everthread charge 5", order="message_first")
    assert office.slack.wait_for("event.unacked", since=since)["reason"] == "http_error"
    office.admissions.down = False
    office.until_acked(2, since)
    assert [said.text for said in office.admissions.taken.values()] == ["charge 5"]


@pytest.mark.clause("SEC-1")
def test_what_slack_did_not_sign_within_five_minutes_is_refused(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    event = {"type": "message", "channel_type": "im", "channel": "D0ANN00001", "user": "U0ANN00001", "text": "hi"}
    payload = {"type": "event_callback", "team_id": "T0EVERTHRD", "event_id": "Ev1", "event": event | {"ts": "1.2"}}
    now = clock.now()
    assert office.send("events_api", payload, now - 301)[0] == 401
    assert office.send("events_api", payload, now + 301)[0] == 401
    body, content_type = encoded("events_api", payload)
    good = signed(office.slack.signing_secret, body, content_type)
    assert office.post(body + b" ", good)[0] == 401
    assert office.post(body, signed("another secret", body, content_type))[0] == 401
    for spoilt in ({"X-Slack-Signature": "v0=\xe9"}, {"X-Slack-Request-Timestamp": "soon"}, {"X-Slack-Signature": ""}):
        assert office.post(body, good | spoilt)[0] == 401
    assert office.post(body, {"Content-Type": content_type})[0] == 401
    assert office.post(b"ssl_check=1&token=x", {"Content-Type": "application/x-www-form-urlencoded"})[0] == 401
    assert office.post(b"\xff\xfe", signed(office.slack.signing_secret, b"\xff\xfe", "application/json"))[0] == 401
    assert office.admissions.taken == {}
    assert len([r for r in caplog.records if "SLACK_SIGNING_SECRET" in r.message]) <= 1, "strangers fill no log"
    assert office.post(body, good)[0] == 200
    assert len(office.admissions.taken) == 1


@pytest.mark.clause("SEC-1")
@pytest.mark.parametrize("place", ["authorizations", "team_id", "context_team_id"])
def test_the_payloads_of_another_workspace_are_refused(office: Office, place: str) -> None:
    event = {"type": "message", "channel_type": "im", "channel": "D0ANN00001", "user": "U0ANN00001", "text": "hi"}
    named: Json = (
        {"authorizations": [{"team_id": "T0ELSEWHRE"}]} if place == "authorizations" else {place: "T0ELSEWHRE"}
    )
    payload = {"type": "event_callback", "event_id": "Ev1", "event": event | {"ts": "1.2"}, **named}
    assert office.send("events_api", payload) == (200, "")
    command = {"command": "/everthread", "text": "", "team_id": "T0ELSEWHRE", "user_id": "U1", "channel_id": "C1"}
    assert office.send("slash_commands", command) == (200, "This app works for another workspace.")
    assert office.admissions.taken == {}
    ours = payload | {"context_team_id": "T0EVERTHRD"}
    assert office.send("events_api", ours)[0] == 200
    assert len(office.admissions.taken) == 1, "in a shared channel the event may have happened elsewhere"


@pytest.mark.clause("SEC-1")
def test_unreadable_and_oversized_bodies_are_refused_without_being_a_fault(office: Office) -> None:
    secret = office.slack.signing_secret
    for body, kind in (
        (b"{", "application/json"),
        (b"[1]", "application/json"),
        (b"{}", "application/json"),
        (b"", "application/json"),
        (b"payload={", "application/x-www-form-urlencoded"),
        (b"payload=3", "application/x-www-form-urlencoded"),
        (b"no form at all", "text/plain"),
        (b"[" * 100_000, "application/json"),
    ):
        assert office.post(body, signed(secret, body, kind))[0] == 400, body[:20]
    with closing(HTTPConnection("127.0.0.1", office.web.port, timeout=5)) as connection:
        connection.putrequest("POST", PATH)
        connection.putheader("Content-Length", str(LARGEST_BODY + 1))
        connection.endheaders(b"x")  # it is refused before the rest was sent
        assert connection.getresponse().status == 413
    assert office.post(b"x", {}, path="/elsewhere")[0] == 404


def test_whoever_looks_at_the_address_is_told_what_it_is_for(office: Office) -> None:
    with closing(HTTPConnection("127.0.0.1", office.web.port, timeout=5)) as connection:
        connection.request("GET", PATH)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (405, b"Slack posts here; there is nothing to see\n")


@pytest.mark.clause("OPS-1", "ADMIT-1")
def test_stopping_takes_no_more_connections_and_finishes_what_was_received(slack: SlackStandin) -> None:
    office = an_office(slack)
    office.admissions.slow = True
    since = slack.last()
    slack.say("bob", "dm:bob", "wait for me")
    assert office.admissions.entered.wait(5.0)
    with closing(socket.create_connection(("127.0.0.1", office.web.port))) as idle:
        stopping = threads.start("stop", office.close)
        while not _refuses(office.web.port):
            threads.sleep(0.01)
        assert idle.recv(1) == b"", "whoever says nothing is let go"
        assert stopping.is_alive()
        office.admissions.go.set()
        stopping.join(5.0)
    assert not stopping.is_alive()
    assert slack.wait_for("event.acked", since=since)["attempts"] == 1
    assert [said.text for said in office.admissions.taken.values()] == ["wait for me"]


def _refuses(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return True
    return False


def test_the_answer_of_an_address_that_does_not_know_the_challenge_is_no_verification(slack: SlackStandin) -> None:
    web = WebServer("127.0.0.1", 0, {PATH: _yes}, clock)
    web.start(threads)
    assert not slack.verify_request_url(f"http://127.0.0.1:{web.port}{PATH}")["verified"]
    web.stop()
    assert slack.verify_request_url(f"http://127.0.0.1:{web.port}{PATH}")["reason"] == "connection_failed"


def _yes(_environ: Any, start_response: Any) -> list[bytes]:
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"challenge": "yes"}).encode()]
