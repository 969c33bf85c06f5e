"""What can go wrong on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from playground.standins.claude.transcript import Json

Kind = Literal["refuse", "cut", "error", "silent", "slow", "stop", "ids", "hold"]


@dataclass(slots=True)
class Fault:
    """One fault, for the next `times` calls it fits (0: for all of them).

    It fits a call whose prompt contains `on` and whose turn number is `turn`, where given.
    refuse: `status`, `type`, `message`, `retry_after`.
    cut: after `after` tokens, `how` "clean" (the body just ends), "drop" (no last chunk) or "reset" (RST).
    error: an error event of `type` and `message` after `after` tokens.
    silent: headers and `after` tokens, then nothing until released, but a ping every `pings` seconds if given.
    slow: `tokens_per_second`. stop: `stop_reason`, `stop_details`. ids: `how` "duplicate" or "empty".
    hold: `how` "start" (before the headers), "tokens" (after `after` of them) or "end" (before message_stop), until
    released.
    """

    kind: Kind
    times: int = 1
    on: str = ""
    turn: int | None = None
    status: int = 529
    type: str = ""
    message: str = ""
    retry_after: float | None = None
    how: str = ""
    after: int = 0
    pings: float = 0.0
    tokens_per_second: float = 10.0
    stop_reason: str = ""
    stop_details: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Fault:
        """From a control request; ValueError names what is wrong."""
        if unknown := set(given) - {known.name for known in fields(cls)}:
            raise ValueError(f"a fault has no {', '.join(sorted(unknown))}")
        if given.get("kind") not in get_args(Kind):
            raise ValueError(f"kind is one of {', '.join(get_args(Kind))}, not {given.get('kind')!r}")
        fault = cls(**given)
        hows = {
            "cut": ("clean", "drop", "reset"),
            "ids": ("duplicate", "empty"),
            "hold": ("start", "tokens", "end"),
        }
        if fault.kind in hows and fault.how not in hows[fault.kind]:
            raise ValueError(f"how is one of {', '.join(hows[fault.kind])}, not {fault.how!r}")
        return fault


class Faults:
    """The armed ones, and a gate for the calls they hold."""

    def __init__(self) -> None:
        self._armed: list[Fault] = []
        self._gate = asyncio.Event()

    def arm(self, fault: Fault) -> None:
        self._armed.append(fault)

    def take(self, prompt: str, turn: int) -> dict[str, Fault]:
        """The faults of this call by kind, the first armed of each, used up by one."""
        taken: dict[str, Fault] = {}
        for fault in list(self._armed):
            if fault.on not in prompt or fault.turn not in (None, turn) or fault.kind in taken:
                continue
            taken[fault.kind] = fault
            if fault.times == 1:
                self._armed.remove(fault)
            fault.times -= fault.times > 0
        return taken

    def release(self) -> None:
        """Let everybody go who is held now; later ones are held again."""
        self._gate.set()
        self._gate = asyncio.Event()

    async def held(self, timeout: float | None = None) -> bool:
        """Wait to be released; False after `timeout` seconds."""
        gate = self._gate
        try:
            await asyncio.wait_for(gate.wait(), timeout)
        except TimeoutError:
            return False
        return True

    def clear(self) -> None:
        self._armed.clear()
        self.release()
