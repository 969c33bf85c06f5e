"""What may stand in no file, and what every page that is read by people has to keep true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everthread.console import HELP
from tests.rules.tree import ROOT, name_of, tracked

REGISTRIES = ("pypi" + ".org", "python" + "hosted", "npm" + "js.org", "index" + "-url", "extra-" + "index")
TOKEN = re.compile(
    r"xox[a-z]-[0-9A-Za-z]{8,}|xapp-[0-9A-Za-z]{8,}|sk-ant-[0-9A-Za-z]{8,}|gh[pousr]_[0-9A-Za-z]{20,}"
    r"|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY"
)
SOMEBODYS_PATH = re.compile(r"(?<![\w.~}*-])/(?:home|root|Users|work|mnt)/\w")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`([\w.-]+/[\w./-]+\.(?:py|lua|md|toml|json|yaml|html))`")
MAKE = re.compile(r"(?:`|^ {4,})make ([a-z]+)\b", re.MULTILINE)
COMMAND = re.compile(r"(?:`|^\s*(?:\$ )?|\s{4})everthread ([a-z]+)\b", re.MULTILINE)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def found(pattern: re.Pattern[str], path: Path) -> list[str]:
    return [match.group() for match in pattern.finditer(path.read_text(encoding="utf-8"))]


@pytest.mark.clause("SEC-1")
def test_no_file_holds_anything_shaped_like_a_secret() -> None:
    assert {name_of(path): hits for path in tracked() if (hits := found(TOKEN, path))} == {}


def test_no_file_names_a_package_registry() -> None:
    pattern = re.compile("|".join(map(re.escape, REGISTRIES)))
    ours = [path for path in tracked() if path.name not in ("Makefile", Path(__file__).name)]
    assert {name_of(path): hits for path in ours if (hits := found(pattern, path))} == {}


def test_no_file_holds_a_path_of_somebodys_machine() -> None:
    assert {name_of(path): hits for path in tracked() if (hits := found(SOMEBODYS_PATH, path))} == {}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_and_every_file_that_a_page_mentions_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    files = [name for name in PATH.findall(text) if not (ROOT / name).exists() and not name.startswith("bench/out/")]
    assert (links, files) == ([], [])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_that_a_page_mentions_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(MAKE.findall(text)) - targets == set()
    assert set(COMMAND.findall(text)) - set(HELP) == set()


def test_every_decision_is_short_and_numbered_in_order() -> None:
    decisions = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [path.name[:4] for path in decisions] == [f"{n:04}" for n in range(1, len(decisions) + 1)]
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in decisions}
    assert {name: length for name, length in lengths.items() if length > 40} == {}
