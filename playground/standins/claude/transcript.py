"""A request's conversation in one canonical form, and digests of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Json = dict[str, Any]

THINKING = ("thinking", "redacted_thinking")
NEWS = ("<news", "<system")
"""How a text block starts that tells the model something and asks nothing."""


def digest(*values: Any) -> str:
    """64 hex digits over the values' canonical JSON."""
    written = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def blocks_of(content: Any) -> list[Json]:
    """Content as blocks without their cache markers, which may move freely."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [{key: value for key, value in block.items() if key != "cache_control"} for block in content]


def without_thinking(blocks: Iterable[Json]) -> list[Json]:
    return [block for block in blocks if block.get("type") not in THINKING]


@dataclass(frozen=True)
class Transcript:
    """What a request says so far: `messages` are `{role, content: [block, …]}`."""

    model: str
    system: list[Json]
    tools: list[Json]
    messages: list[Json]

    @classmethod
    def read(cls, body: Json) -> Transcript:
        """From a request that passed the checks of its shape."""
        return cls(
            model=body["model"],
            system=blocks_of(body.get("system") or []),
            tools=blocks_of(body.get("tools") or []),
            messages=[
                {"role": message["role"], "content": blocks_of(message["content"])} for message in body["messages"]
            ],
        )

    @cached_property
    def digest(self) -> str:
        """What a call is counted by: two calls with the same one asked the same thing."""
        return digest(self.model, self.system, self.tools, self.messages)

    @cached_property
    def bound(self) -> list[str]:
        """Per message, what stands before it: model, system, tools and messages, thinking left out."""
        return _chain(digest(self.model, self.system, self.tools), self.messages, thinking=False)

    @cached_property
    def said(self) -> list[str]:
        """Per message, the conversation before it alone: tool ids come from it."""
        return _chain("", self.messages, thinking=False)

    @cached_property
    def cached(self) -> list[str]:
        """Per message, everything before it: what a prompt cache would find again."""
        return _chain(digest(self.model, self.system, self.tools), self.messages, thinking=True)

    @cached_property
    def prompt_at(self) -> int:
        """Where somebody last asked something: the last user message with a text block; -1 if nowhere."""
        return next(
            (at for at in reversed(range(len(self.messages))) if _asks(self.messages[at])),
            -1,
        )

    @property
    def prompt(self) -> str:
        return "\n".join(self.asked)

    @property
    def asked(self) -> list[str]:
        """The prompt's texts: neighbours of one role come as one message."""
        return _asked(self.messages[self.prompt_at]) if self.prompt_at >= 0 else []

    def answers(self) -> list[int]:
        """Where the assistant spoke after the prompt."""
        return [at for at in range(self.prompt_at + 1, len(self.messages)) if self.messages[at]["role"] == "assistant"]

    def results(self) -> list[Json]:
        """The tool results of the last message."""
        return [block for block in self.messages[-1]["content"] if block.get("type") == "tool_result"]


def step(link: str, role: str, blocks: Iterable[Json], *, thinking: bool = False) -> str:
    """The digest of what `link` stands for and these blocks after it; how they are cut into messages is nothing
    to it, as callers may join neighbours of one role."""
    for block in blocks if thinking else without_thinking(blocks):
        link = digest(link, role, block)
    return link


def _chain(seed: str, messages: Sequence[Json], *, thinking: bool) -> list[str]:
    links = [seed]
    for message in messages:
        links.append(step(links[-1], message["role"], message["content"], thinking=thinking))
    return links


def _asked(message: Json) -> list[str]:
    texts = [block["text"] for block in message["content"] if block.get("type") == "text"]
    return [text for text in texts if not text.startswith(NEWS)]


def _asks(message: Json) -> bool:
    return message["role"] == "user" and bool(_asked(message))
