"""How the tree is laid out: small files with names that say what is in them, and Lua that cannot drift."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from store.redis.scripts import SHARED
from tests.rules.tree import SHIPPED, lua, name_of, python

MOST_LINES = 350
NAMELESS = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "base", "misc"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\bNotImplementedError\b")
PARTS = {part for parts in SHARED.values() for part in parts}
SCRIPTS = [path for path in lua() if path.stem not in PARTS]


def test_no_file_is_longer_than_one_can_read_at_once() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python(*SHIPPED)}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_every_module_is_named_for_what_it_holds() -> None:
    nameless = [name_of(path) for path in python(*SHIPPED, "tests") if NAMELESS & {path.stem, path.parent.name}]
    assert nameless == []


def test_nothing_that_is_shipped_is_unfinished() -> None:
    found = [
        f"{name_of(path)}:{number}"
        for path in [*python(*SHIPPED), *lua()]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert found == []


def test_every_module_says_what_it_is() -> None:
    silent = [
        name_of(path)
        for path in python(*SHIPPED)
        if (text := path.read_text(encoding="utf-8")).strip() and not text.startswith(('"""', 'r"""'))
    ]
    assert silent == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_names_its_keys_and_arguments_and_says_what_it_does(path: Path) -> None:
    first, second, third, *_ = path.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"local [a-z_, ]+ = unpack\(KEYS\)", first)
    assert re.fullmatch(r"local [a-z_, ]+ = unpack\(ARGV\)", second)
    assert third.startswith("-- ")


@pytest.mark.parametrize("path", [path for path in lua() if path.stem in PARTS], ids=lambda path: path.stem)
def test_a_shared_part_begins_with_what_it_is(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("-- Shared part: ")


@pytest.mark.parametrize("path", lua(), ids=lambda path: path.stem)
def test_lua_neither_parses_json_nor_asks_another_clock(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"cjson|cmsgpack|sha1hex|os\.time|math\.random|redis\.sha", text) == []


def test_every_script_is_loaded_with_its_parts() -> None:
    assert {path.stem for path in lua()} == set(SHARED) | PARTS
