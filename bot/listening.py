"""Whose thread it is: when a reply that does not mention us is for us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.heard import Heard
from store.protocol import Whose

Mode = Literal["mentions", "asked", "all"]
"""mentions: never. asked: from who asked something in that thread. all: from anybody, once somebody did."""

_WHOSE: Mapping[Mode, Whose | None] = {"mentions": None, "asked": "asker", "all": "thread"}


@dataclass(frozen=True, slots=True)
class Listening:
    """The setting, with its exceptions by channel; bots: ids of those that may ask us, by a mention."""

    mode: Mode = "asked"
    channels: Mapping[str, Mode] = field(default_factory=dict)
    bots: frozenset[str] = frozenset()

    def whose(self, heard: Heard) -> Whose | None:
        """What has to be true of the author for this message to be for us; None: nothing would help."""
        return "any" if heard.addressed else _WHOSE[self.channels.get(heard.channel, self.mode)]
