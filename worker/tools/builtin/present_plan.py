"""A plan that people approve before anything of it is done, and whose card then shows how far it is."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from store.wait import Answer, Answerers
from worker.card import PLAN_PROGRESS
from worker.tools.ask import Ask
from worker.tools.builtin.ask_user import ASIDE, LATE
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, tool

MOST_STEPS = 20


def plan_tools(answerers: Answerers, seconds: float) -> tuple[Tool, Tool]:
    """Presenting a plan, and saying where it stands.

    answerers: who may approve. seconds: how long it waits, 0 for ever.
    """

    @tool(name="present_plan", replay="safe", composite=True, title="presenting a plan: {title}")
    def present_plan(
        context: ToolContext,
        title: Annotated[str, Field(min_length=1, max_length=150, description="what the plan is for, one line")],
        steps: Annotated[
            list[Annotated[str, Field(min_length=1, max_length=500)]], Field(min_length=1, max_length=MOST_STEPS)
        ],
    ) -> str:
        """Show a plan and wait until people approve it, ask for changes or reject it. Do nothing of it before."""
        return worded(
            context.ask("answer", Ask("plan", title, steps=tuple(steps), answerers=answerers, seconds=seconds))
        )

    @tool(name=PLAN_PROGRESS, replay="safe", title="the plan goes on")
    def plan_progress(
        context: ToolContext,
        done: Annotated[list[int], Field(max_length=MOST_STEPS, description="the numbers of all steps done so far")],
        doing: Annotated[int, Field(ge=0, description="the number of the step under way, 0 for none")] = 0,
    ) -> str:
        """Say how far the approved plan is, so that its card shows it. Steps count from 1."""
        context.show_plan(done, doing)
        return "shown"

    return present_plan, plan_progress


def worded(answer: Answer) -> str:
    """A decision as the model reads it."""
    said = f" They say: {answer.words}" if answer.words else ""
    match answer.how, answer.verdict:
        case "deadline", _:
            return f"{LATE} The plan is not approved: do nothing of it."
        case "aside", _:
            return ASIDE.format(by=answer.by)
        case _, "approve":
            return f"<@{answer.by}> approved the plan.{said} Carry it out, and say with {PLAN_PROGRESS} how far it is."
        case _, "change":
            return f"<@{answer.by}> asks for changes.{said} Present the changed plan before you do anything of it."
        case _:
            return f"<@{answer.by}> rejected the plan.{said} Do nothing of it."
