"""A reply within the workspace's budgets: what Slack says to one process holds for all of them."""

from __future__ import annotations

import pytest

from playground.simulation.baton import Process
from playground.simulation.doubles import SimulatedSlack
from store.ports import Reply, ReplyError
from store.protocol import Store
from store.system import SystemClock
from store.view import RunView
from tests.conftest import FakeClock
from worker.pace import UNSAID, paced

THREAD = "T1/C1/1700000000.000100"


class Answers:
    """What Slack answers next, and how often it was called."""

    def __init__(self) -> None:
        self.errors: list[ReplyError | None] = []
        self.calls = 0

    def __call__(self, _call: str, side: str) -> None:
        if side == "before":
            self.calls += 1
            error = self.errors.pop(0) if self.errors else None
            if error is not None:
                raise error


@pytest.fixture
def slack() -> Answers:
    return Answers()


@pytest.fixture
def two(store: Store, slack: Answers) -> list[Reply]:
    """The replies of two runs, in two processes."""
    seat = SimulatedSlack().seat(Process("p"), slack)
    return [paced(seat, store.workspace, SystemClock())(THREAD, run) for run in ("r1", "r2")]


def view(run: str) -> RunView:
    return RunView(run, THREAD, "U1", "completed", text="done")


def refusal(code: str, kind: str = "busy", retry_after: float | None = None) -> ReplyError:
    return ReplyError(code, kind=kind, code=code, retry_after=retry_after)  # type: ignore[arg-type]


def wait_of(reply: Reply, run: str, ts: str) -> float:
    with pytest.raises(ReplyError) as refused:
        reply.edit(ts, view(run), 1.0)
    assert (refused.value.kind, refused.value.code) == ("busy", "budget")
    return refused.value.retry_after or 0.0


@pytest.mark.clause("REPLY-3")
@pytest.mark.parametrize("said", [30.0, None], ids=["a 429 with Retry-After", "ratelimited in a 200"])
def test_when_slack_is_too_busy_for_one_of_us_nobody_calls(
    two: list[Reply], slack: Answers, clock: FakeClock, said: float | None
) -> None:
    ts = two[0].post("reply", view("r1"), 1.0)
    slack.errors = [refusal("ratelimited", retry_after=said)]
    with pytest.raises(ReplyError) as refused:
        two[0].edit(ts, view("r1"), 1.0)
    calls = slack.calls

    assert refused.value.retry_after == (said or UNSAID)
    assert wait_of(two[1], "r2", ts) == pytest.approx(said or UNSAID)
    assert slack.calls == calls
    clock.advance(said or UNSAID)
    two[1].edit(ts, view("r2"), 1.0)


@pytest.mark.clause("REPLY-5")
def test_while_slack_refuses_our_token_only_one_of_us_tries_it_once_a_minute(
    two: list[Reply], slack: Answers, clock: FakeClock
) -> None:
    ts = two[0].post("reply", view("r1"), 1.0)
    slack.errors = [refusal("token_revoked", "credentials"), refusal("token_revoked", "credentials")]
    with pytest.raises(ReplyError, match="token_revoked"):
        two[0].edit(ts, view("r1"), 1.0)
    calls = slack.calls

    assert wait_of(two[1], "r2", ts) > 50
    clock.advance(61)
    with pytest.raises(ReplyError, match="token_revoked"):
        two[1].edit(ts, view("r2"), 1.0)
    assert wait_of(two[0], "r1", ts) > 50
    assert slack.calls == calls + 1
    clock.advance(61)
    two[0].edit(ts, view("r1"), 1.0)
    two[1].edit(ts, view("r2"), 1.0)


@pytest.mark.clause("REPLY-5")
def test_a_scope_that_only_reading_lacks_stops_no_delivery(two: list[Reply], slack: Answers) -> None:
    ts = two[0].post("reply", view("r1"), 1.0)
    slack.errors = [refusal("missing_scope", "credentials")]
    with pytest.raises(ReplyError, match="missing_scope"):
        two[0].history(10, 1.0)

    two[1].edit(ts, view("r2"), 1.0)


@pytest.mark.clause("LEASE-4")
def test_a_call_whose_time_is_over_when_its_turn_comes_does_not_begin(store: Store, slack: Answers) -> None:
    class Waking:
        """The clock of a process that is frozen for a minute while it waits for its turn."""

        def __init__(self) -> None:
            self.looks = iter((100.0, 160.0))

        def now(self) -> float:
            raise AssertionError("leases are measured by the other clock")

        def boottime(self) -> float:
            return next(self.looks)

    reply = paced(SimulatedSlack().seat(Process("p"), slack), store.workspace, Waking())(THREAD, "r1")

    with pytest.raises(ReplyError) as late:
        reply.post("reply", view("r1"), 8.0)

    assert (late.value.kind, late.value.code, slack.calls) == ("busy", "late", 0)
