"""What an app is told of the inputs of a message or a view: the state of each, filled in or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playground.standins.slack.blocks import interactive
from playground.standins.slack.errors import ControlError
from playground.standins.slack.message import Json

_NAMES = {
    "static_select": ("selected_option", "initial_option"),
    "external_select": ("selected_option", "initial_option"),
    "radio_buttons": ("selected_option", "initial_option"),
    "checkboxes": ("selected_options", "initial_options"),
    "multi_static_select": ("selected_options", "initial_options"),
    "multi_external_select": ("selected_options", "initial_options"),
    "users_select": ("selected_user", "initial_user"),
    "multi_users_select": ("selected_users", "initial_users"),
    "conversations_select": ("selected_conversation", "initial_conversation"),
    "multi_conversations_select": ("selected_conversations", "initial_conversations"),
    "channels_select": ("selected_channel", "initial_channel"),
    "multi_channels_select": ("selected_channels", "initial_channels"),
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
    "plain_text_input": ("value", "initial_value"),
    "email_text_input": ("value", "initial_value"),
    "url_text_input": ("value", "initial_value"),
    "number_input": ("value", "initial_value"),
    "rich_text_input": ("rich_text_value", "initial_value"),
    "file_input": ("files", ""),
}
"""By kind of element: what holds its value in a payload, and what its first value is called."""


def filled(blocks: list[Json], given: Mapping[str, Any]) -> Json:
    """`state.values` of these blocks: block_id → action_id → state.

    given: what somebody filled in, in the same shape; the state of an element may also be its bare value: an option's
    `value`, a list of them, or text. `ControlError` where it names what is not there.
    """
    inputs = {(part["block_id"], part.get("action_id", "")): part for part in _inputs(blocks)}
    values: Json = {}
    for (block, action), part in inputs.items():
        values.setdefault(block, {})[action] = state_of(part)
    for block, actions in given.items():
        for action, value in actions.items():
            if (block, action) not in inputs:
                there = ", ".join("/".join(one) for one in inputs) or "none"
                raise ControlError(f"there is no input {block}/{action} to fill in; there is {there}")
            values[block][action] = state_of(inputs[block, action], value)
    return values


def state_of(part: Json, value: Any = None) -> Json:
    """The state of one input: with this value, or as it is at first."""
    name, first = _NAMES[part["type"]]
    if isinstance(value, dict):
        value = value.get(name)
    elif value is None:
        value = part.get(first)
    return {"type": part["type"], name: _chosen(part, name, value)}


def used(element: Json, values: Json) -> Json:
    """An element as its action tells it: with what was picked, where something is."""
    state: Json = values.get(element.get("block_id", ""), {}).get(element["action_id"], {})
    return {**element, **state}


def _inputs(blocks: list[Json]) -> Iterator[Json]:
    return (part for part in interactive(blocks) if part["type"] in _NAMES)


def _chosen(part: Json, name: str, value: Any) -> Any:
    """An option is told whole, by its value."""
    if name == "selected_options":
        return [_option(part, one) for one in value or ()]
    if name == "selected_option":
        return None if value is None else _option(part, value)
    return value


def _option(part: Json, value: Any) -> Json:
    wanted = value.get("value") if isinstance(value, dict) else value
    groups = [part.get("options") or [], *(group["options"] for group in part.get("option_groups") or ())]
    for option in (option for group in groups for option in group):
        if option["value"] == wanted:
            return {"text": option["text"], "value": wanted}
    if part["type"].endswith("external_select") and isinstance(value, dict):
        return value
    raise ControlError(f"{part.get('action_id')} offers no option {wanted!r}")
