"""The list of mutants keeps up with the contract and with the code."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mutants import Mutant, mutants
from tests.rules.tree import ROOT, listed


def test_every_clause_has_a_mutant_and_every_mutant_a_clause() -> None:
    assert {mutant.clause for mutant in mutants()} == set(listed())


def test_every_mutant_breaks_one_line_that_is_there(tmp_path: Path) -> None:
    for mutant in mutants():
        copy = tmp_path / mutant.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / mutant.file, copy)
        assert mutant.breaks(tmp_path) != copy.read_text(encoding="utf-8")


@pytest.mark.parametrize("old", ["x = 1", "y = 1"])
def test_a_line_that_is_gone_or_there_twice_is_said_with_its_clause(tmp_path: Path, old: str) -> None:
    (tmp_path / "a.py").write_text("x = 1\nx = 1\n", encoding="utf-8")

    with pytest.raises(ValueError, match="STEP-1"):
        Mutant("STEP-1", "a.py", old, "x = 2").breaks(tmp_path)
