"""Checks a message's blocks as Slack does, before anything is posted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from playground.standins.slack.elements import (
    INTERACTIVE,
    TYPED,
    Json,
    check_keys,
    element,
    image,
    invalid,
    listed,
    record,
    string,
    text_object,
)
from playground.standins.slack.errors import SlackError
from playground.standins.slack.limits import enforce

_TASK_STATES = ("pending", "in_progress", "complete", "error")
_CONTEXT_ACTIONS = frozenset(("feedback_buttons", "icon_button"))
_ACTIONS = INTERACTIVE - _CONTEXT_ACTIONS - TYPED
_IN_INPUTS = INTERACTIVE - _CONTEXT_ACTIONS - {"button", "overflow", "workflow_button"}
_RICH_TEXT = ("rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote")


def check_blocks(value: Any, surface: Literal["message", "modal", "home"] = "message") -> list[Json]:
    """The blocks, each with a block_id; raises `SlackError` where Slack would refuse them."""
    if not isinstance(value, list):
        raise SlackError("invalid_blocks_format", "[ERROR] blocks must be a list")
    enforce("blocks" if surface == "message" else "view.blocks", len(value))
    seen: set[str] = set()
    shown = markdown = 0
    for index, block in enumerate(value):
        pointer = f"/blocks/{index}"
        size = _check(record(block, pointer), pointer)
        shown += size
        markdown += size if block["type"] == "markdown" else 0
        _once(block.get("block_id"), seen, f"{pointer}/block_id", "block_id")
        actions: set[str] = set()
        for part in interactive([block]):
            _once(part.get("action_id"), actions, pointer, "action_id")
    if surface == "message":
        enforce("markdown blocks", markdown)
        enforce("all blocks", shown)
    return [_with_ids(block, index) for index, block in enumerate(value)]


def interactive(blocks: list[Json]) -> Iterator[Json]:
    """Every element of these blocks that can be clicked, with its block's id as `block_id`."""
    for block in blocks:
        parts = [*block.get("elements", ()), block.get("accessory"), block.get("element")]
        for part in parts:
            if isinstance(part, dict) and part.get("type") in INTERACTIVE:
                yield {"block_id": block.get("block_id", ""), **part}


def shown_text(blocks: list[Json]) -> str:
    """All strings called `text` in these blocks, joined: what could ring somebody."""
    return "\n".join(_strings(blocks))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key == "text" and isinstance(item, str) and value.get("type") != "plain_text":
                yield item
            else:
                yield from _strings(item)


def _once(value: Any, seen: set[str], pointer: str, noun: str) -> None:
    if value is None:
        return
    if value in seen:
        invalid(pointer, f"{noun} already exists: {value}")
    seen.add(value)


def _with_ids(block: Json, index: int) -> Json:
    """Slack keeps no block_id of a markdown block and makes one up where there is none."""
    named = {**block, "block_id": block.get("block_id") or f"b{index}"}
    if block["type"] == "markdown":
        named["block_id"] = f"b{index}"
    if "elements" in block and block["type"] in ("actions", "context_actions"):
        named["elements"] = [
            part if part.get("action_id") else {**part, "action_id": f"b{index}e{place}"}
            for place, part in enumerate(block["elements"])
        ]
    return named


def _check(block: Json, pointer: str) -> int:
    """Check one block; returns how many characters it shows."""
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        invalid(f"{pointer}/type", f"unsupported type: {kind}")
    keys, check = _KINDS[kind]
    check_keys(block, keys | {"type", "block_id"}, pointer)
    if "block_id" in block:
        string(block["block_id"], f"{pointer}/block_id", "block_id")
    return check(block, pointer)


def _section(block: Json, pointer: str) -> int:
    if "text" not in block and "fields" not in block:
        invalid(pointer, "must have text or fields")
    shown = text_object(block["text"], f"{pointer}/text", "section.text") if "text" in block else 0
    if "fields" in block:
        fields = listed(block["fields"], f"{pointer}/fields")
        enforce("section.fields", len(fields), f"{pointer}/fields")
        for index, field in enumerate(fields):
            shown += text_object(field, f"{pointer}/fields/{index}", "section.field")
    if "accessory" in block:
        shown += element(block["accessory"], f"{pointer}/accessory", INTERACTIVE | {"image"})
    return shown


def _header(block: Json, pointer: str) -> int:
    return text_object(block.get("text"), f"{pointer}/text", "header.text", plain=True)


def _markdown(block: Json, pointer: str) -> int:
    return len(string(block.get("text"), f"{pointer}/text"))


def _divider(_block: Json, _pointer: str) -> int:
    return 0


def _image(block: Json, pointer: str) -> int:
    image(block, pointer)
    return text_object(block["title"], f"{pointer}/title", "image.title", plain=True) if "title" in block else 0


def _elements(subject: str, allowed: frozenset[str]) -> Callable[[Json, str], int]:
    def check(block: Json, pointer: str) -> int:
        parts = listed(block.get("elements"), f"{pointer}/elements")
        enforce(subject, len(parts), f"{pointer}/elements")
        return sum(element(part, f"{pointer}/elements/{index}", allowed) for index, part in enumerate(parts))

    return check


def _input(block: Json, pointer: str) -> int:
    shown = text_object(block.get("label"), f"{pointer}/label", "input.label", plain=True)
    if "hint" in block:
        shown += text_object(block["hint"], f"{pointer}/hint", "input.hint", plain=True)
    return shown + element(block.get("element"), f"{pointer}/element", _IN_INPUTS)


def _context(block: Json, pointer: str) -> int:
    parts = listed(block.get("elements"), f"{pointer}/elements")
    enforce("context.elements", len(parts), f"{pointer}/elements")
    shown = 0
    for index, part in enumerate(parts):
        where = f"{pointer}/elements/{index}"
        if record(part, where).get("type") == "image":
            shown += element(part, where, frozenset({"image"}))
        else:
            shown += text_object(part, where, "section.text")
    return shown


def _rich_text(block: Json, pointer: str) -> int:
    for index, part in enumerate(listed(block.get("elements"), f"{pointer}/elements")):
        if record(part, pointer).get("type") not in _RICH_TEXT:
            invalid(f"{pointer}/elements/{index}/type", f"unsupported type: {part.get('type')}")
    return len("".join(_strings(block["elements"])))


def _table(block: Json, pointer: str) -> int:
    rows = listed(block.get("rows"), f"{pointer}/rows")
    enforce("table.rows", len(rows), f"{pointer}/rows")
    for index, row in enumerate(rows):
        enforce("table.row", len(listed(row, f"{pointer}/rows/{index}")), f"{pointer}/rows/{index}")
    return len("".join(_strings(rows)))


def _task_card(block: Json, pointer: str) -> int:
    string(block.get("task_id"), f"{pointer}/task_id")
    if block.get("status") not in _TASK_STATES:
        invalid(f"{pointer}/status", f"must be one of {', '.join(_TASK_STATES)}")
    shown = len(string(block.get("title"), f"{pointer}/title"))
    for name in ("details", "output"):
        if name in block:
            shown += _rich_text(record(block[name], f"{pointer}/{name}"), f"{pointer}/{name}")
    return shown


def _plan(block: Json, pointer: str) -> int:
    shown = len(string(block.get("title"), f"{pointer}/title"))
    for index, task in enumerate(block.get("tasks", [])):
        where = f"{pointer}/tasks/{index}"
        if record(task, where).get("type", "task_card") != "task_card":
            invalid(f"{where}/type", "must be task_card")
        check_keys(task, _TASK_KEYS | {"type", "block_id"}, where)
        shown += _task_card(task, where)
    return shown


def _carousel(block: Json, pointer: str) -> int:
    cards = listed(block.get("elements"), f"{pointer}/elements")
    enforce("carousel.elements", len(cards), f"{pointer}/elements")
    return len("".join(_strings(cards)))


def _loose(block: Json, _pointer: str) -> int:
    return len("".join(_strings(block)))


_TASK_KEYS = {"task_id", "title", "details", "output", "sources", "status"}
_KINDS: dict[str, tuple[set[str], Callable[[Json, str], int]]] = {
    "section": ({"text", "fields", "accessory", "expand"}, _section),
    "header": ({"text"}, _header),
    "divider": (set(), _divider),
    "markdown": ({"text"}, _markdown),
    "image": ({"image_url", "slack_file", "alt_text", "title"}, _image),
    "actions": ({"elements"}, _elements("actions.elements", _ACTIONS)),
    "context": ({"elements"}, _context),
    "input": ({"label", "element", "hint", "optional", "dispatch_action"}, _input),
    "context_actions": ({"elements"}, _elements("context_actions.elements", _CONTEXT_ACTIONS)),
    "rich_text": ({"elements"}, _rich_text),
    "table": ({"rows", "column_settings"}, _table),
    "task_card": (_TASK_KEYS, _task_card),
    "plan": ({"title", "tasks"}, _plan),
    "alert": ({"text", "level"}, _loose),
    "card": ({"title", "subtitle", "body", "icon", "hero_image", "actions"}, _loose),
    "carousel": ({"elements"}, _carousel),
    "video": (
        {"alt_text", "author_name", "description", "provider_icon_url", "provider_name"}
        | {"thumbnail_url", "title", "title_url", "video_url"},
        _loose,
    ),
    "file": ({"external_id", "source"}, _loose),
    "call": ({"call_id", "call", "api_decoration_available"}, _loose),
}
