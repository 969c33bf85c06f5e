"""How messages must follow each other: whose turn it is, and one result for each tool call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from playground.standins.claude.refused import Refused
from playground.standins.claude.transcript import Json, Transcript


def check_order(transcript: Transcript, paused: Callable[[int], bool]) -> None:
    """`paused(n)`: the first n messages end with an answer whose stop reason was pause_turn."""
    messages = transcript.messages
    if messages[0]["role"] != "user":
        raise Refused("messages: first message must use the user role")
    for at in range(1, len(messages)):
        if messages[at]["role"] == messages[at - 1]["role"]:
            if messages[at]["role"] == "assistant" and paused(at):
                continue
            raise Refused(
                f"messages.{at}: roles must alternate between user and assistant, "
                f"but found two {messages[at]['role']} messages in a row"
            )
    if messages[-1]["role"] == "assistant" and not paused(len(messages)):
        raise Refused(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    _check_calls(messages)


def _check_calls(messages: list[Json]) -> None:
    seen: set[str] = set()
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            _check_results(at, message, messages[at - 1] if at else {"content": []})
            continue
        ids = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if len(set(ids)) < len(ids) or seen & set(ids):
            raise Refused(f"messages.{at}: `tool_use` ids must be unique")
        seen |= set(ids)
        if ids and at + 1 == len(messages):
            raise Refused(_unanswered(at, ids))


def _check_results(at: int, message: Json, before: Json) -> None:
    calls = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
    kinds = [block["type"] for block in message["content"]]
    results = Counter(str(block.get("tool_use_id")) for block in message["content"] if block["type"] == "tool_result")
    if any(kind == "tool_result" for kind in kinds[kinds.count("tool_result") :]):
        raise Refused(f"messages.{at}: tool_result blocks must come first in the message")
    if missing := [call for call in calls if call not in results]:
        raise Refused(_unanswered(at - 1, missing))
    if unexpected := [result for result in results if result not in calls]:
        raise Refused(
            f"messages.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(unexpected)}. "
            "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
        )
    if twice := [result for result, count in results.items() if count > 1]:
        raise Refused(f"messages.{at}: each tool_use must have a single result. Found multiple for: {twice[0]}")


def _unanswered(at: int, ids: list[str]) -> str:
    return (
        f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(ids)}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )
