"""Names of recorded steps: `run:turn:call:attempt`.

A `call` is `model`, a tool call's id, a nested call `<parent>/<n>`, or a name of our own, which starts with `#`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import quote, unquote

from store.errors import StepKeyError

MODEL = "model"
START, RESUMED, TURN, SETTLED, REPLY, REPLY_2, REPLY_3, FILE, DONE, CARD, TOLD, DELIVERED = (
    "#start",
    "#resumed",
    "#turn",
    "#settled",
    "#reply",
    "#reply.2",
    "#reply.3",
    "#file",
    "#done",
    "#card",
    "#told",
    "#delivered",
)
OURS = frozenset({START, RESUMED, TURN, SETTLED, REPLY, REPLY_2, REPLY_3, FILE, DONE, CARD, TOLD, DELIVERED})

_WAITING = re.compile(r"#(ask|told|remind|input)\.[a-z0-9.]+")
"""Posts of a wait: its card in the thread or with the asker alone, the reminder, the whole of a long input."""
_KEY = re.compile(r"([^:]+):(0|[1-9][0-9]*):([^:]+):(0|[1-9][0-9]*)")


_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


@lru_cache(maxsize=4096)
def _escaped(part: str, safe: str) -> str:
    return part if _PLAIN.fullmatch(part) else quote(part, safe=safe)


@dataclass(frozen=True, slots=True)
class StepKey:
    """The four parts of a step key, unescaped; `attempt` is only the loop's own retry index."""

    run: str
    turn: int
    call: str
    attempt: int = 0
    text: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.run or not self.call:
            raise StepKeyError(f"a step key needs a run and a call, not {self!r}")
        if self.turn < 0 or self.attempt < 0:
            raise StepKeyError(f"turn and attempt count from 0, not {self!r}")
        if self.call.startswith("#") and self.call not in OURS and not _WAITING.fullmatch(self.call):
            raise StepKeyError(f"call names that start with '#' are reserved, so {self.call!r} is refused")

        text = f"{_escaped(self.run, '')}:{self.turn}:{_escaped(self.call, '/#')}:{self.attempt}"
        object.__setattr__(self, "text", text)

    def __str__(self) -> str:
        return self.text

    def nested(self, name: str | int) -> StepKey:
        """The key of a step inside this one: `<call>/<name>`."""
        part = str(name)
        if not part or part.startswith("#"):
            raise StepKeyError(f"a nested step needs a name that is not reserved, not {part!r}")
        return StepKey(self.run, self.turn, f"{self.call}/{quote(part, safe='')}", self.attempt)

    @classmethod
    def parse(cls, text: str) -> StepKey:
        """The parts of a key made by `str()`; `StepKeyError` on anything else."""
        found = _KEY.fullmatch(text)
        if found is None:
            raise StepKeyError(f"{text!r} is not a step key run:turn:call:attempt")
        run, turn, call, attempt = found.groups()
        key = cls(unquote(run), int(turn), unquote(call), int(attempt))
        if str(key) != text:
            raise StepKeyError(f"{text!r} is not written the way step keys are")
        return key
