"""Slack's own Stop is the button's; prompts and signs of life are shown where the workspace has them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.listeners import run_buttons as said
from bot.listeners.agent_session import PROMPTS
from bot.reply import replies
from bot.reply.signs import line, session
from store.lease import Commit
from store.lifecycle import Status
from store.ports import ReplyError
from store.protocol import Store
from store.record import Record, stored
from store.stepkey import START, StepKey
from store.submission import Submission
from store.view import RunView
from tests.bot.doubles import ME, Bot, event, refusal
from tests.conftest import FakeClock

ROOT = "1800000000.000100"
THREAD = f"{ME.team}/C0GENERAL/{ROOT}"


def stopped(user: str = "U0ANN") -> dict[str, Any]:
    where = {"channel": "C0GENERAL", "thread_ts": ROOT, "streaming_message_ts": [], "event_ts": "1800000009.000100"}
    return event({"type": "agent_session_stopped", "user": user, **where})


def work_on(store: Store) -> None:
    """Ann's run r7 is open."""
    submission = Submission(THREAD, "C0GENERAL", ROOT, "U0ANN", "go", "r7", 1.0)
    store.admissions.admit(submission)
    claim = store.leases.claim(THREAD, "boot:1:1:a")
    start, raw = stored(Record("start", StepKey("r7", 0, START), "done", 1.0, {"input": submission.as_body()}))
    head = {"status": "running", "run": "r7"}
    taking = Commit(
        "r7", records=[(str(start.key), start.state, raw)], head=head, due={"run:r7": ""}, taken=[submission], anew=True
    )
    store.log.commit(claim.lease, taking)


@pytest.mark.clause("STOP-1")
def test_slacks_own_stop_is_stored_before_it_is_acknowledged_and_wakes_a_worker(bot: Bot, store: Store) -> None:
    work_on(store)
    bot.build(store=store)

    assert bot.tell(stopped("U0BOB")).status == 200
    assert store.admissions.stop(THREAD, "r7", "U0ANN") == "again"
    assert bot.rung == [THREAD]
    assert bot.whispers == []


@pytest.mark.clause("STOP-1")
def test_who_may_use_slacks_own_stop_is_the_same_policy(bot: Bot, store: Store) -> None:
    work_on(store)
    bot.build(stopper="asker", store=store)
    bot.tell(stopped("U0BOB"))

    assert [whisper["text"] for whisper in bot.whispers] == [said.ONLY_THE_ASKER]
    assert bot.rung == []
    bot.tell(stopped("U0ANN"))
    assert bot.rung == [THREAD]


@pytest.mark.clause("REPLY-8")
def test_slacks_own_stop_where_nothing_works_is_answered_and_the_session_closed(bot: Bot, store: Store) -> None:
    bot.build(store=store)
    bot.tell(stopped())

    assert [whisper["text"] for whisper in bot.whispers] == [said.ALREADY_OVER]
    assert [call.args["status"] for call in bot.slack.made("agents.sessions.setStatus")] == ["active"]


def test_prompts_are_offered_where_the_messages_tab_is_opened(bot: Bot) -> None:
    for tab in ("home", "messages"):
        bot.tell(event({"type": "app_home_opened", "user": "U0ANN", "channel": "D0ANN", "tab": tab}))

    [call] = bot.slack.made("assistant.threads.setSuggestedPrompts")
    assert call.args["channel_id"] == "D0ANN"
    assert [prompt["title"] for prompt in call.args["prompts"]] == [title for title, _ in PROMPTS]


@pytest.mark.clause("REPLY-6")
@pytest.mark.parametrize("code", ["unknown_method", "missing_scope", "feature_not_enabled", "not_allowed_token_type"])
def test_a_sign_that_the_workspace_lacks_is_not_asked_for_again(bot: Bot, clock: FakeClock, code: str) -> None:
    bot.slack.answer("assistant.threads.setStatus", refusal(code))
    make = replies(bot.slack, ME, clock)
    shown = [make(THREAD, run).sign("line", view("running"), 1.0) for run in ("r1", "r2")]

    assert shown == [False, False]
    assert len(bot.slack.made("assistant.threads.setStatus")) == 1
    assert make(THREAD, "r3").sign("session", view("running"), 1.0)


@pytest.mark.clause("REPLY-6")
def test_a_sign_that_slack_does_not_take_now_is_asked_for_again(bot: Bot, clock: FakeClock) -> None:
    bot.slack.answer("assistant.threads.setStatus", refusal("ratelimited"), {})
    reply = replies(bot.slack, ME, clock)(THREAD, "r1")

    with pytest.raises(ReplyError, match="ratelimited"):
        reply.sign("line", view("running"), 1.0)
    assert reply.sign("line", view("running"), 1.0)


def view(status: Status, doing: str = "running charge 5") -> RunView:
    return RunView("r1", THREAD, "U0ANN", status, doing=doing)


@pytest.mark.clause("REPLY-6")
def test_the_line_says_what_it_does_and_is_cleared_when_it_does_nothing() -> None:
    assert line(view("running")) == "is running charge 5…"
    assert line(view("running", "")) == "is working…"
    assert line(view("running", "the model is busy, trying again in 2 s")).startswith("is working (the model is busy")
    assert line(view("completed")) == line(view("suspended")) == ""


@pytest.mark.clause("REPLY-6")
def test_the_session_works_waits_or_is_over() -> None:
    statuses: tuple[Status, ...] = ("running", "suspended", "waiting", "parked", "completed", "aborted")
    found = [session(view(status)) for status in statuses]
    assert found == ["processing", "suspended", "suspended", "suspended", "active", "active"]
