"""Whose thread it is: when a reply that does not mention us is for us."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.heard import Heard
from store.protocol import Whose

Mode = Literal["mentions", "asked", "all"]
"""mentions: never. asked: from who asked something in that thread. all: from anybody, once somebody did."""

_WHOSE: Mapping[Mode, Whose | None] = {"mentions": None, "asked": "asker", "all": "thread"}


def _nothing(_channel: str) -> None:
    """Nobody chose anything."""


@dataclass(frozen=True, slots=True)
class Listening:
    """The setting, with its exceptions by channel; bots: ids of those that may ask us, by a mention.

    chosen: what somebody chose for a channel while we run; it goes over both. It is asked only where it matters.
    """

    mode: Mode = "asked"
    channels: Mapping[str, Mode] = field(default_factory=dict)
    bots: frozenset[str] = frozenset()
    chosen: Callable[[str], str | None] = _nothing

    def whose(self, heard: Heard) -> Whose | None:
        """What has to be true of the author for this message to be for us; None: nothing would help."""
        if heard.addressed:
            return "any"
        chosen = next((mode for mode in _WHOSE if mode == self.chosen(heard.channel)), None)
        return _WHOSE[chosen or self.channels.get(heard.channel, self.mode)]
