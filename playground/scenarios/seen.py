"""What was seen of a play, in a form that real and simulated plays share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from playground.scenarios.cards import CardState, card_state, text_of, wait_of

Json = dict[str, Any]
NO_CARD: Literal[""] = ""


@dataclass(frozen=True, slots=True)
class SeenReply:
    """One message of ours. versions: each text it had, all that is shown. part: reply, reply.2, file, done, told, …

    markdown: of each version what is read as Markdown; a file's content stands there as it is. card: of a card, how it
    stands.
    """

    run: str
    part: str
    ts: str
    versions: Sequence[str]
    deleted: bool = False
    markdown: Sequence[str] = ()
    card: CardState | Literal[""] = NO_CARD

    @property
    def wait(self) -> str:
        """The wait of which it is a card, '' where it is none."""
        return wait_of(self.part)


def seen_reply(
    run: str, part: str, ts: str, versions: Sequence[tuple[str, Sequence[Json]]], *, deleted: bool
) -> SeenReply:
    """versions: text and blocks of each."""
    said = [f"{text}\n{text_of(blocks)}" for text, blocks in versions]
    markdown = ["\n".join(one["text"] for one in blocks if one["type"] == "markdown") for _, blocks in versions]
    card = card_state(versions[-1][1]) if wait_of(part) else NO_CARD
    return SeenReply(run, part, ts, said, deleted, markdown, card)


@dataclass(frozen=True, slots=True)
class SeenRun:
    """One run. settlements: records that end it for good. message: the ts that began it.

    deleted: that message is gone, and perhaps never had a reply. delivered: what became of showing its end.
    """

    run: str
    message: str
    status: str
    text: str = ""
    footer: str = ""
    settlements: int = 0
    deleted: bool = False
    delivered: str = ""


@dataclass(frozen=True, slots=True)
class SeenWait:
    """Something that was asked. call: the step key of the call that asks, or is asked about.

    decisions: every end that is recorded of it, in words. again: people let that call be made once more.
    """

    wait: str
    run: str
    call: str
    asked: float
    decisions: Sequence[str] = ()
    again: bool = False


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
class SeenBeside:
    """What Slack showed beside our messages. rings: whom our messages rang. whispers: what somebody alone was shown.

    lines, sessions: what the lines under threads said, and what their sessions were, in order. asked: calls by method.
    """

    rings: Sequence[str] = ()
    whispers: Sequence[str] = ()
    lines: Sequence[str] = ()
    sessions: Sequence[str] = ()
    asked: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """deaths: processes that were killed. recovery_ms: from each death of a run's process to its next step.

    asked: the text of everything the model was asked. reactions: ours, by name. unknown: effects listed for an
    operator. answers: the runs' texts in the order in which they ended.
    """

    replies: Sequence[SeenReply] = ()
    runs: Sequence[SeenRun] = ()
    waits: Sequence[SeenWait] = ()
    calls: Sequence[SeenCall] = ()
    effects: Sequence[SeenEffect] = ()
    answers: Sequence[str] = ()
    asked: str = ""
    reactions: Mapping[str, int] = field(default_factory=dict)
    beside: SeenBeside = SeenBeside()
    unknown: int = 0
    deaths: int = 0
    recovery_ms: Sequence[float] = ()
    violations: Sequence[str] = ()

    @property
    def billed(self) -> int:
        return sum(call.billed for call in self.calls)

    def counted(self) -> dict[str, int]:
        """Effects by tool."""
        found: dict[str, int] = {}
        for effect in self.effects:
            found[effect.tool] = found.get(effect.tool, 0) + 1
        return found
