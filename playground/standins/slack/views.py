"""Modals and home tabs: what is open, for whom, in which order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import SlackError
from playground.standins.slack.limits import enforce, size_of
from playground.standins.slack.people import APP, BOT, TEAM

Json = dict[str, Any]

_KEYS = {
    *("type", "title", "submit", "close", "blocks", "private_metadata", "callback_id", "clear_on_close"),
    *("notify_on_close", "external_id", "submit_disabled"),
}


@dataclass(slots=True)
class View:
    """One view of one person; `versions` are all the definitions it had."""

    id: str
    user: str
    root: str
    previous: str | None
    versions: list[Json]
    open: bool = True
    hash: str = ""

    @property
    def now(self) -> Json:
        return self.versions[-1]

    def shown(self, values: Json | None = None) -> Json:
        """As the Web API and interactions show it; `values` is what a person filled in."""
        given = self.now
        return {
            "id": self.id,
            "team_id": TEAM,
            "type": given["type"],
            "blocks": given["blocks"],
            "private_metadata": given.get("private_metadata", ""),
            "callback_id": given.get("callback_id", ""),
            "state": {"values": values or {}},
            "hash": self.hash,
            "title": given.get("title"),
            "clear_on_close": bool(given.get("clear_on_close")),
            "notify_on_close": bool(given.get("notify_on_close")),
            "close": given.get("close"),
            "submit": given.get("submit"),
            "previous_view_id": self.previous,
            "root_view_id": self.root,
            "app_id": APP,
            "external_id": given.get("external_id", ""),
            "app_installed_team_id": TEAM,
            "bot_id": BOT,
        }

    def dump(self) -> Json:
        return {"user": self.user, "open": self.open, "versions": list(self.versions), **self.shown()}


class Views:
    """All views ever opened or published."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.by_id: dict[str, View] = {}

    def open(self, user: str, given: Json, above: View | None = None) -> View:
        """A new modal, alone or `above` another of the same stack."""
        number = next(self._numbers)
        view_id = f"V0{number:08d}"
        self._external_once(given, None)
        if above is not None:
            stack = [v for v in self.by_id.values() if v.root == above.root and v.open]
            enforce("view stack", len(stack) + 1)
        root = above.root if above else view_id
        view = View(view_id, user, root, above.id if above else None, [given], hash=f"{number}.1")
        self.by_id[view_id] = view
        return view

    def publish(self, user: str, given: Json, seen: str) -> View:
        """The person's home tab, made or replaced."""
        home = self.home(user)
        if home is None:
            return self.open(user, given)
        self.change(home, given, seen)
        return home

    def home(self, user: str) -> View | None:
        return next((v for v in self.by_id.values() if v.user == user and v.now["type"] == "home"), None)

    def change(self, view: View, given: Json, seen: str = "") -> None:
        """Replace its definition; `seen` is the hash the app believes in, or nothing."""
        if seen and seen != view.hash:
            raise SlackError("hash_conflict")
        self._external_once(given, view)
        view.versions.append(given)
        view.hash = f"{view.hash.partition('.')[0]}.{len(view.versions)}"

    def find(self, view_id: str, external_id: str) -> View:
        found = self.by_id.get(view_id) if view_id else None
        if external_id:
            named = (v for v in self.by_id.values() if v.now.get("external_id") == external_id and v.open)
            found = next(named, None)
        if found is None or not found.open:
            raise SlackError("not_found")
        return found

    def top(self, user: str) -> View | None:
        """The modal this person looks at."""
        open_ = [v for v in self.by_id.values() if v.user == user and v.open and v.now["type"] == "modal"]
        return open_[-1] if open_ else None

    def close(self, view: View, *, whole_stack: bool = False) -> list[View]:
        """Those that were open until now."""
        closed = [
            other
            for other in self.by_id.values()
            if other.open and (other is view or (whole_stack and other.root == view.root))
        ]
        for other in closed:
            other.open = False
        return closed

    def _external_once(self, given: Json, own: View | None) -> None:
        external = given.get("external_id")
        if external and any(
            v.now.get("external_id") == external for v in self.by_id.values() if v is not own and v.open
        ):
            raise SlackError("duplicate_external_id")


def check_view(value: Any, *kinds: str) -> Json:
    """The view of a call; raises `SlackError` (`invalid_arguments`, `view_too_large`) where Slack would."""
    if not isinstance(value, dict):
        raise SlackError("invalid_arguments", "[ERROR] view must be an object")
    enforce("view size", size_of(value))
    if value.get("type") not in kinds:
        raise SlackError("invalid_arguments", f"[ERROR] view.type must be {' or '.join(kinds)}")
    if unknown := set(value) - _KEYS:
        raise SlackError("invalid_arguments", f"[ERROR] invalid additional property: {', '.join(sorted(unknown))}")
    if value["type"] == "modal" and "title" not in value:
        raise SlackError("invalid_arguments", "[ERROR] missing required field: title")
    for name in ("title", "submit", "close"):
        if name in value:
            _plain(value[name], f"view.{name}")
    for name in ("private_metadata", "callback_id", "external_id"):
        enforce(f"view.{name}", len(str(value.get(name) or "")))
    blocks = _blocks(value.get("blocks"), value["type"])
    if value["type"] == "modal" and "submit" not in value and any(b["type"] == "input" for b in blocks):
        raise SlackError("invalid_arguments", "[ERROR] a view with input blocks needs submit")
    return {**value, "blocks": blocks}


def _plain(value: Any, subject: str) -> None:
    if not isinstance(value, dict) or value.get("type") != "plain_text" or not value.get("text"):
        raise SlackError("invalid_arguments", f"[ERROR] {subject} must be plain_text")
    enforce(subject, len(value["text"]))


def _blocks(value: Any, kind: Literal["modal", "home"]) -> list[Json]:
    try:
        return check_blocks(value, surface=kind)
    except SlackError as error:
        raise SlackError("invalid_arguments", *error.messages) from None
