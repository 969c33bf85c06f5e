"""An answer as server-sent events, piece by piece."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from playground.standins.claude.transcript import Json, Transcript

_TOKEN = re.compile(r"\s*[^\s]{1,7}|\s+")
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer before it goes out; `usage` is its final one."""

    id: str
    model: str
    content: list[Json]
    stop_reason: str
    stop_details: Json
    usage: Json
    chunk: int = 8
    cut_last_call: bool = False

    def message(self) -> Json:
        """As the service answers without streaming."""
        return {
            **self._head(),
            "content": self.content,
            "stop_reason": self.stop_reason,
            "stop_sequence": None,
            "stop_details": self.stop_details or None,
            "usage": self.usage,
        }

    def pieces(self) -> Iterator[Piece]:
        """Every event in order; message_stop comes last and alone."""
        start = {**self._head(), "content": [], "stop_reason": None, "stop_sequence": None}
        yield Piece({"type": "message_start", "message": start | {"usage": {**self.usage, "output_tokens": 1}}})
        yield Piece({"type": "ping"})
        for index, block in enumerate(self.content):
            last = index == len(self.content) - 1
            yield from _block(index, block, self.chunk, cut=last and self.cut_last_call)
        delta: Json = {"stop_reason": self.stop_reason, "stop_sequence": None}
        if self.stop_details:
            delta["stop_details"] = self.stop_details
        usage = {"output_tokens": self.usage["output_tokens"]}
        yield Piece({"type": "message_delta", "delta": delta, "usage": usage})
        yield Piece({"type": "message_stop"})

    def _head(self) -> Json:
        return {"id": self.id, "type": "message", "role": "assistant", "model": self.model}


@dataclass(frozen=True, slots=True)
class Piece:
    """One event and how many tokens it carries."""

    data: Json
    tokens: int = 0
    wire: bytes = field(init=False)

    def __post_init__(self) -> None:
        written = json.dumps(self.data, separators=(",", ":"))
        object.__setattr__(self, "wire", f"event: {self.data['type']}\ndata: {written}\n\n".encode())


def usage_of(transcript: Transcript, content: list[Json], marked: bool, seen: set[str]) -> Json:
    """The tokens of a call. `seen`: the prefixes that are in the prompt cache, which this call adds to."""
    sizes = [len(json.dumps(transcript.system + transcript.tools))]
    sizes += [len(json.dumps(message["content"])) for message in transcript.messages]
    whole = sum(sizes) // CHARACTERS_A_TOKEN
    found = max((at for at, prefix in enumerate(transcript.cached) if prefix in seen), default=-1)
    read = sum(sizes[: found + 1]) // CHARACTERS_A_TOKEN if marked else 0
    if marked:
        seen.add(transcript.cached[-1])
    output = sum(len(tokens_of(_spoken(block))) for block in content)
    return {
        "input_tokens": 0 if marked else whole,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": whole - read if marked else 0,
        "output_tokens": max(1, output),
    }


def tokens_of(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _spoken(block: Json) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "thinking":
            return str(block["thinking"])
        case "tool_use":
            return json.dumps(block["input"])
        case _:
            return ""


def _block(index: int, block: Json, chunk: int, *, cut: bool) -> Iterator[Piece]:
    """A block's events: what streams comes in deltas, everything else in its start."""
    streamed = {"text": ("text", "text_delta"), "thinking": ("thinking", "thinking_delta")}
    if block["type"] == "tool_use" or block["type"] == "server_tool_use":
        start, field_, kind = {**block, "input": {}}, "partial_json", "input_json_delta"
        written = json.dumps(block["input"])
        text = written[: len(written) // 2] if cut else written
    elif block["type"] in streamed:
        field_, kind = streamed[block["type"]]
        start, text = {**block, field_: ""}, block[field_]
    else:
        start, field_, kind, text = block, "", "", ""
    if "signature" in start:
        start = {**start, "signature": ""}
    yield Piece({"type": "content_block_start", "index": index, "content_block": start})
    tokens = tokens_of(text)
    for at in range(0, len(tokens), chunk):
        some = tokens[at : at + chunk]
        delta = {"type": kind, field_: "".join(some)}
        yield Piece({"type": "content_block_delta", "index": index, "delta": delta}, len(some))
    if "signature" in block:
        delta = {"type": "signature_delta", "signature": block["signature"]}
        yield Piece({"type": "content_block_delta", "index": index, "delta": delta})
    yield Piece({"type": "content_block_stop", "index": index})
