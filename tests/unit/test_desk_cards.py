"""What the operator's verbs answer in Slack: within its limits, whatever people, models and tools said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards.card import Card
from bot.cards.desk_card import done_card, inspection_card, run_line, runs_card, told, usage_card, why_card
from bot.cards.home_card import Home, closed_home, home_card
from bot.cards.moment import moment
from bot.cards.settings_window import MODES, picked, settings_window
from bot.cards.words import age
from playground.standins.slack.blocks import check_blocks, shown_text
from playground.standins.slack.limits import enforce
from playground.standins.slack.text import escape, notified
from playground.standins.slack.views import check_view
from store.desk import (
    Done,
    Inspection,
    Means,
    PostRow,
    RunPage,
    RunRow,
    Setting,
    Spending,
    StepRow,
    WaitRow,
    WaitRows,
    Why,
)

THREAD = "T0TEAM/C0GENERAL/1800000000.000100"
NASTY = st.sampled_from(
    ["<!channel>", "<@U1>", "@here", "|", ">", "*", "```", "&", "\x00", "\ud83d", "粗体", "🎉", "U0ANN"]
)
WORDS = st.lists(st.one_of(NASTY, st.text(max_size=20)), max_size=8).map("".join)
LONG = st.one_of(WORDS, st.tuples(WORDS, st.integers(1, 400)).map(lambda pair: pair[0] * pair[1]))
ROWS = st.lists(
    st.builds(RunRow, st.just(THREAD), LONG, LONG, st.sampled_from(["U0ANN", "", "odd one"]), st.floats(0, 2e9), LONG),
    max_size=30,
).map(tuple)
PAGES = st.builds(RunPage, ROWS, st.sampled_from([None, "0.20"]), st.integers(0, 10_000), st.just(1.9e9))
WAITS = st.builds(
    WaitRow,
    id=st.just("w1"),
    run=st.just("r1"),
    thread=st.sampled_from([THREAD, "T0TEAM/D0ANN/1800000000.000100"]),
    kind=st.sampled_from(["question", "plan", "approval"]),
    title=LONG,
    asker=st.just("U0ANN"),
    asked=st.floats(1, 2e9),
    deadline=st.sampled_from([0.0, 1.9e9]),
    who=st.just(()),
)
WHYS = st.builds(
    Why,
    thread=st.just(THREAD),
    run=st.just("r1"),
    status=LONG,
    asker=st.just("U0ANN"),
    asked=st.just(1.0),
    now=st.just(9.0),
    says=st.lists(LONG, max_size=60).map(tuple),
    means=st.lists(st.builds(Means, LONG, LONG), max_size=60).map(tuple),
    waits=st.just(()),
    people=st.just(("U0ANN", "S0OPS", "console:ann", "<x>")),
)
STEPS = st.builds(
    StepRow, st.just(1), LONG, st.just("done"), st.floats(0, 1e6), st.none(), LONG, LONG, st.integers(0, 9)
)
INSPECTIONS = st.builds(
    Inspection,
    thread=st.just(THREAD),
    run=st.just("r1"),
    status=st.just("running"),
    asker=st.just("U0ANN"),
    asked=st.just(1.0),
    now=st.just(9.0),
    asks=LONG,
    model=st.just("claude-sonnet-5-5"),
    steps=st.lists(STEPS, max_size=60).map(tuple),
    waits=st.lists(st.tuples(WAITS, LONG), max_size=40).map(tuple),
    posts=st.just((PostRow("reply", "stands", "1.2"),)),
    tokens=st.just(1),
    cost=st.just(1),
    restarts=st.just(0),
    footer=st.just(""),
)
SPENT = Spending(20_000_000, (("2026-11-29", 1_500_000), ("2026-11-28", 0), ("2026-11-27", 20)), (("edit", 3, 48),))
ASKER = "@U0ANN"


def link(thread: str) -> str:
    return f"https://acme.slack.com/archives/{thread.split('/')[1]}/p1"


def holds(card: Card) -> None:
    assert card.text
    enforce("update text", len(escape(card.text).encode()))
    check_blocks(card.blocks)
    assert set(notified(shown_text(card.blocks))) <= {ASKER, "!subteam^S0OPS"}


@pytest.mark.clause("REPLY-7")
@settings(deadline=None, max_examples=60)
@given(PAGES, WHYS, INSPECTIONS, LONG)
def test_every_answer_is_within_slacks_limits_and_rings_nobody_but_whom_it_names(
    page: RunPage, why: Why, inspection: Inspection, text: str
) -> None:
    holds(runs_card(page, link, mine=False, more="/everthread runs 0.20"))
    holds(why_card(why, link))
    holds(inspection_card(inspection, link))
    holds(done_card(Done("done", THREAD, "r1", text or "x"), link))
    holds(usage_card(SPENT))
    if text.strip():
        assert notified(shown_text(told(text).blocks)) == []


@pytest.mark.clause("REPLY-7")
@settings(deadline=None, max_examples=60)
@given(st.lists(WAITS, max_size=40), PAGES, st.booleans(), st.integers(0, 10_000))
def test_a_home_tab_is_within_slacks_limits(waits: list[WaitRow], page: RunPage, admin: bool, more: int) -> None:
    home = Home(WaitRows(waits, more, 9.0), page, page if admin else None, SPENT if admin else None)
    view = home_card(home, link)
    check_view(view, "home")
    assert set(notified(shown_text(view["blocks"]))) <= {ASKER}


@settings(deadline=None, max_examples=40)
@given(st.lists(st.builds(Setting, WORDS, LONG, st.sampled_from(["default", "environment", "chosen"])), max_size=80))
def test_a_window_of_settings_is_within_slacks_limits(found: list[Setting]) -> None:
    for channel in ("C0GENERAL", "D0ANN"):
        check_view(settings_window(channel, "all", found), "modal")


def test_what_was_picked_comes_back_and_anything_else_is_refused() -> None:
    view = settings_window("C1", None, [])
    for value, mode in (*((one, one) for one in MODES), ("as_set", None)):
        values: dict[str, Any] = {"everthread_listen": {"mode": {"selected_option": {"value": value}}}}
        assert picked(view, values) == ("C1", mode)
    for values in ({}, {"everthread_listen": {"mode": {"selected_option": {"value": "loud"}}}}):
        with pytest.raises(ValueError, match="no window of ours"):
            picked(view, values)


def test_a_run_is_told_in_two_lines_and_an_asker_by_name() -> None:
    row = RunRow(THREAD, "r7", "parked", "U0ANN", 100.0, "a person: its money is spent")
    assert run_line(row, 400.0, link) == (
        "*parked* · <https://acme.slack.com/archives/C0GENERAL/p1|r7> · <@U0ANN> · asked 5 min ago\n"
        "a person: its money is spent"
    )


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-1, "0 s"), (59, "59 s"), (60, "1 min"), (3_600, "1 h"), (172_799, "47 h"), (200_000, "2 days")],
)
def test_an_age_is_as_coarse_as_one_says_it(seconds: float, said: str) -> None:
    assert age(seconds) == said


def test_a_moment_is_shown_in_the_readers_own_time() -> None:
    assert moment(0.0) == "<!date^0^{date_short_pretty} {time}|1970-01-01 00:00 UTC>"


def test_a_tab_that_shows_nothing_says_why() -> None:
    check_view(closed_home("Not now."), "home")


def test_a_blank_sentence_is_left_out() -> None:
    why = Why(THREAD, "r1", "running", "U0ANN", 1.0, 9.0, says=("", " ", "It works."), means=(), waits=(), people=())
    holds(why_card(why, link))
    assert shown_text(why_card(why, link).blocks).count("It works.") == 1
