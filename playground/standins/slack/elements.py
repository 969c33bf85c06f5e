"""The parts inside blocks: text objects, buttons, selects and the rest, checked as Slack checks them.

Every check raises `SlackError("invalid_blocks", …)` with the JSON pointer of the place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from playground.standins.slack.errors import SlackError
from playground.standins.slack.limits import enforce

Json = dict[str, Any]

_BUTTON = {"text", "url", "value", "style", "confirm", "accessibility_label", "visible_to_user_ids"}
_INPUT = {"confirm", "focus_on_load", "placeholder"}
_TYPED = _INPUT | {"initial_value", "min_length", "max_length", "dispatch_action_config"}
_SELECT = _INPUT | {"options", "option_groups", "initial_option", "initial_options", "max_selected_items"}
_CHOICE = _INPUT | {"options", "initial_option", "initial_options"}

KEYS: dict[str, set[str]] = {
    "button": _BUTTON | {"agent_prompt", "agent_prompt_display", "alt_text"},
    "overflow": {"options", "confirm", "alt_text"},
    "static_select": _SELECT,
    "multi_static_select": _SELECT,
    "radio_buttons": _CHOICE,
    "checkboxes": _CHOICE,
    "external_select": _INPUT | {"initial_option", "min_query_length"},
    "users_select": _INPUT | {"initial_user"},
    "multi_users_select": _INPUT | {"initial_users", "max_selected_items"},
    "conversations_select": _INPUT
    | {"initial_conversation", "default_to_current_conversation", "filter", "response_url_enabled"},
    "multi_conversations_select": _INPUT
    | {"initial_conversations", "default_to_current_conversation", "filter", "max_selected_items"},
    "multi_external_select": _INPUT | {"initial_options", "min_query_length", "max_selected_items"},
    "channels_select": _INPUT | {"initial_channel", "response_url_enabled"},
    "multi_channels_select": _INPUT | {"initial_channels", "max_selected_items"},
    "datepicker": _INPUT | {"initial_date"},
    "timepicker": _INPUT | {"initial_time", "timezone"},
    "datetimepicker": _INPUT | {"initial_date_time"},
    "plain_text_input": _TYPED | {"multiline"},
    "email_text_input": _TYPED,
    "url_text_input": _TYPED,
    "number_input": _TYPED | {"is_decimal_allowed", "min_value", "max_value"},
    "rich_text_input": _TYPED,
    "file_input": {"filetypes", "max_files"},
    "workflow_button": {"text", "style", "workflow", "accessibility_label", "alt_text"},
    "feedback_buttons": {"positive_button", "negative_button", "alt_text"},
    "icon_button": _BUTTON | {"icon", "alt_text"},
    "image": {"image_url", "slack_file", "alt_text"},
    "url": {"url", "text"},
}
INTERACTIVE = frozenset(KEYS) - {"image", "url"}
TYPED = frozenset(
    ("plain_text_input", "email_text_input", "url_text_input", "number_input", "rich_text_input", "file_input")
)
"""What is filled in: only inside an input block."""


def invalid(pointer: str, why: str) -> NoReturn:
    raise SlackError("invalid_blocks", f"[ERROR] {why} [json-pointer:{pointer}]")


def check_keys(part: Json, allowed: Iterable[str], pointer: str) -> None:
    for key in part:
        if key not in allowed:
            invalid(pointer, f"invalid additional property: {key}")


def listed(value: Any, pointer: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        invalid(pointer, "must be a list with at least one item")
    return value


def record(value: Any, pointer: str) -> Json:
    if not isinstance(value, dict):
        invalid(pointer, "must provide an object")
    return value


def string(value: Any, pointer: str, subject: str = "") -> str:
    if not isinstance(value, str):
        invalid(pointer, "must provide a string")
    if not value:
        invalid(pointer, "must be more than 0 characters")
    if subject:
        enforce(subject, len(value), pointer)
    return value


def text_object(value: Any, pointer: str, subject: str, *, plain: bool = False) -> int:
    """Check a text object; returns its length."""
    part = record(value, pointer)
    kind = part.get("type")
    if kind not in ("plain_text", "mrkdwn") or (plain and kind != "plain_text"):
        invalid(f"{pointer}/type", "must be plain_text" if plain else "must be plain_text or mrkdwn")
    check_keys(part, {"type", "text", "emoji" if kind == "plain_text" else "verbatim"}, pointer)
    return len(string(part.get("text"), f"{pointer}/text", subject))


def element(value: Any, pointer: str, allowed: frozenset[str] = INTERACTIVE) -> int:
    """Check one element; returns how many characters it shows."""
    part = record(value, pointer)
    kind = part.get("type")
    if kind not in KEYS or kind not in allowed:
        invalid(f"{pointer}/type", f"unsupported type: {kind}")
    check_keys(part, KEYS[kind] | {"type", "action_id"}, pointer)
    if "action_id" in part:
        string(part["action_id"], f"{pointer}/action_id", "action_id")
    if "confirm" in part:
        _confirm(part["confirm"], f"{pointer}/confirm")
    if "placeholder" in part:
        text_object(part["placeholder"], f"{pointer}/placeholder", "placeholder", plain=True)
    shown = 0
    if kind in ("button", "icon_button", "workflow_button"):
        shown += _button(part, pointer)
    elif kind == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            _feedback(part.get(side), f"{pointer}/{side}")
    elif kind == "image":
        image(part, pointer)
    elif kind in TYPED:
        _typed(part, pointer)
    if kind in _OPTIONS:
        _options(part, kind, pointer)
    return shown


_OPTIONS = {
    "overflow": "overflow.options",
    "static_select": "select.options",
    "multi_static_select": "select.options",
    "radio_buttons": "radio_buttons.options",
    "checkboxes": "checkboxes.options",
}


def _button(part: Json, pointer: str) -> int:
    if "value" in part:
        string(part["value"], f"{pointer}/value", "button.value")
    if "url" in part:
        string(part["url"], f"{pointer}/url", "button.url")
    if part.get("style") not in (None, "primary", "danger"):
        invalid(f"{pointer}/style", "must be primary or danger")
    return text_object(part.get("text"), f"{pointer}/text", "button.text", plain=True)


def _typed(part: Json, pointer: str) -> None:
    for name in ("min_length", "max_length"):
        if name in part:
            enforce("typed length", int(part[name]), f"{pointer}/{name}")


def _feedback(value: Any, pointer: str) -> None:
    part = record(value, pointer)
    check_keys(part, {"text", "value", "accessibility_label"}, pointer)
    text_object(part.get("text"), f"{pointer}/text", "feedback.text", plain=True)
    string(part.get("value"), f"{pointer}/value", "feedback.value")


def _options(part: Json, kind: str, pointer: str) -> None:
    if "option_groups" in part:
        for index, group in enumerate(listed(part["option_groups"], f"{pointer}/option_groups")):
            _options(record(group, pointer), kind, f"{pointer}/option_groups/{index}")
        return
    options = listed(part.get("options"), f"{pointer}/options")
    enforce(_OPTIONS[kind], len(options), f"{pointer}/options")
    for index, value in enumerate(options):
        where = f"{pointer}/options/{index}"
        option = record(value, where)
        check_keys(option, {"text", "value", "description", "url"}, where)
        text_object(option.get("text"), f"{where}/text", "option.text")
        string(option.get("value"), f"{where}/value", "option.value")


def _confirm(value: Any, pointer: str) -> None:
    part = record(value, pointer)
    check_keys(part, {"title", "text", "confirm", "deny", "style"}, pointer)
    for name in ("title", "confirm", "deny"):
        if name in part:
            text_object(part[name], f"{pointer}/{name}", f"confirm.{name}", plain=True)
    text_object(part.get("text"), f"{pointer}/text", "confirm.text")


def image(part: Json, pointer: str) -> None:
    string(part.get("alt_text"), f"{pointer}/alt_text", "image.alt_text")
    if "slack_file" not in part:
        string(part.get("image_url"), f"{pointer}/image_url", "image.image_url")
