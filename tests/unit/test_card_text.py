"""Text from the model or a tool: harmless, whole, and readable."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.cards.fences import closed, head, open_fence, tail
from bot.cards.text import clip, escaped, harmless, in_bytes, one_line
from playground.standins.slack.text import notified

SPECIAL = [
    "<!channel>",
    "<!here|here>",
    "<!everyone>",
    "<!subteam^S1|@team>",
    "<@U1>",
    "<@W1|bob>",
    "<#C1|general>",
]
HALVES = [special[:cut] for special in SPECIAL for cut in range(1, len(special))] + ["<!date", "<!", "<@", "<#", "!"]
EXPANDED = re.compile(r"<(?:[@#][A-Z0-9]+(?:\|[^<>]*)?|!(?!DOCTYPE\b)[A-Za-z][^<>]*)>")
"""What Slack makes a mention, a link to a channel or a command of: with `<` and `>` as they are."""
PIECES = st.sampled_from(
    [
        *SPECIAL,
        *HALVES,
        "everyone>",
        "U1>",
        "<",
        ">",
        "&",
        "@here",
        "@channel",
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        " ",
        "a" * 40,
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=60).map("".join)


@pytest.mark.clause("REPLY-7")
@pytest.mark.parametrize("special", [*SPECIAL, "<!CHANNEL>", "<!date^1^{date}|x>"])
def test_a_special_form_mentions_nobody_and_stays_readable(special: str) -> None:
    for made in (harmless(f"ask {special} now"), escaped(f"ask {special} now")):
        assert special not in made
        assert notified(made) == []
        assert special.strip("<>") in made


@pytest.mark.clause("REPLY-7")
@pytest.mark.parametrize("text", ["@here", "(@channel)", "ask @everyone, now", "<!channel>@here"])
def test_a_typed_broadcast_is_broken(text: str) -> None:
    assert "@here" not in harmless(text)
    assert "@channel" not in harmless(text)
    assert "@everyone" not in harmless(text)


@pytest.mark.clause("REPLY-7")
@settings(deadline=None, max_examples=200)
@given(TEXTS, st.data())
def test_nothing_that_comes_out_is_expanded_by_slack_also_not_pieces_put_together(
    text: str, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(min_value=0, max_value=len(text)))
    for made in (harmless(text), harmless(text[:cut]) + harmless(text[cut:]), escaped(text)):
        assert EXPANDED.findall(made) == []
    assert harmless(harmless(text)) == harmless(text)


@pytest.mark.clause("REPLY-7")
@pytest.mark.parametrize(
    "half", ["<!everyon", "<!here", "<!e", "<!", "<", "<@U12", "<@", "<#C12", "<#", "<@U1|bo", "<!future^x"]
)
def test_half_a_special_form_is_broken_too(half: str) -> None:
    assert harmless(f"ask {half}") == f"ask <\u200b{half[1:]}"


@pytest.mark.parametrize(
    "code",
    [
        "<!DOCTYPE html><!-- note --><a href='x'>",
        "<!doctype html><![CDATA[x]]><!ELEMENT note (to)>",
        "a <b, 1 <# 2",
        "List<@NonNull String> x = a < b && c > d;",
        "mail ann@here.example, @herein, @channels, #here",
        "<https://example.com|a link>",
        "&lt;b&gt;",
        "**粗体**和 bold | a | b |\n|---|---|",
    ],
)
def test_code_and_links_stay_as_they_were(code: str) -> None:
    assert harmless(code) == code


def test_what_slack_would_read_as_a_sign_is_escaped() -> None:
    assert escaped("a < b && c > d") == "a &lt; b &amp;&amp; c &gt; d"
    assert harmless("nul \x00 and half a \ud83d") == "nul \ufffd and half a \ufffd"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 10, "short"),
        ("longer than ten", 10, "longer th…"),
        ("a<<<<<<<<<<", 10, "a&lt;&lt;…"),
        ("&" * 3, 14, "&amp;&amp;…"),
    ],
)
def test_a_clipped_text_ends_between_characters_and_entities(text: str, limit: int, expected: str) -> None:
    assert clip(text, limit) == expected


@settings(deadline=None, max_examples=60)
@given(TEXTS, st.integers(min_value=3, max_value=200))
def test_a_clipped_text_is_within_its_bytes(text: str, limit: int) -> None:
    made = clip(text, limit, in_bytes)
    assert len(made.encode()) <= limit
    assert notified(made) == []


def test_one_line_has_no_line_ends() -> None:
    assert one_line(" run\n\tthe  <job>\r\n", 40) == "run the &lt;job&gt;"


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("```py\nx", "```py"),
        ("```py\nx\n```", None),
        ("~~~~\n```\n~~~", "~~~~"),
        ("````md\n```\ninner\n```\n", "````md"),
        ("````md\n```\ninner\n```\n````", None),
        ("a `code` b\n```not a fence``` c", None),
        ("1. do\n   ```sh\n   ls", "```sh"),
        ("- ```\n  x", "```"),
        ("> ```\n> x", "> ```"),
        ("`" * 40 + "\nx", None),
    ],
)
def test_an_open_fence_is_found(text: str, fence: str | None) -> None:
    found = open_fence(text)
    assert (found.opening.rstrip("\n") if found else None) == fence
    assert open_fence(closed(text)) is None


@pytest.mark.clause("REPLY-7")
@settings(deadline=None, max_examples=60)
@given(TEXTS, st.integers(min_value=400, max_value=700))
@example("```py\n" + "x = 1\n" * 400, 500)
@example("`" * 32 + "z" * 60 + "\n" + "y" * 3000, 400)
def test_a_cut_text_is_within_its_limit_and_leaves_no_fence_open(text: str, limit: int) -> None:
    for cut in (head(text, limit), tail(text, limit)):
        assert len(cut) <= limit
        assert open_fence(cut) is None


def test_the_head_is_cut_at_a_paragraph_and_says_how_much_is_missing() -> None:
    text = "\n\n".join(["word " * 30] * 20).rstrip()
    cut = head(text, 1_000)
    kept, _, note = cut.rpartition("\n\n")
    assert text.startswith(kept + " \n\n")
    assert note == f"(cut: {len(text) - len(kept)} more characters)"


def test_the_tail_starts_at_a_line_and_reopens_its_fence() -> None:
    text = "look:\n```py\n" + "\n".join(f"line {n}" for n in range(1_000)) + "\n```\nand so"
    cut = tail(text, 600)
    assert cut.startswith("…\n```py\nline ")
    assert cut.endswith("line 999\n```\nand so")
