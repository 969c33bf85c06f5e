"""What was seen of a play, in a form that real and simulated plays share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SeenReply:
    """One message of ours. versions: each text it had. part: reply, done or card."""

    run: str
    part: str
    ts: str
    versions: Sequence[str]
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class SeenRun:
    """One run. settlements: records that end it for good. message: the ts that began it.

    deleted: that message is gone, and perhaps never had a reply.
    """

    run: str
    message: str
    status: str
    text: str = ""
    footer: str = ""
    settlements: int = 0
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class SeenCall:
    """One model call. digest: what was asked. cut: its process ended before it could record the answer."""

    digest: str
    billed: bool
    cut: bool = False


@dataclass(frozen=True, slots=True)
class SeenEffect:
    """One effect on the world. key: the same for every attempt of one call."""

    tool: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Seen:
    """deaths: processes that were killed. recovery_ms: from each death of a run's process to its next step.

    asked: the text of everything the model was asked. reactions: ours, by name. unknown: effects listed for an
    operator.
    """

    replies: Sequence[SeenReply] = ()
    runs: Sequence[SeenRun] = ()
    calls: Sequence[SeenCall] = ()
    effects: Sequence[SeenEffect] = ()
    asked: str = ""
    reactions: Mapping[str, int] = field(default_factory=dict)
    unknown: int = 0
    deaths: int = 0
    recovery_ms: Sequence[float] = ()
    violations: Sequence[str] = ()
    notes: Mapping[str, object] = field(default_factory=dict)

    @property
    def billed(self) -> int:
        return sum(call.billed for call in self.calls)

    def counted(self) -> dict[str, int]:
        """Effects by tool."""
        found: dict[str, int] = {}
        for effect in self.effects:
            found[effect.tool] = found.get(effect.tool, 0) + 1
        return found
