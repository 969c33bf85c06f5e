"""A scenario's tools, as its file describes them, for the worker: `EVERTHREAD_TOOLS=playground.scenarios.tools:tools`.

What they do happens elsewhere (`effects.py`); here is only the call of it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from playground.scenarios.scenario import ToolPlan
from worker.tools.context import ToolContext
from worker.tools.tool import Tool, ToolError

PLANS, EFFECTS = "PLAYGROUND_TOOLS", "PLAYGROUND_EFFECTS"
"""Variables of a worker's environment: the plans as JSON, and the port at which effects happen."""
LONGEST_TOOL = 600.0
Do = Callable[[ToolPlan, ToolContext, Mapping[str, Any]], str | bytes]


def tools() -> list[Tool]:
    """The tools that this process' environment describes."""
    given = json.loads(os.environ[PLANS])
    plans = [ToolPlan(**{**plan, "takes": tuple(plan["takes"])}) for plan in given["plans"]]
    return [make(plan, given["arguments"].get(plan.name, {}), do) for plan in plans]


def described(plans: Sequence[ToolPlan], model: Iterable[Mapping[str, Any]]) -> str:
    """Plans and their arguments for `PLANS`; a tool takes what the script's calls give it.

    What it answers is said where it happens, and may be far too long for an environment.
    """
    short = [asdict(plan) | {"effect": "", "output": ""} for plan in plans]
    return json.dumps({"plans": short, "arguments": arguments_of(model)})


def arguments_of(model: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """By tool, an example of each argument that any call of the script gives."""
    found: dict[str, dict[str, Any]] = {}
    for turn in model:
        for call in turn.get("calls") or ():
            found.setdefault(call["name"], {}).update(call.get("input") or {})
    return found


def make(plan: ToolPlan, examples: Mapping[str, Any], act: Do) -> Tool:
    """The tool of a plan; `act` does it."""
    fields: dict[str, Any] = {name: (type(example), ...) for name, example in examples.items()}
    arguments: type[BaseModel] = create_model(plan.name, __config__=ConfigDict(extra="forbid"), **fields)

    def run(context: ToolContext, **given: Any) -> str | bytes:
        return act(plan, context, given)

    title = " ".join([plan.name, *(f"{{{name}}}" for name in examples)])
    return Tool(plan.name, f"{plan.name}, of a scenario.", plan.replay, arguments, run, title, unknown=plan.unknown)


def do(plan: ToolPlan, context: ToolContext, given: Mapping[str, Any]) -> str | bytes:
    """Have the effect outside, wait for its end, and answer as the plan says."""
    asked = {"tool": plan.name, "key": context.key, "arguments": dict(given), "pid": os.getpid()}
    with socket.create_connection(("127.0.0.1", int(os.environ[EFFECTS])), timeout=LONGEST_TOOL) as line:
        line.sendall(json.dumps(asked).encode() + b"\n")
        said = line.makefile().readline()
    if not said:
        raise ToolError("the world went away", retryable=True)
    answer = json.loads(said)
    if answer.get("die"):
        os.kill(os.getpid(), signal.SIGKILL)
    if "fails" in answer:
        raise ToolError(answer["fails"])
    return answered(plan, str(answer["output"]))


def answered(plan: ToolPlan, output: str) -> str | bytes:
    """What the tool gives back: the text, or the bytes that it stands for."""
    return output.encode("utf-8", "surrogateescape") if plan.raw else output
