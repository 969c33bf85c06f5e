"""A run's state as a Slack message."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot.cards.button import DROP, STOP, Aim
from bot.cards.card import Card
from bot.cards.done_card import done_card
from bot.cards.layout import file_text, parts
from bot.cards.notice_card import notice_card
from bot.cards.part_card import part_card
from bot.cards.reply_card import reply_card
from bot.cards.told_card import told_card
from bot.cards.words import minutes
from bot.reply.signs import line
from playground.standins.slack.blocks import check_blocks, shown_text
from playground.standins.slack.limits import enforce
from playground.standins.slack.text import escape, notified
from store.lifecycle import SETTLED, STATUSES, Status
from store.view import CallState, CallView, Form, RunView

THREAD = "T0TEAM/C0GENERAL/1800000000.000100"


def view(status: Status = "running", **more: Any) -> RunView:
    return RunView(run="r7", thread=THREAD, asker="U0ANN", status=status, **more)


def strings(card: Card) -> list[str]:
    """Every text of the card, in order."""
    found = []
    for block in card.blocks:
        for part in (block, *block.get("elements", ())):
            text = part.get("text")
            if isinstance(text, dict):
                found.append(text["text"])
            elif (isinstance(text, str) and part is block) or part.get("type") == "plain_text":
                found.append(str(text))
    return found


def action(card: Card) -> tuple[str, str] | None:
    for block in card.blocks:
        if block["type"] == "actions":
            [button] = block["elements"]
            return button["action_id"], button["value"]
    return None


@pytest.mark.clause("REPLY-6")
def test_while_it_works_it_shows_what_it_does_its_calls_its_text_and_stop() -> None:
    calls = (
        CallView("list files", "done"),
        CallView("charge 5", "running", resumed=True),
        CallView("send mail", "interrupted"),
        CallView("look up", "failed"),
        CallView("wait", "pending"),
    )
    card = reply_card(view(doing="running charge", text="On it.", calls=calls, elapsed=42.7, queued=2))
    assert strings(card) == [
        "Running charge · 0:42",
        "✓ list files\n▸ charge 5 (resuming)\n? send mail (may or may not have happened)\n✗ look up\n○ wait",
        "On it.",
        "2 messages wait",
        "Stop",
    ]
    assert action(card) == (STOP, f"{THREAD}|r7|U0ANN")
    assert card.text == "Running charge · 0:42\n\nOn it."


@pytest.mark.clause("REPLY-6")
def test_a_resumed_run_says_so_while_it_works() -> None:
    assert strings(reply_card(view(resumed=True)))[0] == "Working · 0:00 · resuming"


@pytest.mark.clause("REPLY-6")
def test_a_settled_run_is_its_text_and_one_footer_line() -> None:
    footer = "2:13 · 4,100 tokens · $0.03 · survived 1 restart: 14 steps kept, 0 repeated"
    calls = (CallView("charge 5", "done"),)
    card = reply_card(view("completed", text="**Done**", calls=calls, footer=footer, resumed=True, queued=1))
    assert [block["type"] for block in card.blocks] == ["markdown", "context"]
    assert strings(card) == ["**Done**", footer]
    assert card.text == "**Done**"


@pytest.mark.parametrize(
    ("status", "more", "shown", "button"),
    [
        ("failed", {"note": "The model refused the request."}, ["The model refused the request."], None),
        ("failed", {}, ["This run failed."], None),
        ("aborted", {"text": "Half", "note": "Stopped by Bob."}, ["Half", "Stopped by Bob."], None),
        ("aborted", {"queued": 2}, ["Stopped.", "Drop 2 messages"], DROP),
        ("completed", {}, ["Done, with nothing to say."], None),
        ("healed", {}, ["This run was closed without an answer."], None),
        ("parked", {"note": "It is spent."}, ["Needs a person · 0:00", "It is spent.", "Stop"], STOP),
    ],
)  # fmt: skip
def test_an_ending_says_why_in_a_plain_sentence(
    status: Status, more: dict[str, Any], shown: list[str], button: str | None
) -> None:
    card = reply_card(view(status, **more))
    assert strings(card) == shown
    assert (found[0] if (found := action(card)) else None) == button


def test_many_calls_are_shown_as_the_latest_few() -> None:
    calls = tuple(CallView(f"call {n}", "done") for n in range(1, 31))
    lines = strings(reply_card(view(calls=calls)))[1].split("\n")
    assert lines[0] == "… 22 before"
    assert lines[-1] == "✓ call 30"
    assert len(lines) == 9


@pytest.mark.clause("SEC-2")
def test_a_secret_in_what_it_does_is_masked_on_the_reply_and_beside_it() -> None:
    token = "xo" + "xb-123456789-abcdef"
    shown = view(doing=f"running post as {token}", calls=(CallView(f"fetching https://a:{token}@b.test", "done"),))

    assert token not in json.dumps(reply_card(shown).blocks) + reply_card(shown).text + line(shown)
    assert "✓ fetching https://a:***@b.test" in strings(reply_card(shown))[1]


def test_a_long_text_shows_its_end_while_it_grows_and_its_start_when_it_is_over() -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "word " * 40 for n in range(200))
    growing, (over, pointer) = (
        strings(reply_card(view(text=text)))[1],
        strings(reply_card(view("completed", text=text))),
    )
    assert growing.endswith(text.rstrip()[-100:] + " ")
    assert text.startswith(over)
    assert over.endswith("word")
    assert pointer == f"The whole answer ({len(text):,} characters) is in the file below."


@pytest.mark.clause("REPLY-4")
def test_a_text_of_three_posts_is_numbered_and_whole() -> None:
    text = "\n\n".join(f"Paragraph {n}. " + "word " * 40 + "end." for n in range(120))
    run = view("completed", text=text, footer="4 s")
    assert parts(run) == ("reply.2", "reply.3")
    first, *later = [strings(card) for card in (reply_card(run), part_card(run, 2), part_card(run, 3))]
    assert first[1:] == ["1 of 3 · goes on below", "4 s"]
    assert [number for _, number in later] == ["2 of 3", "3 of 3"]
    assert "\n\n".join([first[0], *(said for said, _ in later)]) == text


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize(
    ("form", "fileless", "behind", "shown"),
    [
        ("shrunk", False, ("file",), "The whole answer (9,000 characters) is in the file below."),
        ("shrunk", True, (), "6,048 more characters could not be shown here."),
        ("plain", False, ("file",), "The whole answer (9,000 characters) is in the file below."),
        ("plain", True, (), "6,200 more characters could not be shown here."),
        ("file", False, ("file",), "The whole answer (9,000 characters) is in the file below."),
        ("file", True, (), "Slack refused to show this answer (9,000 characters)."),
        ("notice", False, (), "Slack refused to show the answer (9,000 characters). It is kept as run r7."),
    ],
)
def test_what_slack_refuses_is_shown_in_a_plainer_form(
    form: Form, fileless: bool, behind: tuple[str, ...], shown: str
) -> None:
    run = view("completed", text="Word. " * 1_500, form=form, fileless=fileless)
    assert parts(run) == behind
    card = reply_card(run)
    assert shown in [*strings(card), card.text.split("\n")[0]]
    assert ("markdown" in [block["type"] for block in card.blocks]) == (form == "shrunk")


def test_a_short_text_keeps_its_words_in_a_plainer_form_and_needs_no_file() -> None:
    for form in ("shrunk", "plain"):
        run = view("completed", text="**Done**, a < b", form=form)
        assert parts(run) == ()
        assert strings(reply_card(run)) == ["**Done**, a < b" if form == "shrunk" else "**Done**, a &lt; b"]


@pytest.mark.clause("REPLY-4")
def test_markdown_of_every_kind_is_shown_as_it_was_written() -> None:
    text = (
        "| 名前 | n |\n|---|---|\n| **粗体**和 | 1 |\n\n````md\n```py\nx = a < b && c\n```\n````\n\n"
        "It says &lt;b&gt;, **粗体**和 _x_."
    )
    run = view("completed", text=f"{text} <!channel> <@U1>")
    card = reply_card(run)
    [shown] = strings(card)
    assert shown.startswith(text)
    assert shown.replace("\N{ZERO WIDTH SPACE}", "") == run.text
    assert notified(shown) == notified(card.text) == []


@pytest.mark.clause("REPLY-5")
def test_the_asker_alone_is_told_where_it_was_and_what_came_of_it() -> None:
    card = told_card(view("failed", text="Half", note="The model refused."))
    place = "What you asked in <#C0GENERAL> is over, but I cannot show it there."
    assert strings(card) == [place, "Half", "The model refused.", "run r7"]
    assert card.text == f"{place}\n\nHalf\n\nThe model refused."
    assert file_text(view("completed", text="<@U1> \ud83d")).decode() == "<@U1> \ufffd"


def test_the_done_post_mentions_the_asker_and_nobody_else() -> None:
    card = done_card(view("completed", elapsed=133))
    assert card.text == "<@U0ANN> done · 2:13"
    assert notified(card.text) == ["@U0ANN"]
    assert notified(done_card(RunView("r7", THREAD, "<!channel>", "failed")).text) == []


def test_a_notice_says_why_and_which_run() -> None:
    card = notice_card(view("parked", note="It crashed 3 times in a row."))
    assert strings(card) == ["It crashed 3 times in a row.", "run r7"]


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (7.9, "0:07"), (760, "12:40"), (3723, "1:02:03"), (-1, "0:00")]
)
def test_elapsed_is_shown_in_minutes(seconds: float, shown: str) -> None:
    assert minutes(seconds) == shown


def test_a_button_leads_back_to_its_run() -> None:
    aim = Aim.parse(f"{THREAD}|r7|U0ANN")
    assert (str(aim.thread), aim.run, aim.asker) == (THREAD, "r7", "U0ANN")
    assert str(aim) == f"{THREAD}|r7|U0ANN"
    assert Aim.parse(f"{THREAD}|r7").asker == ""


NASTY = st.sampled_from(
    ["<!channel>", "<@U1>", "<!subteam^S1>", "@here", "```", "~~~\n", "&", "\x00", "\ud83d", "粗体", "🎉"]
)
WORDS = st.lists(st.one_of(NASTY, st.text(max_size=30)), max_size=12).map("".join)
LONG = st.tuples(WORDS, st.integers(min_value=1, max_value=3_000)).map(lambda pair: pair[0] * pair[1])
CALLS = st.lists(
    st.builds(CallView, st.one_of(WORDS, LONG), st.sampled_from(get_args(CallState)), st.booleans()), max_size=12
).map(tuple)
VIEWS = st.builds(
    RunView,
    run=st.just("r7"),
    thread=st.just(THREAD),
    asker=st.just("U0ANN"),
    status=st.sampled_from(STATUSES),
    doing=st.one_of(WORDS, LONG),
    text=st.one_of(WORDS, LONG),
    calls=CALLS,
    elapsed=st.floats(min_value=0, max_value=1e7),
    resumed=st.booleans(),
    queued=st.integers(min_value=0, max_value=1_000),
    footer=st.one_of(WORDS, LONG),
    note=st.one_of(WORDS, LONG),
    form=st.sampled_from(get_args(Form)),
    fileless=st.booleans(),
)


def cards(run: RunView) -> list[Card]:
    """Every post of this run."""
    numbers = [int(part[-1]) for part in parts(run) if part != "file"]
    return [reply_card(run), notice_card(run), told_card(run), *(part_card(run, number) for number in numbers)]


@pytest.mark.clause("REPLY-7", "REPLY-4")
@settings(deadline=None, max_examples=100)
@given(VIEWS)
def test_any_run_renders_within_slacks_limits_and_mentions_nobody(run: RunView) -> None:
    for card in cards(run):
        assert 0 < len(card.text.encode()) <= 3_800
        assert sum(len(block["text"]) for block in card.blocks if block["type"] == "markdown") <= 12_000
        assert len(card.blocks) <= 50
        enforce("update text", len(escape(card.text).encode()))
        check_blocks(card.blocks)
        for block, parsed in zip(card.blocks, Block.parse_all(card.blocks), strict=True):
            assert parsed.to_dict()["type"] == block["type"]
        assert notified(card.text) == []
        assert notified(shown_text(card.blocks)) == []
        assert notified("\n".join(strings(card))) == []
        json.dumps(card.blocks, ensure_ascii=False).encode()
    wanted = run.status not in SETTLED or (run.status == "aborted" and run.queued > 0)
    assert (action(reply_card(run)) is not None) == (wanted and run.form != "notice")


@pytest.mark.clause("REPLY-6")
def test_a_run_that_waits_shows_no_time_that_would_stand_still() -> None:
    view = RunView("r1", "T1/C1/1.0", "U1", "waiting", elapsed=62.0)
    assert "1:02" not in json.dumps(reply_card(view).blocks)
    assert "1:02" in json.dumps(reply_card(replace(view, status="running")).blocks)
