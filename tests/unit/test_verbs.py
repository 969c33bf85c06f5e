"""The operator's verbs on the command line: tables for people, JSON for programs, and an exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest

from everthread import exits, shown
from everthread.console import main, parser
from everthread.verbs import VERBS, operate
from store.desk import Means, RunPage, RunRow, Why
from tests.scene import SECRET, Scene


def run(capsys: pytest.CaptureFixture[str], *lines: Sequence[str]) -> list[tuple[int, str, str]]:
    """Exit code, stdout and stderr of each command, typed one after the other; `move` stands for its thread."""
    found: list[tuple[int, str, str]] = []

    def look(scene: Scene) -> None:
        for words in lines:
            given = parser().parse_args([scene.threads.get(word, word) for word in words])
            code = operate(given, scene.desk, "console:ann")
            found.append((code, *capsys.readouterr()))

    Scene().play(look)
    return found


@pytest.mark.clause("ADMIN-1")
def test_a_list_is_a_table_whose_columns_begin_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    [(code, out, _)] = run(capsys, ["runs"])

    head, *rows = [line for line in out.splitlines() if line][:-1]
    for column in ("STATUS", "ASKED BY", "AGE", "THREAD", "WAITS FOR"):
        at = head.index(column)
        assert [row[at - 1] for row in rows if row[at] == " " or row[at - 1] != " "] == [], column
    assert (code, len(rows)) == (0, 9)
    assert out.endswith("8 threads are owed.\n")


@pytest.mark.clause("ADMIN-1")
def test_every_verb_prints_its_record_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    verbs = [["runs"], ["why", "move"], ["inspect", "move"], ["stop", "move"], ["resume", "bill"], ["heal", "bill"]]
    printed = run(capsys, *[[*verb, "--json"] for verb in [*verbs, ["usage"], ["settings"]]])

    runs, why, inspected, stopped, resumed, healed, usage, settings = [json.loads(out) for _, out, _ in printed]
    assert {code for code, _, _ in printed} == {0}
    assert {row["status"] for row in runs["rows"]} >= {"waiting", "parked", "running"}
    assert why["waits"][0]["title"] == "Which region?"
    assert inspected["steps"][0]["what"] == "model call 1"
    assert (stopped["did"], resumed["did"], healed["did"]) == ("done", "done", "again")
    assert usage["limit"] == 20_000_000
    assert {one["source"] for one in settings} == {"default", "environment"}
    assert SECRET not in "".join(out for _, out, _ in printed)


@pytest.mark.clause("ADMIN-1")
def test_exit_codes_tell_what_is_not_there_from_what_cannot_be_done_now(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        ["why", "nowhere at all"],
        ["heal", "move"],
        ["stop", "hello"],
        ["runs", "--cursor", "x"],
        ["stop", "move"],
    ]
    codes = [(code, bool(out), err) for code, out, err in run(capsys, *lines)]

    assert [code for code, _, _ in codes] == [exits.NOT_THERE, exits.NOT_NOW, exits.NOT_NOW, exits.SETTINGS, 0]
    assert codes[0][2].startswith("everthread why: 'nowhere at all' names nothing: give a thread")
    assert codes[3][2] == "everthread runs: 'x' is no cursor: give the one that a list before ended with\n"
    assert all(out and not err for _, out, err in (codes[1], codes[2], codes[4]))


@pytest.mark.clause("ADMIN-1")
def test_the_help_of_every_command_names_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    codes = {value for value in vars(exits).values() if isinstance(value, int)} | {0, 1}
    for words in ([], *([verb] for verb in VERBS)):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--help"])
        out = " ".join(capsys.readouterr().out.split())
        assert ended.value.code == 0
        assert {int(code) for code in re.findall(r"(?:: |, )(\d+) ", out.partition("Exit codes")[2])} == codes
    assert set(exits.MEANINGS) == codes


@pytest.mark.clause("ADMIN-1")
@pytest.mark.parametrize(
    "words", [["why"], ["runs", "--limit", "0"], ["stop", "a", "b"], ["usage", "x"], ["resolve", "x"]]
)
def test_bad_input_gets_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == exits.SETTINGS
    assert capsys.readouterr().err.startswith("usage: everthread")


def test_wide_characters_take_two_columns_and_an_empty_list_is_said() -> None:
    rows = [RunRow("T/C/1", run, "waiting", "U1", 0.0, "x") for run in ("日本", "e\u0301", "abcd")]
    lines = shown.runs(RunPage(rows, "0.3", 9, 1.0)).splitlines()
    assert lines[1:4] == [
        "日本  waiting  U1        ?    T/C/1   x",
        "e\u0301     waiting  U1        ?    T/C/1   x",
        "abcd  waiting  U1        ?    T/C/1   x",
    ]
    assert lines[-1] == "9 threads are owed. More: everthread runs --cursor 0.3"
    assert shown.runs(RunPage([], None, 0, 1.0)) == "Nothing is owed."


def test_why_is_said_in_sentences_and_then_what_each_button_does() -> None:
    found = Why("T/C/1", "r1", "parked", "", 0.0, 9.0, ("It is parked.",), (Means("heal", "ends it"),), (), ())
    assert shown.why(found) == "run r1 in T/C/1: parked\n  It is parked.\n\n  heal  ends it"
