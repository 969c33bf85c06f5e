"""The agent that the settings describe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from everthread.answering import answerers_of, approvers_of
from everthread.exits import SETTINGS, CannotStart
from everthread.settings import Settings
from worker.agent import SYSTEM, Agent
from worker.tools.builtin import builtin_tools
from worker.tools.tool import Tool


def agent_of(settings: Settings) -> Agent:
    """An agent with the settings' model, limits and tools; `CannotStart` when a tool cannot be had."""
    try:
        built_in = builtin_tools(
            sorted(settings.http_post),
            settings.fetch_ports if settings.fetch else (),
            answerers_of(settings),
            approvers_of(settings),
            settings.patience,
        )
    except ValueError as error:
        raise CannotStart(SETTINGS, f"EVERTHREAD_HTTP_POST: {error}") from error
    tools = [*built_in, *(tool for name in sorted(settings.tools) for tool in tools_of(name))]
    twice = sorted(name for name, count in Counter(tool.name for tool in tools).items() if count > 1)
    if twice:
        raise CannotStart(SETTINGS, f"EVERTHREAD_TOOLS: there are two tools called {', '.join(twice)}; rename one")
    return Agent(
        tools=tuple(tools),
        model=settings.model,
        system=SYSTEM if not settings.instructions else f"{SYSTEM}\n{settings.instructions}",
        effort=settings.effort,
        max_tokens=settings.max_tokens,
        max_turns=settings.max_turns,
        max_active=settings.active_time,
        max_concurrent_tools=settings.tools_at_once,
    )


def tools_of(name: str) -> list[Tool]:
    """What `module:name` stands for: a tool, several, or a function that gives them."""
    module, _, attribute = name.partition(":")
    try:
        found: Any = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise CannotStart(SETTINGS, f"EVERTHREAD_TOOLS: {name} cannot be loaded: {error}") from error
    if callable(found) and not isinstance(found, Tool):
        found = found()
    tools = list(found) if isinstance(found, Iterable) else [found]
    if not all(isinstance(tool, Tool) for tool in tools):
        raise CannotStart(SETTINGS, f"EVERTHREAD_TOOLS: {name} holds something that was not made with @tool")
    return tools
