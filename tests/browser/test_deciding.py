"""What a stranger sees of what is to be decided: a plan, and a call that a rule wants approved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.test_playground import Until, enter
from tests.browser.test_waiting import APPROVE, DENY, EDITS, asks, become, cards, completed

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.mark.clause("ASK-1")
def test_a_plan_is_approved_and_its_card_follows_it(page: Any, until: Until) -> None:
    page.resize(1500, 700)
    enter(page, until)
    asks(page, until, "make a plan to find the slow release", APPROVE)

    page.find(APPROVE).click()

    steps = "#replies article:nth-child(3) .calls"
    until(lambda: page.all(f"{steps} li:nth-child(2)[data-state='running']"), "the second step is under way")
    page.picture("playground-plan", ".pane.thread")
    assert "All 4 steps are done" in completed(page, until)
    until(lambda: len(page.all(f"{steps} li[data-state='done']")) == 4, "the card shows all steps done", EDITS)
    assert "Approved by @ann" in page.text("#replies article:nth-child(3) .blocks")


@pytest.mark.clause("ASK-1")
def test_a_plan_comes_again_as_people_want_it_changed(page: Any, until: Until) -> None:
    enter(page, until)
    asks(page, until, "make a plan to find the slow release", APPROVE)

    page.find("#replies [data-action='everthread_change']").click()
    until(lambda: page.all("#modal[open]"), "a window opens")
    page.find("#modal textarea").send_keys("ask Bob first")
    page.find("#modal [data-modal='submit']").click()

    until(lambda: "As you wished: ask Bob first" in "".join(cards(page)), "the changed plan is there", EDITS)
    until(lambda: page.all("#replies [data-action='everthread_reject']"), "it can be rejected")
    page.find("#replies [data-action='everthread_reject']").click()
    assert "I do nothing of it" in completed(page, until)


@pytest.mark.clause("ASK-1", "ASK-5")
def test_an_approval_is_denied_with_a_reason_and_nothing_is_charged(page: Any, until: Until) -> None:
    page.resize(1500, 660)
    enter(page, until)
    asks(page, until, "charge 40", APPROVE)
    assert '"amount": 40' in "".join(cards(page))
    page.picture("playground-approval", ".pane.thread")

    page.find(DENY).click()
    until(lambda: page.all("#modal[open]"), "a window opens")
    page.find("#modal textarea").send_keys("too much for a test")
    page.find("#modal [data-modal='submit']").click()

    assert "too much for a test" in completed(page, until)
    until(lambda: "Denied by @ann" in "".join(cards(page)), "the card says who denied it", EDITS)
    assert page.fact("effects") == "none"


def test_an_approval_lets_the_call_happen_once(page: Any, until: Until) -> None:
    enter(page, until)
    asks(page, until, "charge 41", APPROVE)
    become(page, "bob")

    page.find(APPROVE).click()

    assert "charged 41 euros" in completed(page, until)
    assert "Approved by @bob" in "".join(cards(page))
    assert "/charge 1×" in page.fact("effects")
    assert "41" in page.text("#knots .cut.effect")
