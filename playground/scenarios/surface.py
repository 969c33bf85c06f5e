"""What people have before them in Slack during a play: messages, what one alone is shown, and windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from playground.scenarios.cards import part_of, text_of, wait_of
from playground.scenarios.happenings import Happening, Happenings
from playground.standins.slack.blocks import interactive
from playground.standins.slack.people import PEOPLE

Json = dict[str, Any]


@dataclass(slots=True)
class Sight:
    """One message as it stands. reader: who alone sees it, '' for everybody. earlier: what it showed before."""

    ts: str
    thread: str
    reader: str
    blocks: list[Json]
    wait: str = ""
    gone: bool = False
    earlier: list[list[Json]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Button:
    """A button in a message, and the inputs around it."""

    ts: str
    action: str
    blocks: Sequence[Json]


class Surface:
    """Follows what happens; every look takes in what is new."""

    def __init__(self, happenings: Happenings) -> None:
        self._happenings, self._seen = happenings, 0
        self._sights: dict[str, Sight] = {}
        self._windows: dict[str, Json] = {}
        self._lock = Lock()

    def button(self, label: str, user: str, thread: str = "", *, stale: bool = False) -> Button | None:
        """The button with this label in the newest message that shows it to this person.

        thread: the ts of the only thread that is meant. stale: in one that shows it no more, as a slow client has it.
        """
        for sight in self._newest_first():
            if sight.reader not in ("", _id_of(user)) or thread not in ("", sight.thread) or sight.gone:
                continue
            now = _action(sight.blocks, label)
            if not stale and now:
                return Button(sight.ts, now, sight.blocks)
            before = [(blocks, found) for blocks in sight.earlier if (found := _action(blocks, label))]
            if stale and not now and before:
                blocks, action = before[-1]
                return Button(sight.ts, action, blocks)
        return None

    def card(self, text: str) -> str:
        """The ts of the newest card that shows this text, '' where none does."""
        cards = (one for one in self._newest_first() if one.wait and not one.gone and text in text_of(one.blocks))
        return next((card.ts for card in cards), "")

    def window(self, user: str) -> Json | None:
        """The window that this person has open on top, where it can be sent."""
        with self._lock:
            self._look()
            mine = [view for view in self._windows.values() if view["user"] == _id_of(user)]
        return mine[-1]["shown"] if mine and mine[-1]["shown"].get("submit") else None

    def _newest_first(self) -> list[Sight]:
        with self._lock:
            self._look()
            return sorted(self._sights.values(), key=lambda one: float(one.ts), reverse=True)

    def _look(self) -> None:
        news = self._happenings.since(self._seen)
        self._seen += len(news)
        for one in news:
            side, _, what = one.kind.partition(".")
            if side == "slack" and what.startswith("view."):
                self._window(one)
            elif side == "slack" and what.startswith(("message.", "ephemeral.")):
                self._show(one, what.rpartition(".")[2])

    def _window(self, one: Happening) -> None:
        self._windows.pop(one["view"], None)
        if one["open"] and one["shown"]["type"] == "modal":
            self._windows[one["view"]] = dict(one.data)

    def _show(self, one: Happening, how: str) -> None:
        ours = one["from_app"] is not False
        if not ours:
            return
        known = self._sights.get(one["ts"])
        if how == "deleted" and known is not None:
            known.gone = True
        elif known is not None:
            known.earlier.append(known.blocks)
            known.blocks = one["blocks"]
        elif how == "posted":
            alone = one.kind.startswith("slack.ephemeral")
            wait = "" if alone else wait_of(part_of(one.data))
            thread = str(one["thread_ts"] or one["ts"])
            self._sights[one["ts"]] = Sight(one["ts"], thread, one["user"] if alone else "", one["blocks"], wait)


def filled_in(blocks: Sequence[Mapping[str, Any]], given: Sequence[Any]) -> Json:
    """What is filled in, as the stand-in takes it: an item for each input of these blocks, in their order.

    given: a text, the label of a choice, a list of labels, or None for what is left as it is. ValueError where that
    does not fit.
    """
    inputs = [dict(block["element"], block_id=block["block_id"]) for block in blocks if block["type"] == "input"]
    if len(inputs) != len(given):
        raise ValueError(f"there are {len(inputs)} inputs to fill in, not {len(given)}")
    values: Json = {}
    for element, what in zip(inputs, given, strict=True):
        if what is not None:
            values.setdefault(element["block_id"], {})[element["action_id"]] = _value(element, what)
    return values


def _value(element: Json, what: Any) -> Any:
    if "options" not in element:
        return str(what)
    if isinstance(what, list):
        return [_option(element, label) for label in what]
    return _option(element, what)


def _option(element: Json, label: Any) -> str:
    """A choice by its label, which may stand behind its number."""
    for option in element["options"]:
        said = str(option["text"]["text"])
        if str(label) in (said, said.partition(". ")[2]):
            return str(option["value"])
    raise ValueError(
        f"there is no choice {label!r}; there are {', '.join(o['text']['text'] for o in element['options'])}"
    )


def _action(blocks: Sequence[Json], label: str) -> str:
    """The action of the button with this label, or whose label begins so."""
    buttons = [part for part in interactive(list(blocks)) if part["type"] == "button"]
    labels = {str(part["text"]["text"]): str(part["action_id"]) for part in buttons}
    return labels.get(label) or next((action for said, action in labels.items() if said.startswith(label)), "")


def _id_of(user: str) -> str:
    return next((one.id for one in PEOPLE if one.key == user), user)
