"""What the real service refuses in a request, in its words.

Sources: https://platform.claude.com/docs/en/api/errors, /build-with-claude/extended-thinking, /agents-and-tools/
tool-use/implement-tool-use, and the 400s people reported of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from playground.standins.claude.refused import Refused
from playground.standins.claude.transcript import Json

MAX_BYTES = 32 * 1024 * 1024
MAX_OUTPUT = 128_000
MAX_MARKERS = 4

_KNOWN = {
    *("model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "stream"),
    *("stop_sequences", "metadata", "service_tier", "container", "context_management", "cache_control"),
    *("diagnostics", "inference_geo", "speed"),
}
_GONE = ("temperature", "top_p", "top_k")
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_ID = re.compile(r"[a-zA-Z0-9_-]+")


def check_headers(headers: Mapping[str, str]) -> None:
    if not headers.get("Authorization", "").removeprefix("Bearer ").strip():
        raise Refused("Authentication is required: send your API key as a Bearer token", 401)
    if "anthropic-version" not in headers:
        raise Refused("anthropic-version: header is required")


def parse(raw: bytes) -> Json:
    """The request's body as an object of JSON that any other server could read, too."""
    if len(raw) > MAX_BYTES:
        raise Refused("Request exceeds the maximum size", 413)
    try:
        body = json.loads(raw.decode())
    except (UnicodeDecodeError, ValueError) as error:
        raise Refused(f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise Refused("The request body is not valid JSON: expected an object")
    if _SURROGATE.search(json.dumps(body, ensure_ascii=False)):
        raise Refused("The request body is not valid JSON: no low surrogate in string")
    return body


def check_body(body: Json) -> None:
    """Everything about the request but what the messages say to each other."""
    for name in body:
        if name in _GONE or name not in _KNOWN:
            raise Refused(f"{name}: Extra inputs are not permitted")
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            raise Refused(f"{name}: Field required")
    if not str(body["model"]).startswith("claude-"):
        raise Refused(f"model: {body['model']}", 404)
    tokens = body["max_tokens"]
    if not isinstance(tokens, int) or tokens < 1:
        raise Refused("max_tokens: Input should be greater than or equal to 1")
    if tokens > MAX_OUTPUT:
        raise Refused(f"max_tokens: {tokens} > {MAX_OUTPUT}, which is the maximum allowed number of output tokens")
    _check_thinking(body.get("thinking"))
    if (effort := (body.get("output_config") or {}).get("effort")) not in (None, *_EFFORTS):
        raise Refused(f"output_config.effort: Input should be one of {', '.join(_EFFORTS)}, not {effort}")
    _check_tools(body.get("tools") or [])
    _check_markers(body)


def _check_thinking(thinking: Any) -> None:
    if thinking is None:
        return
    if not isinstance(thinking, dict) or thinking.get("type") != "adaptive":
        raise Refused("thinking.type: this model thinks adaptively; use output_config.effort to steer it")
    if thinking.get("display", "omitted") not in ("summarized", "omitted"):
        raise Refused("thinking.display: Input should be 'summarized' or 'omitted'")


def _check_tools(tools: list[Json]) -> None:
    for at, tool in enumerate(tools):
        if not _NAME.fullmatch(str(tool.get("name", ""))):
            raise Refused(f"tools.{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
        schema = tool.get("input_schema")
        if "type" not in tool and (not isinstance(schema, dict) or schema.get("type") != "object"):
            raise Refused(f"tools.{at}.custom.input_schema.type: Field required")
    if repeated := [name for name, n in Counter(tool["name"] for tool in tools).items() if n > 1]:
        raise Refused(f"tools: Tool names must be unique. Found: {', '.join(repeated)}")


def _check_markers(body: Json) -> None:
    marked = [block for block in _markable(body) if "cache_control" in block]
    if len(marked) + ("cache_control" in body) > MAX_MARKERS:
        raise Refused(f"A maximum of {MAX_MARKERS} blocks with cache_control may be provided. Found {len(marked)}.")
    for block in marked:
        if block.get("type") in ("thinking", "redacted_thinking"):
            raise Refused("cache_control cannot be set for thinking blocks")
        if block.get("type") == "text" and not block.get("text"):
            raise Refused("cache_control cannot be set for empty text blocks")


def _markable(body: Json) -> Iterator[Json]:
    contents = [body.get("system"), body.get("tools"), *(m.get("content") for m in _messages(body))]
    for content in contents:
        if isinstance(content, list):
            yield from (block for block in content if isinstance(block, dict))


def _messages(body: Json) -> list[Json]:
    messages = body["messages"]
    if not isinstance(messages, list) or not messages:
        raise Refused("messages: at least one message is required")
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            raise Refused(f"messages.{at}.role: Input should be 'user' or 'assistant'")
        _check_content(at, message)
    return messages


def _check_content(at: int, message: Json) -> None:
    content = message.get("content")
    if isinstance(content, str) and content:
        return
    if not isinstance(content, list) or not content:
        raise Refused(f"messages.{at}: all messages must have non-empty content")
    for index, block in enumerate(content):
        where = f"messages.{at}.content.{index}"
        if not isinstance(block, dict) or "type" not in block:
            raise Refused(f"{where}.type: Field required")
        if block["type"] == "text" and not str(block.get("text", "")).strip():
            raise Refused("messages: text content blocks must contain non-whitespace text")
        if block["type"] == "document" and message["role"] == "assistant":
            raise Refused(f"{where}: document blocks are not allowed in assistant messages")
        if block["type"] == "tool_use":
            _check_call(where, block)


def _check_call(where: str, block: Json) -> None:
    if not _ID.fullmatch(str(block.get("id", ""))):
        raise Refused(f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
    if not isinstance(block.get("input"), dict):
        raise Refused(f"{where}.tool_use.input: Input should be a valid dictionary")
