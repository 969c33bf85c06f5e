"""From a file to a scenario; whatever is wrong with it is said with its line."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from playground.scenarios.keys import Key, Place, known
from playground.scenarios.pieces import spelled
from playground.scenarios.scenario import Condition, Scenario, Step, ToolPlan
from playground.standins.claude.turn import Turn

SUBJECTS = (
    *("tool", "model", "run", "steps", "commit", "admit", "answer", "slack", "refused", "reply", "card", "deadline"),
    *("claims", "owner", "worker", "workers", "bots", "acked", "lost", "status", "session", "whisper"),
)
"""The keys of `when` of which there is exactly one."""
SECONDS = re.compile(r"(\d+(?:\.\d+)?)(ms|s)?")


class _Loader(yaml.SafeLoader):
    """YAML in which only true and false are flags: `on` is a word."""


_Loader.yaml_implicit_resolvers = {
    letter: [
        (tag, re.compile("true|false") if tag.endswith(":bool") else pattern)
        for tag, pattern in resolvers
        if not tag.endswith(":bool") or letter in "tf"
    ]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class ScenarioError(ValueError):
    """A scenario file that cannot be used: where, what, and what would be right."""


def read(path: Path) -> Scenario:
    """The scenario in a file; `ScenarioError` at the first thing wrong in it."""
    return _Reader(path).scenario()


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._root = yaml.compose(path.read_text(encoding="utf-8"), _Loader)
        except OSError as error:
            raise ScenarioError(f"{path} cannot be read: {error.strerror}") from error
        except yaml.YAMLError as error:
            raise ScenarioError(f"{path} is not YAML: {error}") from error

    def scenario(self) -> Scenario:
        if self._root is None:
            raise ScenarioError(f"{self._path} is empty")
        given = self._mapping(self._root, "scenario")
        if "title" not in given:
            raise self._wrong(self._root, "a scenario needs a title")
        parts = {name: self._value(node, known("scenario")[name]) for name, node in given.items()}
        nodes = {name: given.get(name) for name in ("tools", "model", "play", "expect")}
        scenario = Scenario(
            path=self._path,
            title=parts["title"],
            cases=tuple(parts.get("cases", ())),
            settings=parts.get("settings", {}),
            slack=parts.get("slack", {}),
            as_is=parts.get("as_is", False),
            transports=parts.get("transports", known("scenario")["transports"].choices),
            may_vary=tuple(parts.get("may_vary", ())),
            bots=parts.get("bots", 2),
            workers=parts.get("workers", 2),
            tools=tuple(self._tool(*item) for item in self._pairs(nodes["tools"])),
            model=tuple(self._turn(node) for node in self._items(nodes["model"])),
            play=tuple(self._step(node) for node in self._items(nodes["play"])),
            expect=self._values(nodes["expect"], "expect") if nodes["expect"] is not None else {},
        )
        self._check_names(scenario)
        return scenario

    def _tool(self, name: yaml.ScalarNode, node: yaml.Node) -> ToolPlan:
        found = self._values(node, "tool")
        return ToolPlan(
            name=str(name.value),
            replay=found.get("replay", "unsafe"),
            unknown=found.get("unknown", "report"),
            takes=found.get("takes", (0.0,)),
            effect=found.get("effect", ""),
            output=found.get("output", ""),
            fails=found.get("fails", ""),
            kills=found.get("kills_the_worker", False),
            raw=found.get("bytes", False),
        )

    def _turn(self, node: yaml.Node) -> Mapping[str, Any]:
        turn = _plain(node)
        try:
            if isinstance(turn, dict) and "text" in turn:
                turn["text"] = spelled(turn["text"])
            if isinstance(turn, dict):
                turn["calls"] = [_spelled_out(call) for call in turn.get("calls") or ()]
            Turn.parse(turn)
        except (ValueError, TypeError) as error:
            raise self._wrong(node, str(error)) from error
        return dict(turn)

    def _step(self, node: yaml.Node) -> Step:
        found = self._values(node, "step")
        given = self._mapping(node, "step")
        when = self._condition(given["when"]) if "when" in given else None
        acts = {name: value for name, value in found.items() if name != "when"}
        if when is None and not any(known("step")[name].act for name in acts):
            raise self._wrong(node, "a step waits for something or does something")
        return Step(acts, when, node.start_mark.line + 1)

    def _condition(self, node: yaml.Node) -> Condition:
        found = self._values(node, "when")
        subjects = [name for name in SUBJECTS if name in found]
        if len(subjects) != 1:
            raise self._wrong(node, f"a condition is about one of {', '.join(SUBJECTS)}")
        subject = subjects[0]
        return Condition(
            subject=subject,
            of=str(found[subject]),
            nth=found.get("nth", 1),
            happens=found.get("is", ""),
            turn=found.get("turn"),
            tokens=found.get("tokens", 0),
            on=found.get("on", ""),
            containing=found.get("containing", ""),
            line=node.start_mark.line + 1,
        )

    def _check_names(self, scenario: Scenario) -> None:
        for name, line in _tools_spoken_of(scenario):
            if scenario.tool(name) is None:
                raise ScenarioError(f"{self._path}:{line}: there is no tool {name!r} in this scenario")
        for step in scenario.play:
            if "drop" in step.acts and scenario.transports != ("socket",):
                raise ScenarioError(f"{self._path}:{step.line}: only with `transports: [socket]` are there any to drop")

    def _values(self, node: yaml.Node, place: Place) -> dict[str, Any]:
        table = known(place)
        return {name: self._value(value, table[name]) for name, value in self._mapping(node, place).items()}

    def _mapping(self, node: yaml.Node, place: Place) -> dict[str, yaml.Node]:
        """A mapping's nodes by key, every key known."""
        table = known(place)
        found: dict[str, yaml.Node] = {}
        for key, value in self._pairs(node):
            name = str(key.value)
            if name not in table:
                near = difflib.get_close_matches(name, table, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(table)}"
                raise self._wrong(key, f"unknown key {name!r} in {_PLACES[place]}; {hint}")
            if name in found:
                raise self._wrong(key, f"the key {name!r} is there twice")
            found[name] = value
        return found

    def _value(self, node: yaml.Node, key: Key) -> Any:
        value = _plain(node)
        match key.form:
            case "text" if isinstance(value, (str, int, float, list)) and not isinstance(value, bool):
                return self._text(node, value)
            case "texts" if isinstance(value, list) and all(isinstance(item, (str, int)) for item in value):
                return tuple(str(item) for item in value)
            case "count" if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
                return value
            case "number" if isinstance(value, (int, float)) and not isinstance(value, bool):
                return float(value)
            case "counts" if isinstance(value, dict) and all(isinstance(n, int) for n in value.values()):
                return {str(name): n for name, n in value.items()}
            case "settings" if isinstance(value, dict):
                return {str(name): _setting(item) for name, item in value.items()}
            case "flag" if isinstance(value, bool):
                return value
            case "seconds":
                return self._seconds(node, value)
            case "choice" if value in key.choices:
                return value
            case "choices" if isinstance(value, list) and value and set(value) <= set(key.choices):
                return tuple(value)
            case "mapping" if isinstance(value, dict):
                return value
            case "files" if isinstance(value, dict):
                return {
                    str(name): item if isinstance(item, dict) else self._text(node, item)
                    for name, item in value.items()
                }
            case "list" if isinstance(value, list):
                return value
            case "filled" if isinstance(value, list) and not any(isinstance(item, dict) for item in value):
                return value
        of = "a list of some" if key.form == "choices" else "one"
        wanted = f"{of} of {', '.join(key.choices)}" if key.choices else _FORMS[key.form]
        raise self._wrong(node, f"{key.name} is {wanted}, not {value!r}")

    def _text(self, node: yaml.Node, value: Any) -> str:
        try:
            return spelled(value)
        except ValueError as error:
            raise self._wrong(node, str(error)) from error

    def _seconds(self, node: yaml.Node, value: Any) -> tuple[float, ...]:
        found = []
        for item in value if isinstance(value, list) else [value]:
            written = SECONDS.fullmatch(str(item))
            if written is None:
                raise self._wrong(node, f"takes is a time such as 2s or 300ms, or a list of them, not {item!r}")
            found.append(float(written[1]) / (1000 if written[2] == "ms" else 1))
        return tuple(found)

    def _pairs(self, node: yaml.Node | None) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
        if node is None:
            return []
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, "this is a mapping of keys to values")
        return list(node.value)

    def _items(self, node: yaml.Node | None) -> list[yaml.Node]:
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            raise self._wrong(node, "this is a list")
        return list(node.value)

    def _wrong(self, node: yaml.Node, what: str) -> ScenarioError:
        return ScenarioError(f"{self._path}:{node.start_mark.line + 1}: {what}")


_PLACES: Mapping[Place, str] = {
    "scenario": "a scenario",
    "tool": "a tool",
    "step": "a step",
    "when": "a condition",
    "expect": "what is expected",
}
_FORMS = {
    "text": "a text",
    "texts": "a list of texts",
    "count": "a whole number from 0",
    "counts": "a mapping of names to whole numbers",
    "number": "a number",
    "flag": "true or false",
    "settings": "a mapping of environment variables",
    "mapping": "a mapping",
    "files": "a mapping of names to contents",
    "list": "a list",
    "filled": "a list of texts, of lists of labels, or null for what is left as it is",
}


def _spelled_out(call: Any) -> Any:
    """A call in whose input a long text may be `{repeat: …, times: n}`."""
    if not isinstance(call, dict) or not isinstance(call.get("input"), dict):
        return call
    given = {
        name: spelled([value]) if isinstance(value, dict) and "repeat" in value else value
        for name, value in call["input"].items()
    }
    return {**call, "input": given}


def _setting(item: Any) -> str:
    """A variable's value; lists and mappings as JSON."""
    return json.dumps(item) if isinstance(item, (list, dict)) else str(item)


def _plain(node: yaml.Node) -> Any:
    """The node's value; a scalar, or lists and mappings of them."""
    loader = _Loader("")
    try:
        return loader.construct_object(node, deep=True)
    finally:
        loader.dispose()


def _tools_spoken_of(scenario: Scenario) -> list[tuple[str, int]]:
    found = [
        (step.when.of, step.when.line)
        for step in scenario.play
        if step.when is not None and step.when.subject == "tool"
    ]
    return found + [(step.acts["finish"], step.line) for step in scenario.play if "finish" in step.acts]
