"""The whole stand-in without its HTTP surface: what a call or the page acts on."""

from __future__ import annotations

from typing import Any

from playground.standins.journal import Journal, wall
from playground.standins.peers import Peers
from playground.standins.slack.calls import Calls
from playground.standins.slack.events import events_of, payload, reaction_event
from playground.standins.slack.faults import Faults
from playground.standins.slack.interactions import Interactions
from playground.standins.slack.message import Json, Message
from playground.standins.slack.outbox import Delivery, Outbox
from playground.standins.slack.rates import RateTiers
from playground.standins.slack.settings import Settings
from playground.standins.slack.sockets import Sockets
from playground.standins.slack.views import View
from playground.standins.slack.world import Change, World


class Standin:
    """One workspace with one app in it. `url` is where it listens, once it does."""

    def __init__(self, settings: Settings) -> None:
        self._first_settings = settings
        self.settings = settings
        self.url = ""
        self.journal = Journal()
        self.violations: list[Json] = []
        self.sockets = Sockets(self.journal, self.violate)
        self.outbox = Outbox(self.journal, self.sockets, lambda: self.settings)
        self.calls = Calls(self.journal)
        self.faults = Faults(self.journal)
        self.rates = RateTiers()
        self.interactions = Interactions()
        self.peers = Peers()
        self.token_revoked = False
        self.world = World([self._changed])

    def reset(self) -> None:
        """An empty workspace, no faults, first settings; connections stay."""
        self.faults.clear()
        self.outbox.clear()
        self.calls.clear()
        self.interactions.clear()
        self.violations.clear()
        self.rates = RateTiers()
        self.settings = self._first_settings
        self.token_revoked = False
        self.world = World([self._changed])
        self.journal.clear()
        self.journal.add("reset")

    def violate(self, what: str, call: int | None = None) -> None:
        """Note something no correct app does; a scenario with a violation fails."""
        self.violations.append({"at": wall(), "what": what, "call": call})
        self.journal.add("violation", what=what, call=call)

    def deliver(self, event: Json, message: Message) -> Delivery:
        """Send one inner event on its way."""
        outer = payload(self.world, event, self.world.channels[message.channel])
        kind = event["type"] if "subtype" not in event else event["subtype"]
        return self.outbox.send("events_api", outer, event=kind, channel=message.channel, ts=message.ts)

    def react(self, message: Message, user: str, name: str, *, add: bool) -> bool:
        """Add or remove a reaction; False if that changes nothing."""
        users = message.reactions.setdefault(name, [])
        changed = (user not in users) if add else (user in users)
        if changed:
            users.append(user) if add else users.remove(user)
        if not users:
            del message.reactions[name]
        kind = "reaction_added" if add else "reaction_removed"
        if changed:
            self.journal.add(f"reaction.{kind.removeprefix('reaction_')}", ts=message.ts, user=user, name=name)
            if kind in self.settings.subscriptions:
                self.deliver(reaction_event(message, user, name, self.world.stamp(), kind), message)
        return changed

    def viewed(self, view: View, how: str) -> None:
        """Tell that a view was `opened`, `updated`, `published` or `closed`, and how it looks now."""
        named = {"view": view.id, "user": view.user, "callback_id": view.now.get("callback_id", "")}
        self.journal.add(f"view.{how}", **named, open=view.open, shown=view.shown())

    def closed(self, view: View, *, whole_stack: bool = False) -> None:
        """Close a modal, or all of its stack."""
        for other in self.world.views.close(view, whole_stack=whole_stack):
            self.viewed(other, "closed")

    def _changed(self, change: Change) -> None:
        data: dict[str, Any] = change.message.dump()
        self.journal.add(f"message.{change.kind}", **data)
        for event in events_of(self.world, change, self.settings):
            self.deliver(event, change.message)
