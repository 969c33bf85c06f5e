"""Whether what stands in Slack is all that a run said."""

from __future__ import annotations

import pytest

from playground.scenarios.shown import is_fenced, is_whole

TEXT = "Look:\n```py\na = 1\nb = 2\nc = 3\n```\nDone."


@pytest.mark.parametrize(
    "posts",
    [
        [TEXT],
        ["Look:\n```py\na = 1\n```", "```py\nb = 2\nc = 3\n```\nDone.\n2 of 2"],
        ["Look:\na = 1\nb = 2", "c = 3 Done."],
        ["Look:\na = 1 &lt;\N{ZERO WIDTH SPACE}", "b = 2\nc = 3\nDone."],
    ],
)
def test_a_text_is_whole_however_it_is_cut(posts: list[str]) -> None:
    assert is_whole(TEXT, posts)


@pytest.mark.parametrize(
    "posts",
    [
        [],
        ["Look:\n```py\na = 1\n```", "```py\nc = 3\n```\nDone."],
        ["```py\nb = 2\nc = 3\n```\nDone.", "Look:\n```py\na = 1\n```"],
        ["Look:\na = 1\nb = 2\nc = 3\nDone"],
    ],
)
def test_a_text_of_which_something_is_missing_or_in_the_wrong_place_is_not_whole(posts: list[str]) -> None:
    assert not is_whole(TEXT, posts)


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("no fence", True),
        ("```py\na\n```", True),
        ("````md\n```\na\n```\n````", True),
        ("```a``` is no fence", True),
        ("```py\na", False),
        ("````\na\n```", False),
        ("~~~\na\n```", False),
        ("```py\na\n```\n```", False),
    ],
)
def test_a_fence_is_closed_by_its_like(text: str, closed: bool) -> None:
    assert is_fenced(text) is closed
