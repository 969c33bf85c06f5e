"""Rules: which tool calls run, which people are asked about first, and which never run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from store.wait import ANYBODY, Answerers

Then = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to calls that fit. tool, channel and each argument are patterns with `*`; all given ones must fit.

    An argument's text is compared, other values as they print. answerers: who decides, where people are asked.
    """

    then: Then
    tool: str = "*"
    channel: str = "*"
    arguments: Mapping[str, str] = field(default_factory=dict)
    answerers: Answerers = ANYBODY

    def fits(self, tool: str, arguments: Mapping[str, Any], channel: str) -> bool:
        return (
            fnmatchcase(tool, self.tool)
            and fnmatchcase(channel, self.channel)
            and all(
                name in arguments and fnmatchcase(str(arguments[name]), wanted)
                for name, wanted in self.arguments.items()
            )
        )


ALLOWED = Rule("allow")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in force, in order: the first that fits decides, and what fits none is allowed."""

    rules: Sequence[Rule] = ()

    def judge(self, tool: str, arguments: Mapping[str, Any], channel: str) -> Rule:
        return next((rule for rule in self.rules if rule.fits(tool, arguments, channel)), ALLOWED)
