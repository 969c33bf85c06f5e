"""An answer as it grows: the events of one stream, put together without losing a field."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from store.ports import Delta, Json, ModelAnswer, ModelError, Usage

_CHARACTERS_A_TOKEN = 3.5  # Anthropic's glossary, for English
_HEARD_AS: dict[str, Any] = {"text": "text", "thinking": "thinking"}


class GrowingAnswer:
    """Takes a stream's events one by one; `heard` is told each piece as it comes.

    Blocks stay the raw objects the service sent: fields and types nobody here knows come through as they are.
    """

    def __init__(self, heard: Callable[[Delta], None]) -> None:
        self._heard = heard
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, str] = {}
        self._message: Json = {}
        self._stop: Json = {}
        self._usage: Json = {}
        self._characters = 0
        self.ended = False

    def take(self, event: Json) -> None:
        """One event's data; an unknown type changes nothing."""
        match event.get("type"):
            case "message_start":
                self._message = event.get("message") or {}
                self._count(self._message.get("usage"))
            case "content_block_start":
                self._open(event.get("index", 0), event.get("content_block") or {})
            case "content_block_delta":
                self._grow(event.get("index", 0), event.get("delta") or {})
            case "message_delta":
                self._stop = event.get("delta") or {}
                self._count(event.get("usage"))
            case "message_stop":
                self.ended = bool(self._stop.get("stop_reason"))

    @property
    def partial(self) -> str:
        """The text so far."""
        return "".join(block.get("text") or "" for block in self._blocks.values() if block.get("type") == "text")

    def whole(self, request_id: str) -> ModelAnswer:
        """The ended answer. A tool call whose input was cut short is left out of it: it must never run."""
        stop_reason = self._stop["stop_reason"]
        content = []
        for index, block in sorted(self._blocks.items()):
            if index in self._inputs and (given := _input(self._inputs[index])) is None:
                if stop_reason == "tool_use":
                    raise ModelError(
                        f"the input of the call to {block.get('name')} is not a JSON object; ask again",
                        kind="network",
                        code="broken_tool_input",
                        usage=self.usage(0),
                        partial=self.partial,
                    )
                continue
            content.append(block if index not in self._inputs else {**block, "input": given})
        return ModelAnswer(
            content=content,
            stop_reason=stop_reason,
            usage=self.usage(0),
            model=self._message.get("model", ""),
            request_id=request_id,
            stop_details=self._stop.get("stop_details") or {},
        )

    def usage(self, sent: int) -> Usage:
        """What it cost so far. Of an unended answer it is estimated: the prompt from the `sent` bytes unless
        the service counted it, the output from what was heard."""
        counted = self._usage
        told = Usage(
            input=counted.get("input_tokens", 0),
            output=counted.get("output_tokens", 0),
            cache_read=counted.get("cache_read_input_tokens", 0),
            cache_write=counted.get("cache_creation_input_tokens", 0),
        )
        if self.ended:
            return told
        prompt = told.input if counted else _tokens(sent)
        output = max(told.output, _tokens(self._characters))
        return Usage(prompt, output, told.cache_read, told.cache_write, estimated=bool(prompt or output))

    def _count(self, usage: Json | None) -> None:
        self._usage |= {name: value for name, value in (usage or {}).items() if value is not None}

    def _open(self, index: int, block: Json) -> None:
        self._blocks[index] = dict(block)
        if block.get("type") == "tool_use":
            self._heard(Delta("call", str(block.get("name", ""))))
        for field, kind in _HEARD_AS.items():
            if block.get("type") == field and block.get(field):
                self._hear(kind, block[field])

    def _grow(self, index: int, delta: Json) -> None:
        block = self._blocks.setdefault(index, {})
        for field, piece in delta.items():
            if field == "type":
                continue
            if field == "partial_json":
                self._inputs[index] = self._inputs.get(index, "") + piece
                self._characters += len(piece)
            elif field == "citation":
                block["citations"] = [*(block.get("citations") or []), piece]
            elif isinstance(piece, str) and isinstance(block.get(field), str):
                block[field] += piece
                if field in _HEARD_AS:
                    self._hear(_HEARD_AS[field], piece)
            else:
                block[field] = piece

    def _hear(self, kind: Any, piece: str) -> None:
        self._characters += len(piece)
        self._heard(Delta(kind, piece))


def _input(written: str) -> Json | None:
    try:
        given = json.loads(written or "{}")
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _tokens(characters: int) -> int:
    return round(characters / _CHARACTERS_A_TOKEN)
