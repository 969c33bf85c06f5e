"""Trouble on demand: what a caller sees, and whether its call was applied."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPException
from time import perf_counter
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry import ConnectionErrorRetryHandler, FixedValueRetryIntervalCalculator

from playground.standins.slack.client import SlackStandin, StandinTimeout

GENERAL = "C0GENERAL1"

POST = """
import sys
from slack_sdk import WebClient
WebClient(sys.argv[1], base_url=sys.argv[2], retry_handlers=[]).chat_postMessage(channel=sys.argv[3], text="x")
"""


@pytest.fixture(scope="module")
def running() -> Iterator[SlackStandin]:
    with SlackStandin.start() as standin:
        yield standin


@pytest.fixture
def slack(running: SlackStandin) -> SlackStandin:
    running.reset()
    return running


@pytest.fixture
def web(slack: SlackStandin) -> WebClient:
    return WebClient(slack.bot_token, base_url=slack.api_url, retry_handlers=[])


def poster(slack: SlackStandin) -> subprocess.Popen[bytes]:
    """A process that posts one message and ends."""
    command = [sys.executable, "-c", POST, slack.bot_token, slack.api_url, GENERAL]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


def test_an_error_is_answered_n_times_and_changes_nothing(slack: SlackStandin, web: WebClient) -> None:
    slack.fault("error", "chat.postMessage", times=2, error="fatal_error")
    for _ in range(2):
        with pytest.raises(SlackApiError) as caught:
            web.chat_postMessage(channel=GENERAL, text="x")
        assert caught.value.response["error"] == "fatal_error"
    web.chat_postMessage(channel=GENERAL, text="x")
    assert len(slack.messages("general")) == 1
    assert [(c["outcome"], c["applied"]) for c in slack.calls()] == [
        ("fatal_error", False),
        ("fatal_error", False),
        ("ok", True),
    ]


def test_an_error_may_have_another_status(slack: SlackStandin, web: WebClient) -> None:
    slack.fault("error", "chat.postMessage", error="service_unavailable", status=503)
    with pytest.raises(SlackApiError) as caught:
        web.chat_postMessage(channel=GENERAL, text="x")
    assert caught.value.response.status_code == 503


def test_a_ratelimit_lasts_for_its_time_and_says_how_long(slack: SlackStandin, web: WebClient) -> None:
    slack.fault("ratelimit", "chat.postMessage", seconds=30)
    with pytest.raises(SlackApiError) as caught:
        web.chat_postMessage(channel=GENERAL, text="x")
    assert caught.value.response.status_code == 429
    assert int(caught.value.response.headers["Retry-After"]) == 30
    assert web.auth_test()["ok"], "other methods are free"


@pytest.mark.parametrize(("when", "standing"), [("before", 0), ("after", 1)])
def test_a_lost_answer_leaves_the_call_applied_or_not(
    slack: SlackStandin, web: WebClient, when: str, standing: int
) -> None:
    slack.fault("drop", "chat.postMessage", when=when)
    with pytest.raises((OSError, HTTPException)):
        web.chat_postMessage(channel=GENERAL, text="x")
    assert len(slack.messages("general")) == standing
    [call] = slack.calls("chat.postMessage")
    assert (call["outcome"], call["applied"]) == ("dropped", standing == 1)


def test_a_client_that_retries_lost_connections_posts_twice(slack: SlackStandin) -> None:
    """As slack_sdk does by default, but without its pause."""
    slack.fault("drop", "chat.postMessage", when="after")
    retry = ConnectionErrorRetryHandler(1, FixedValueRetryIntervalCalculator(0.01))
    web = WebClient(slack.bot_token, base_url=slack.api_url, retry_handlers=[retry])
    web.chat_postMessage(channel=GENERAL, text="x")
    assert len(slack.messages("general")) == 2


def test_a_fault_can_skip_the_first_calls(slack: SlackStandin, web: WebClient) -> None:
    slack.fault("error", "auth.test", skip=1)
    assert web.auth_test()["ok"]
    with pytest.raises(SlackApiError):
        web.auth_test()
    assert web.auth_test()["ok"]


def test_a_fault_meets_only_calls_that_contain_its_text(slack: SlackStandin, web: WebClient) -> None:
    slack.fault("error", "chat.postMessage", error="invalid_blocks", containing="the end")
    web.chat_postMessage(channel=GENERAL, text="the beginning")
    with pytest.raises(SlackApiError):
        web.chat_postMessage(channel=GENERAL, text="the end")
    web.chat_postMessage(channel=GENERAL, text="the end")


def test_who_makes_a_held_call_is_known_where_nobody_else_is(slack: SlackStandin) -> None:
    slack.settings(trace=False)
    hold = slack.hold("chat.postMessage")
    with poster(slack) as process:
        assert hold.reached()["pid"] == process.pid
        hold.release()
    with poster(slack):
        pass
    assert [call["pid"] for call in slack.calls("chat.postMessage")] == [process.pid, None]


def test_a_slow_method_takes_its_time(slack: SlackStandin, web: WebClient) -> None:
    slack.fault("slow", "auth.test", seconds=0.1)
    start = perf_counter()
    web.auth_test()
    assert perf_counter() - start >= 0.1


def test_removed_faults_are_gone(slack: SlackStandin, web: WebClient) -> None:
    fault = slack.fault("error", "*", times=None)
    slack.no_fault(fault)
    assert web.auth_test()["ok"]
    assert slack.state()["faults"] == []


@pytest.mark.parametrize(("when", "standing"), [("before", 0), ("after", 1)])
def test_a_process_can_be_killed_exactly_before_or_after_its_post(
    slack: SlackStandin, when: str, standing: int
) -> None:
    hold = slack.hold("chat.postMessage", when=when)
    process = poster(slack)
    reached = hold.reached()
    assert reached["pid"] == process.pid
    assert len(slack.messages("general")) == standing
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    since = slack.last()
    hold.release()
    answered = slack.wait_for("call.answered", since=since)
    assert answered["applied"] is (standing == 1)
    assert len(slack.messages("general")) == standing


def test_a_held_call_goes_on_when_released(slack: SlackStandin) -> None:
    hold = slack.hold("chat.postMessage")
    process = poster(slack)
    hold.reached()
    assert slack.messages("general") == []
    hold.release()
    assert process.wait(10) == 0
    assert len(slack.messages("general")) == 1


def test_a_hold_counts_only_calls_that_contain_its_text(slack: SlackStandin, web: WebClient) -> None:
    hold = slack.hold("chat.postMessage", nth=2, containing="needle")
    for text in ("hay", "needle", "hay"):
        web.chat_postMessage(channel=GENERAL, text=text)
    with pytest.raises(StandinTimeout):
        hold.reached(timeout=0.05)
    state: dict[str, Any] = slack.state()
    assert [h["reached"] for h in state["holds"]] == [False]


def test_a_reset_drops_whoever_is_held(slack: SlackStandin) -> None:
    hold = slack.hold("chat.postMessage")
    process = poster(slack)
    hold.reached()
    slack.reset()
    assert process.wait(10) != 0
    assert slack.messages("general") == []


def test_a_standin_ends_with_whoever_started_it() -> None:
    start = "from playground.standins.slack.client import SlackStandin as S; print(S.start().url, flush=True)"
    parent = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True)
    with pytest.raises(ConnectionRefusedError):  # the run above lasts until its standard error is closed by both
        SlackStandin.attach(parent.stdout.strip()).state()


def test_the_process_of_each_call_is_known(slack: SlackStandin, web: WebClient) -> None:
    web.auth_test()
    process = poster(slack)
    process.wait(10)
    assert [c["pid"] for c in slack.calls()] == [os.getpid(), process.pid]
