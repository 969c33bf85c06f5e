"""The local Slack tells an app the state of every input of a message or a window, filled in or not."""

from __future__ import annotations

from typing import Any

import pytest

from playground.standins.slack.errors import ControlError
from playground.standins.slack.filled import filled, used
from playground.standins.slack.interactions import element_in

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def option(value: str) -> Json:
    return {"text": plain(f"the {value}"), "value": value, "description": plain("more of it")}


def told(value: str) -> Json:
    return {"text": plain(f"the {value}"), "value": value}


def asked(block: str, element: Json) -> Json:
    return {"type": "input", "block_id": block, "label": plain("?"), "element": {"action_id": "a", **element}}


ONE = asked("one", {"type": "radio_buttons", "options": [option("x"), option("y")]})
MANY = asked("many", {"type": "checkboxes", "options": [option("x"), option("y")], "initial_options": [option("y")]})
WORDS = asked("words", {"type": "plain_text_input"})
MENU = {
    "type": "actions",
    "block_id": "menu",
    "elements": [
        {"type": "static_select", "action_id": "a", "options": [option("x"), option("y")]},
        {"type": "button", "action_id": "go", "text": plain("Go")},
    ],
}
BLOCKS = [ONE, MANY, WORDS, MENU]


def test_what_nobody_touched_is_told_as_it_was_at_first() -> None:
    assert filled(BLOCKS, {}) == {
        "one": {"a": {"type": "radio_buttons", "selected_option": None}},
        "many": {"a": {"type": "checkboxes", "selected_options": [told("y")]}},
        "words": {"a": {"type": "plain_text_input", "value": None}},
        "menu": {"a": {"type": "static_select", "selected_option": None}},
    }


@pytest.mark.parametrize(
    ("block", "given", "state"),
    [
        ("one", "y", {"selected_option": told("y")}),
        ("one", {"selected_option": {"value": "y"}}, {"selected_option": told("y")}),
        ("many", ["x", "y"], {"selected_options": [told("x"), told("y")]}),
        ("many", [], {"selected_options": []}),
        ("words", "so", {"value": "so"}),
        ("words", {"type": "plain_text_input", "value": "so"}, {"value": "so"}),
    ],
)
def test_what_was_filled_in_is_told_whole(block: str, given: object, state: Json) -> None:
    found = filled(BLOCKS, {block: {"a": given}})[block]["a"]

    assert {name: value for name, value in found.items() if name != "type"} == state


def test_an_element_that_is_used_says_what_was_picked_and_a_button_does_not() -> None:
    values = filled(BLOCKS, {"menu": {"a": "x"}})

    menu, go = element_in(BLOCKS[3:], "a"), element_in(BLOCKS, "go")
    assert menu is not None
    assert go is not None
    assert used(menu, values)["selected_option"] == told("x")
    assert used(go, values) == go


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"none": {"a": "x"}}, "there is no input none/a to fill in"),
        ({"menu": {"go": "x"}}, "there is no input menu/go to fill in"),
        ({"one": {"a": "z"}}, "a offers no option 'z'"),
    ],
)
def test_what_is_not_there_cannot_be_filled_in(given: Json, said: str) -> None:
    with pytest.raises(ControlError, match=said):
        filled(BLOCKS, given)
