"""The window behind `/everthread settings`: what can be changed while we run, and what else is set. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from bot.cards.card import Block, context, plain
from bot.cards.text import clip
from bot.listening import Mode
from store.desk import Setting

SETTINGS = "everthread_settings"
"""Its callback id."""
LISTEN, PICK = "everthread_listen", "mode"
"""The block and the action of its one input."""
AS_SET = "as_set"
MODES: tuple[Mode, ...] = get_args(Mode)

_SAYS: Mapping[str, str] = {
    "mentions": "never: only when I am mentioned",
    "asked": "by who asked something in that thread",
    "all": "by anybody, in threads of mine",
}
_SECTION, _MOST = 2_900, 90


def settings_window(channel: str, mode: str | None, settings: Sequence[Setting]) -> Block:
    """mode: what was chosen for the channel while we run. In a direct message there is nothing to choose."""
    view: Block = {"type": "modal", "callback_id": SETTINGS, "title": plain("Settings"), "close": plain("Close")}
    everything = [*_listed(settings)][:_MOST]
    if channel.startswith("D"):
        hint = context("To choose when I answer without a mention, use /everthread settings in that channel.")
        return {**view, "blocks": [hint, *everything]}
    return {
        **view,
        "submit": plain("Save"),
        "private_metadata": channel,
        "blocks": [_choice(mode), {"type": "divider"}, *everything],
    }


def picked(view: Mapping[str, Any], values: Mapping[str, Any]) -> tuple[str, str | None]:
    """The channel of the window, and what was picked: None is as it was set. ValueError where it is not ours."""
    channel = str(view.get("private_metadata") or "")
    chosen = ((values.get(LISTEN) or {}).get(PICK) or {}).get("selected_option") or {}
    value = chosen.get("value")
    if not channel or value not in (*MODES, AS_SET):
        raise ValueError("this is no window of ours")
    return channel, None if value == AS_SET else str(value)


def _choice(mode: str | None) -> Block:
    options = [_option(AS_SET, "as it was set at the start"), *(_option(one, f"{one}: {_SAYS[one]}") for one in MODES)]
    initial = next((option for option in options if option["value"] == mode), options[0])
    return {
        "type": "input",
        "block_id": LISTEN,
        "label": plain("When may a reply in this channel be for me without a mention?"),
        "hint": plain("Every process follows at once, and a restart changes nothing."),
        "element": {"type": "static_select", "action_id": PICK, "options": options, "initial_option": initial},
    }


def _option(value: str, text: str) -> Block:
    return {"text": plain(clip(text, 75)), "value": value}


def _listed(settings: Sequence[Setting]) -> Iterator[Block]:
    """Everything in force, with where it comes from; it is changed in the environment, and by a restart."""
    yield context("Everything else is set in the environment of the processes, and changed by a restart.")
    text = ""
    for one in settings:
        line = clip(f"{one.name}: {one.value} ({_FROM[one.source]})", 400)
        if len(text) + len(line) > _SECTION:
            yield {"type": "section", "text": plain(text)}
            text = ""
        text += f"{line}\n"
    if text:
        yield {"type": "section", "text": plain(text)}


_FROM = {"default": "default", "environment": "set", "chosen": "changed here"}
