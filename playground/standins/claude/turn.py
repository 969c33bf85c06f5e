"""One answer as a script says it, and the blocks it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from playground.standins.claude.transcript import Json, digest

CALL_KEYS = frozenset({"name", "input", "id"})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; without an `id` it gets one that depends on the conversation before it."""

    name: str
    input: Json = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model says: thinking, text, other blocks, calls, in this order.

    thinking: "" is a block that is empty but signed. redacted: an opaque thinking block. blocks: any others,
    as they are. stop_reason: "tool_use" with calls and "end_turn" without, if not given; with "max_tokens" the last
    call's input is cut in the middle. tokens_per_second: as fast as it goes, if not given. chunk: tokens an event.
    on: starts a group of turns, for prompts that contain it.
    """

    text: str = ""
    thinking: str | None = None
    redacted: str | None = None
    blocks: tuple[Json, ...] = ()
    calls: tuple[Call, ...] = ()
    stop_reason: str = ""
    stop_details: Json = field(default_factory=dict)
    tokens_per_second: float | None = None
    chunk: int = 8
    on: str = ""

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Turn:
        """From a script; ValueError names what is wrong."""
        if unknown := set(given) - {known.name for known in fields(cls)}:
            raise ValueError(f"a turn has no {', '.join(sorted(unknown))}")
        turn = dict(given)
        for call in given.get("calls") or ():
            if unknown := set(call) - CALL_KEYS:
                raise ValueError(f"a call has no {', '.join(sorted(unknown))}")
        turn["calls"] = tuple(Call(**call) for call in given.get("calls") or ())
        turn["blocks"] = tuple(given.get("blocks") or ())
        return cls(**turn)

    @property
    def stop(self) -> str:
        return self.stop_reason or ("tool_use" if self.calls else "end_turn")

    @property
    def cuts_last_call(self) -> bool:
        return bool(self.calls) and self.stop == "max_tokens"

    def content(self, said: str, *, summarized: bool = True) -> list[Json]:
        """The answer's blocks after what was `said`, thinking not yet signed."""
        content: list[Json] = []
        if self.thinking is not None:
            content.append({"type": "thinking", "thinking": self.thinking if summarized else "", "signature": ""})
        if self.redacted is not None:
            content.append({"type": "redacted_thinking", "data": ""})
        if self.text:
            content.append({"type": "text", "text": self.text})
        content += [dict(block) for block in self.blocks]
        for number, call in enumerate(self.calls):
            call_id = call.id or f"toolu_01{digest(said, number)[:22]}"
            content.append({"type": "tool_use", "id": call_id, "name": call.name, "input": call.input})
        return content
