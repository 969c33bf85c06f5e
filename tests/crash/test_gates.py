"""Calls that people decide about: asked once, decided once, run once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from store.wait import Answerers
from tests.crash.conftest import Killer, calls, says
from tests.crash.moments import Make
from tests.crash.test_waits import Asking
from worker.rules import Rule, Rules
from worker.tools.context import ToolContext
from worker.tools.tool import tool

ASK_CHARGE = Rules((Rule("ask", "charge"),))
CHARGE = ("charge", {"amount": 40, "token": "s3cr3t-value"})


class Gated(Asking):
    """A run whose calls pass a gate."""

    def __init__(self, world: Make, *turns: Any, rules: Rules = ASK_CHARGE, wanted: Sequence[Any] = (CHARGE,)) -> None:
        self.charged: list[tuple[int, str]] = []

        @tool(replay="unsafe", title="charging {amount}")
        def charge(context: ToolContext, amount: int, token: str = "") -> str:
            """Charge somebody."""
            self.charged.append((amount, token))
            return f"charged {amount}"

        @tool(replay="unsafe")
        def other(context: ToolContext) -> str:
            """Do something that needs no approval."""
            self.charged.append((0, "other"))
            return "other"

        super().__init__(world, *(turns or (calls(*wanted), says("done"))), tools=[charge, other])
        self.fleet.rules = rules


@pytest.mark.clause("GATE-1", "GATE-2")
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("call", ["commit model.done", "post ask", "commit", "commit tool.pending", "release"])
def test_a_call_runs_once_it_is_approved_and_once_only(world: Make, call: str, side: str) -> None:
    gated = Gated(world)

    def act() -> None:
        gated.work(Killer(call, side), Killer(call, side, 2))
        assert gated.charged == []
        assert [wait.kind for wait in gated.waits()] == ["approval"]
        gated.answer(verdict="approve")
        gated.work()

    gated.play(act)

    assert gated.charged == [(40, "s3cr3t-value")]
    assert gated.outcome()["text"] == "done"
    assert gated.standing() == ["over"]


@pytest.mark.clause("GATE-1")
def test_no_call_of_an_answer_starts_before_all_are_decided_and_a_denied_one_never_runs(world: Make) -> None:
    gated = Gated(world, wanted=[CHARGE, ("other", {}), ("charge", {"amount": 7})])

    def act() -> None:
        gated.work()
        first, second = gated.waits()
        gated.answer(wait=second, verdict="deny", words="too much")
        gated.work()
        assert gated.charged == []
        assert len(gated.waits()) == 1
        gated.answer(wait=first, verdict="approve")
        gated.work()

    gated.play(act)

    assert sorted(gated.charged) == [(0, "other"), (40, "s3cr3t-value")]
    assert "denied it: too much" in gated.told()
    assert not [record for record in gated.seen.log if record.state == "interrupted"]


@pytest.mark.clause("GATE-1")
def test_a_stop_before_the_decision_leaves_nothing_in_doubt(world: Make) -> None:
    gated = Gated(world)

    def act() -> None:
        gated.work()
        gated.fleet.host.store.admissions.stop("T1/C1/1700000000.000100", gated.run, "U1")
        gated.work()

    gated.play(act)

    assert gated.charged == []
    assert gated.head().rest == []


@pytest.mark.clause("GATE-1")
def test_a_rule_denies_at_once_and_asks_nobody(world: Make) -> None:
    gated = Gated(world, rules=Rules((Rule("deny", "charge", arguments={"amount": "4*"}), Rule("ask", "charge"))))
    gated.play(lambda: gated.work() and None)

    assert gated.charged == []
    assert "a rule of whoever runs this agent denies it" in gated.told()


@pytest.mark.clause("TOOL-6")
def test_a_deny_in_force_now_goes_over_an_approval_given_before(world: Make) -> None:
    gated = Gated(world)

    def act() -> None:
        gated.work()
        gated.answer(verdict="approve")
        gated.fleet.rules = Rules((Rule("deny", "charge"),))
        gated.work()

    gated.play(act)

    assert gated.charged == []


@pytest.mark.clause("GATE-5")
def test_where_two_have_to_approve_one_is_not_enough_and_one_denial_is(world: Make) -> None:
    def decided(*votes: tuple[str, str]) -> tuple[list[str], list[tuple[int, str]]]:
        gated = Gated(world, rules=Rules((Rule("ask", "charge", answerers=Answerers(quorum=2)),)))
        became: list[str] = []

        def act() -> None:
            gated.work()
            wait = gated.waits()[0]
            for by, verdict in votes:
                became.append(gated.answer(wait=wait, by=by, verdict=verdict))  # type: ignore[arg-type]
                gated.work()

        gated.play(act)
        return became, gated.charged

    approved = decided(("U2", "approve"), ("U2", "approve"), ("U3", "approve"), ("U4", "deny"))
    denied = decided(("U2", "approve"), ("U3", "deny"))

    assert approved == (["voted", "known", "taken", "answered"], [(40, "s3cr3t-value")])
    assert denied == (["voted", "taken"], [])


@pytest.mark.clause("SEC-2")
def test_an_approval_shows_masked_arguments_and_the_tool_gets_the_real_ones(world: Make) -> None:
    gated = Gated(world)
    shown: list[str] = []

    def act() -> None:
        gated.work()
        shown.append(gated.waits()[0].arguments)
        gated.answer(verdict="approve")
        gated.work()

    gated.play(act)

    assert "s3cr3t-value" not in shown[0]
    assert '"amount": 40' in shown[0]
    assert gated.charged == [(40, "s3cr3t-value")]


@pytest.mark.clause("GATE-1")
@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        (Rule("ask", "charge"), True),
        (Rule("ask", "ch*"), True),
        (Rule("ask", "refund"), False),
        (Rule("ask", "charge", channel="C1"), True),
        (Rule("ask", "charge", channel="D*"), False),
        (Rule("ask", "charge", arguments={"amount": "4?"}), True),
        (Rule("ask", "charge", arguments={"missing": "*"}), False),
    ],
)
def test_a_rule_fits_by_tool_channel_and_arguments(rule: Rule, fits: bool) -> None:
    found = Rules((rule,)).judge("charge", {"amount": 40}, "C1")
    assert (found is rule) is fits


@pytest.mark.clause("ASK-1", "REPLY-2", "SEC-2")
@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("call", ["upload", "post input", "commit #input.pending", "commit #input.done", "commit"])
def test_an_input_too_long_for_its_card_is_beside_it_whole_and_masked_and_once(
    world: Make, call: str, side: str
) -> None:
    script = "echo hello\n" * 2_000

    @tool(replay="unsafe")
    def run_script(context: ToolContext, script: str, password: str) -> str:
        """Run it."""
        return "ran"

    seen = Asking(
        world,
        calls(("run_script", {"script": script, "password": "hunter2"})),
        says("done"),
        tools=[run_script],
    )
    seen.fleet.rules = Rules((Rule("ask", "*"),))

    def act() -> None:
        seen.work(Killer(call, side), Killer(call, side, 2))
        seen.answer(verdict="approve")
        seen.work()

    seen.play(act)

    shown = [post for post in seen.fleet.slack.posts if post.part.startswith("input.")]
    files = [seen.fleet.slack.uploads[post.views[-1].file] for post in shown]
    assert len(files) == 1
    assert files[0].count("echo hello") == 2_000
    assert "hunter2" not in files[0]
    assert seen.outcome()["text"] == "done"
