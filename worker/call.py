"""A tool call: prepared when its turn is recorded, executed by the batch, finished by its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from store.record import Record
from store.redaction import masked
from store.stepkey import StepKey
from store.values import digest_of, form
from worker.agent import Agent
from worker.tools.tool import BadArgumentsError, Replay, Tool

MAX_CALLS = 4096
"""Calls a run may make in all (TOOL-5)."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model answer, with its arguments as they will be used.

    refusal: why it will not run at all; answer: what a preflight said instead. Either way nothing has happened.
    """

    key: StepKey
    name: str
    title: str
    arguments: Mapping[str, Any]
    replay: Replay
    tool: Tool | None = None
    refusal: str = ""
    answer: str | None = None
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fingerprint", digest_of([self.name, self.arguments]))

    @property
    def marked(self) -> bool:
        """Whether a pending record must be durable before its handler starts."""
        if self.tool is None or self.refusal or self.answer is not None:
            return False
        return self.replay != "safe" or self.tool.mark_started

    def body(self) -> dict[str, Any]:
        """What every record of this call says about it."""
        return {
            "name": self.name,
            "title": self.title,
            "args": dict(self.arguments),
            "policy": self.replay,
            "fingerprint": self.fingerprint,
            "tool": self.tool.digest if self.tool is not None else "",
        }


def prepare(run: str, turn: int, answer: Record, agent: Agent, marks: Mapping[str, Record]) -> list[Call]:
    """The calls of a recorded answer, in order.

    A call whose mark was recorded keeps the arguments of that mark. An answer that did not end for its tools
    (`max_tokens`) may hold half a call, so none of its calls runs.
    """
    reason = answer.body["stop_reason"]
    cut = "" if reason == "tool_use" else f"Not run: the answer ended with {reason} in the middle of it. Ask again."
    calls = []
    for block in answer.body["content"]:
        if block.get("type") == "tool_use":
            key = StepKey(run, turn, block["id"])
            calls.append(_prepare(key, block, agent, cut, marks.get(str(key))))
    return calls


def _prepare(key: StepKey, block: Mapping[str, Any], agent: Agent, cut: str, mark: Record | None) -> Call:
    name, given = str(block["name"]), block.get("input", {})
    tool = agent.tool(name)
    if tool is None:
        return Call(key, name, name, {}, "unsafe", refusal=f"Not run: there is no tool {name!r} here.")
    if cut:
        return Call(key, name, name, {}, tool.replay, tool, refusal=cut)
    if mark is not None:
        return Call(key, name, mark.body["title"], mark.body["args"], mark.body["policy"], tool)
    try:
        arguments, _ = form(tool.validate(given))
    except BadArgumentsError as error:
        return Call(key, name, name, {}, tool.replay, tool, refusal=str(error))
    answer = None
    if tool.preflight is not None:
        decided = tool.preflight(arguments)
        if isinstance(decided, str):
            answer = decided
        else:
            arguments = tool.validate(decided)
    return Call(key, name, tool.title(masked(arguments)), arguments, tool.replay, tool, answer=answer)


def unique_ids(content: Sequence[Mapping[str, Any]], turn: int, taken: set[str]) -> list[dict[str, Any]]:
    """The answer's blocks with call ids unique in the run: an empty one named by its place, a repeated one counted.

    The rule depends on nothing but the records, and is applied once, before the answer is recorded.
    """
    used: set[str] = set()
    blocks = []
    for place, block in enumerate(content):
        fresh = dict(block)
        if fresh.get("type") == "tool_use":
            wanted = str(fresh.get("id") or f"call_{turn}_{place}")
            name, n = wanted, 2
            while name in used or name in taken or name.startswith("#") or name == "model":
                name, n = f"{wanted}-{n}", n + 1
            used.add(name)
            fresh["id"] = name
        blocks.append(fresh)
    return blocks
