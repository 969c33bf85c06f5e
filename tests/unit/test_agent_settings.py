"""The agent that the settings describe."""

from __future__ import annotations

import pytest

from everthread.agent import agent_of
from everthread.exits import CannotStart
from everthread.settings import Settings
from worker.agent import SYSTEM
from worker.tools.tool import Tool, tool


@tool(replay="safe")
def look_up(word: str) -> str:
    """Look a word up."""
    return word


def several() -> list[Tool]:
    return [look_up]


HERE = __name__


def settings(**given: object) -> Settings:
    return Settings.model_validate(given)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "my_tools", sys.modules[HERE])


def test_the_settings_shape_the_agent() -> None:
    agent = agent_of(settings(model="m", max_turns=7, tools_at_once=2, active_time=60, instructions="Be kind."))
    assert (agent.model, agent.max_turns, agent.max_concurrent_tools, agent.max_active) == ("m", 7, 2, 60)
    assert agent.system == f"{SYSTEM}\nBe kind."
    assert agent.tool("current_time") is not None
    assert agent.tool("http_post") is None


def test_posting_is_possible_only_where_an_address_is_allowed() -> None:
    assert agent_of(settings(http_post={"https://example.invalid/hook"})).tool("http_post") is not None
    with pytest.raises(CannotStart, match="EVERTHREAD_HTTP_POST: 'example' is not an address"):
        agent_of(settings(http_post={"example"}))


def test_pages_are_read_unless_that_is_switched_off() -> None:
    assert agent_of(settings()).tool("fetch_url") is not None
    assert agent_of(settings(fetch=False)).tool("fetch_url") is None
    reading = agent_of(settings(fetch_ports="8080")).tool("fetch_url")
    assert reading is not None
    assert reading.preflight is not None
    assert "only 8080" in reading.preflight({"url": "http://example.com/"})


@pytest.mark.parametrize("name", ["my_tools:look_up", "my_tools:several"])
def test_tools_of_your_own_are_named_by_module_and_name(name: str) -> None:
    assert agent_of(settings(tools={name})).tool("look_up") is look_up


@pytest.mark.clause("OPS-3")
@pytest.mark.parametrize(
    ("names", "says"),
    [
        ({"nowhere_at_all:x"}, "cannot be loaded"),
        ({"my_tools:missing"}, "cannot be loaded"),
        ({"my_tools"}, "cannot be loaded"),
        ({"my_tools:HERE"}, "not made with @tool"),
        ({"my_tools:look_up", "my_tools:several"}, "two tools called look_up"),
    ],
)
def test_a_tool_that_cannot_be_had_is_said_in_one_line(names: set[str], says: str) -> None:
    with pytest.raises(CannotStart, match=says) as raised:
        agent_of(settings(tools=names))
    assert raised.value.code == 2
