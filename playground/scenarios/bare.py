"""A scenario without its own faults: what people, the model and the tools do. Deaths are placed in it from outside."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from playground.scenarios.scenario import Scenario

FAULTS = ("kill", "term", "freeze", "wake", "restart", "drop", "start", "deletes_card")
LONGEST = 0.3
"""Seconds that a tool takes at most where nobody waits for it on purpose."""
QUICK = {"EVERTHREAD_LEASE": "4", "EVERTHREAD_RENEWAL": "1"}
"""Settings unless the scenario has its own: a lease after whose end somebody soon takes over."""


def bare(scenario: Scenario) -> Scenario:
    """The same story without deaths, freezes and restarts, with tools that do not keep anybody waiting."""
    play = []
    for step in scenario.play:
        acts = {name: value for name, value in step.acts.items() if name not in FAULTS}
        if acts:
            play.append(replace(step, acts=acts))
    tools = tuple(replace(tool, takes=tuple(min(LONGEST, each) for each in tool.takes)) for tool in scenario.tools)
    settings = QUICK | dict(scenario.settings)
    return replace(scenario, play=tuple(play), tools=tools, settings=settings, workers=max(2, scenario.workers))


def same_story(scenario: Scenario) -> Hashable:
    """Equal for scenarios that differ only in their faults and in how long their tools take."""
    tools = tuple((tool.name, tool.replay, tool.effect, tool.kills, tool.fails) for tool in scenario.tools)
    return repr((tools, scenario.model, [step.acts for step in bare(scenario).play]))
