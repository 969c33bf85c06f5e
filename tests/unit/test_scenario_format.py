"""Scenario files: what they may say, and how a slip in one is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from playground.scenarios.keys import KEYS
from playground.scenarios.reading import ScenarioError, read
from playground.scenarios.scenario import Condition, Scenario, ToolPlan

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "playground" / "scenarios").glob("*.yaml"))
WHOLE = """\
title: one of everything
cases: [F3]
settings: {EVERTHREAD_LEASE: 2}
bots: 1
tools:
  charge: {replay: unsafe, takes: [2s, 300ms], effect: "charged {amount}"}
model:
  - {text: "Charging.", calls: [{name: charge, input: {amount: 5}}]}
  - {on: more, text: "Done."}
play:
  - {user: bob, says: "@everthread charge 5", as: first}
  - {when: {tool: charge, is: started, nth: 2}, kill: job}
expect: {replies: 1, effects: {charge: 1}}
"""


def written(tmp_path: Path, text: str) -> Scenario:
    file = tmp_path / "a.yaml"
    file.write_text(text)
    return read(file)


def test_a_file_becomes_a_scenario_with_its_lines(tmp_path: Path) -> None:
    scenario = written(tmp_path, WHOLE)

    assert scenario.tools == (ToolPlan("charge", "unsafe", (2.0, 0.3), "charged {amount}"),)
    assert scenario.settings == {"EVERTHREAD_LEASE": "2"}
    assert (scenario.name, scenario.bots, scenario.workers) == ("a", 1, 2)
    assert scenario.play[0].acts == {"user": "bob", "says": "@everthread charge 5", "as": "first"}
    assert scenario.play[1].when == Condition("tool", "charge", 2, "started", line=12)
    assert scenario.model[1]["on"] == "more"


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        ("kill: job", "a.yaml:12: unknown key 'kil' in a step; did you mean 'kill'?"),
        ("nth: 2", "a.yaml:12: unknown key 'nt' in a condition"),
        ("bots: 1", "a.yaml:4: unknown key 'bot' in a scenario; did you mean 'bots'?"),
        ("replies: 1", "a.yaml:13: unknown key 'replie' in what is expected; did you mean 'replies'?"),
        ("effect: ", "a.yaml:6: unknown key 'effec' in a tool; did you mean 'effect'?"),
    ],
)
def test_an_unknown_key_is_named_with_its_line(tmp_path: Path, slip: str, said: str) -> None:
    key, colon, value = slip.partition(":")
    with pytest.raises(ScenarioError) as raised:
        written(tmp_path, WHOLE.replace(slip, key[:-1] + colon + value, 1))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("kill: job", "kill: boss", "a.yaml:12: kill is one of job, caller, worker"),
        ("300ms", "soon", "a.yaml:6: takes is a time such as 2s or 300ms, or a list of them, not 'soon'"),
        ("bots: 1", "bots: many", "a.yaml:4: bots is a whole number from 0, not 'many'"),
        ("{tool: charge,", "{", "a.yaml:12: a condition is about one of tool, model"),
        ("{tool: charge,", "{tool: refund,", "a.yaml:12: there is no tool 'refund' in this scenario"),
        ("as: first", "bill: first", "a.yaml:11: unknown key 'bill'"),
        ("text: Charging", "txt: Charging", "a.yaml:8: a turn has no txt"),
        ('"Charging."', "[{repeat: a}]", "a.yaml:8: a piece of a text is a text, or {repeat: a text, times: a number}"),
        ("title: one of everything", "cases: [F1]", "a.yaml:2: the key 'cases' is there twice"),
    ],
)
def test_a_wrong_value_is_said_with_what_would_be_right(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    text = WHOLE.replace('text: "Charging."', "text: Charging") if "txt" in wrong else WHOLE
    text = text.replace(right, wrong, 1)
    with pytest.raises(ScenarioError) as raised:
        written(tmp_path, text)
    assert said in str(raised.value)


def test_a_scenario_holds_over_both_transports_unless_it_says_otherwise(tmp_path: Path) -> None:
    assert written(tmp_path, WHOLE).transports == ("socket", "http")
    assert written(tmp_path, f"{WHOLE}transports: [http]\n").transports == ("http",)


@pytest.mark.parametrize("given", ["[]", "[pigeon]", "socket"])
def test_transports_that_do_not_exist_are_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(ScenarioError, match=r"a\.yaml:14: transports is a list of some of socket, http, not "):
        written(tmp_path, f"{WHOLE}transports: {given}\n")


def test_sockets_are_dropped_only_where_there_are_none_but_sockets(tmp_path: Path) -> None:
    dropping = WHOLE.replace("kill: job", "drop: sockets")

    with pytest.raises(ScenarioError, match=r"a\.yaml:12: only with `transports: \[socket\]` are there any to drop"):
        written(tmp_path, dropping)
    assert written(tmp_path, f"{dropping}transports: [socket]\n").transports == ("socket",)


def test_a_long_text_is_said_in_pieces(tmp_path: Path) -> None:
    scenario = written(
        tmp_path,
        """\
title: long
tools: {dump: {output: [{repeat: "{n:03} ", times: 2}, "end"]}}
model: [{text: ["a", {repeat: "line {n}\\n", times: 3}, "b"]}]
play: [{says: "@everthread go", files: {a.txt: [{repeat: x, times: 4}], b.png: {base64: iVBORw0KGgo=}}}]
expect: {final_text: ["a", {repeat: "line {n}\\n", times: 3}, "b"]}
""",
    )

    assert scenario.model[0]["text"] == scenario.expect["final_text"] == "aline 1\nline 2\nline 3\nb"
    assert scenario.tools[0].output == "001 002 end"
    assert scenario.play[0].acts["files"] == {"a.txt": "xxxx", "b.png": {"base64": "iVBORw0KGgo="}}


def test_settings_may_be_lists_and_a_calls_argument_a_long_text(tmp_path: Path) -> None:
    scenario = written(
        tmp_path,
        """\
title: rules
settings: {EVERTHREAD_RULES: [{tool: run, then: ask}]}
model: [{calls: [{name: run, input: {script: {repeat: "line {n};", times: 2}, more: {a: 1}}}]}]
""",
    )

    assert scenario.settings == {"EVERTHREAD_RULES": '[{"tool": "run", "then": "ask"}]'}
    assert scenario.model[0]["calls"][0]["input"] == {"script": "line 1;line 2;", "more": {"a": 1}}


def test_what_is_filled_in_is_a_list(tmp_path: Path) -> None:
    scenario = written(tmp_path, 'title: a\nplay: [{submits: ["why", null, [Red, Blue]]}]\n')
    assert scenario.play[0].acts == {"submits": ["why", None, ["Red", "Blue"]]}

    with pytest.raises(ScenarioError, match=r"a\.yaml:2: submits is a list of texts, of lists of labels, or null"):
        written(tmp_path, "title: a\nplay: [{submits: Red}]\n")


def test_every_key_is_documented() -> None:
    documented = (ROOT / "docs" / "scenarios.md").read_text()
    assert [key.name for key in KEYS if f"`{key.name}`" not in documented] == []


def test_every_choice_is_documented() -> None:
    documented = (ROOT / "docs" / "scenarios.md").read_text()
    assert [choice for key in KEYS for choice in key.choices if f"`{choice}`" not in documented] == []


def test_the_shipped_scenarios_can_be_read_and_name_the_cases_they_stand_for() -> None:
    cases = {case for file in SHIPPED for case in read(file).cases}
    edges = {"F4", "F5", "F6", "F7", "F8", "F10", "F15", "F26", "F27", "F29", "F30", "F36"}
    assert cases >= {"F1", "F2", "F3", "F12", "F14", "F18", "F20", "F37"} | edges
