"""A long text in pieces: whole, within its limit, fences and tables readable in each."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.cards.chunk import Chunk, chunks
from bot.cards.fences import open_fence
from bot.cards.text import harmless
from playground.standins.slack.text import notified

MARKS = [
    "```",
    "```py\n",
    "~~~~\n",
    "> ```\n",
    "| a | b |\n",
    "|---|---|\n",
    "> ",
    "- ",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "   " * 60,
]
WORDS = ["a" * 90, "word ", "One. ", "。", "**粗体**和", "👩🏽‍🚀", "&lt;", "@here", "ann@here ", "<!channel>", "<@U1>"]
PIECES = st.sampled_from([*MARKS, *WORDS])
TEXTS = st.lists(
    st.tuples(st.one_of(PIECES, st.text(max_size=12)), st.integers(1, 30)).map(lambda pair: pair[0] * pair[1]),
    max_size=30,
).map("".join)


def shown(text: str, limit: int = 1_000) -> list[str]:
    return [chunk.text for chunk in chunks(text, limit)]


def ink(text: str) -> str:
    return "".join(harmless(text).split()).replace("\N{ZERO WIDTH SPACE}", "")


@pytest.mark.clause("REPLY-4")
@settings(deadline=None, max_examples=120)
@given(TEXTS.map(harmless), st.integers(min_value=400, max_value=900))
@example("`" * 32 + "z" * 60 + "\n" + "y" * 3000, 400)
@example("word " * 100 + "```js is not code", 500)
@example(" " * 30_000 + "x" + "\n" * 30_000 + "y", 400)
@example("a" * 457 + "ann@here" + "b" * 500, 500)
def test_any_text_splits_and_joins_back_with_fences_balanced_and_no_limit_passed(text: str, limit: int) -> None:
    found: list[Chunk] = list(chunks(text, limit))
    assert "".join(chunk.piece for chunk in found) == text
    for chunk in found:
        assert len(chunk.text) <= limit
        assert open_fence(chunk.text) is None
        assert ink(chunk.body) == ink(chunk.piece)
        assert chunk.text.strip() or not text.strip()
        assert notified(chunk.text) == []
        assert harmless(chunk.text) == chunk.text


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize("size", [3_999, 4_001, 45_000])
def test_a_fence_that_is_open_at_each_cut_is_closed_and_opened_again_with_its_language(size: int) -> None:
    lines = "\n".join(f"line {n:05}" for n in range(size))[: size - 9]
    pieces = shown(f"```py\n{lines}\n```", 3_900)
    assert len(pieces) == (size + 3_899) // 3_900
    for piece in pieces:
        assert piece.startswith("```py\nline ")
        assert piece.endswith("\n```")
    code = "\n".join(piece.removeprefix("```py\n").removesuffix("\n```") for piece in pieces)
    assert code == lines


def test_a_text_is_cut_at_paragraphs_first() -> None:
    text = "\n\n".join(["word " * 30 + "end."] * 20)
    pieces = shown(text)
    assert "\n\n".join(pieces) == text
    assert all(piece.endswith("end.") for piece in pieces)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("\n".join(["word " * 20 + "end"] * 30), "end"),
        ("A sentence of words that goes on. " * 60, "on."),
        ("これは長い文章です。" * 200, "。"),
        ("word " * 600, "word"),
        ("x" * 3_000, "x"),
    ],
)
def test_then_at_lines_sentences_spaces_and_characters(text: str, ends: str) -> None:
    pieces = shown(text)
    assert len(pieces) > 1
    assert all(piece.endswith(ends) for piece in pieces)
    assert all(len(piece) > 450 for piece in pieces[:-1])


@pytest.mark.clause("REPLY-4")
def test_a_table_that_fits_is_never_cut() -> None:
    table = "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 55
    pieces = shown(f"Some words before.\n{table}\nAnd after.")
    assert [table.strip() in piece for piece in pieces].count(True) == 1


@pytest.mark.clause("REPLY-4")
def test_a_table_that_does_not_fit_is_cut_between_rows_under_its_header() -> None:
    rows = [f"| {n} | cell |" for n in range(200)]
    pieces = shown("\n".join(["| a | b |", "|---|---|", *rows]))
    assert all(piece.startswith("| a | b |\n|---|---|\n| ") for piece in pieces)
    assert [row for piece in pieces for row in piece.split("\n")[2:]] == rows


def test_a_quoted_fence_is_opened_again_within_its_quotation() -> None:
    pieces = shown("> ```sh\n" + "> ls -l\n" * 300 + "> ```")
    assert all(piece.startswith("> ```sh\n> ls") and piece.endswith("\n> ```") for piece in pieces)


def test_a_nested_fence_is_closed_by_its_own_mark() -> None:
    pieces = shown("````md\n" + "```\ninner\n```\n" * 150 + "````")
    assert all(piece.startswith("````md\n") and piece.endswith("\n````") for piece in pieces)


def test_words_within_a_line_do_not_become_a_fence_by_a_cut() -> None:
    pieces = shown("word " * 190 + "```js " + "word " * 300)
    assert not any(piece.startswith("```") for piece in pieces)


def test_a_character_is_not_torn_apart() -> None:
    astronaut = "👩🏽‍🚀"
    assert all(len(piece) % len(astronaut) == 0 for piece in shown(astronaut * 600))
    assert all(not piece.startswith("\u0301") for piece in shown("e\u0301" * 1_500, 999))


def test_megabytes_are_cut_in_little_time() -> None:
    hard = ("```py\n" + "x = 1\n" * 5_000 + "```\n\n" + "| a | b |\n|---|---|\n" + "| c | d |\n" * 5_000) * 20
    began = time.process_time()
    assert "".join(chunk.piece for chunk in chunks(hard, 11_500)) == hard
    assert time.process_time() - began < 5
