"""What the command line says of itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everthread import exits
from everthread.console import main

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_help_names_every_exit_code_that_the_operators_page_and_the_code_list(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = " ".join(capsys.readouterr().out.partition("Exit codes:")[2].split())
    listed = codes(r"^\| (\d+) ", exits.__doc__ or "")
    assert codes(r"(?:^|, )(\d+) ", said.strip()) == listed
    assert codes(r"^\| (\d+) ", OPERATIONS.read_text(encoding="utf-8")) == listed


def codes(pattern: str, text: str) -> list[int]:
    return [int(code) for code in re.findall(pattern, text, re.MULTILINE)]
