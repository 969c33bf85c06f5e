"""The workload of every figure: a turn is one model answer of 1 KB with one tool call, and 2 KB of tool output."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count

from store.ports import Attachment, Cut, Delta, ModelAnswer, ModelRequest, Part, Said, Sign, Usage
from store.view import RunView
from worker.tools.context import ToolContext
from worker.tools.tool import tool

TEXT = ("The quick brown fox answers the question. " * 40)[:1024]
OUTPUT = ("row of tool output; value=0123456789abcdef; " * 60)[:2048]


@tool(replay="unsafe", title="searching for {query}")
def search(context: ToolContext, query: str) -> str:
    """Search."""
    return OUTPUT


class InstantModel:
    """Answers at once: `turns - 1` answers with one call each, then a final one.

    asked_at: seconds at which each call came in; the gap between two is one turn.
    """

    def __init__(self, turns: int) -> None:
        self._turns, self._asked = turns, 0
        self.asked_at: list[float] = []

    def ask(self, request: ModelRequest, heard: Callable[[Delta], None], cut: Cut) -> ModelAnswer:
        self._asked += 1
        self.asked_at.append(time.perf_counter())
        said = {"type": "text", "text": TEXT}
        usage = Usage(1000, 250)
        if self._asked % self._turns == 0:
            return ModelAnswer([said], "end_turn", usage, "m")
        call = {"type": "tool_use", "id": f"c{self._asked}", "name": "search", "input": {"query": f"q{self._asked}"}}
        return ModelAnswer([said, call], "tool_use", usage, "m")


class SilentReply:
    """A reply whose every call succeeds at once."""

    def __init__(self, _thread: str, _run: str) -> None:
        self._posts = count(1)

    def post(self, part: Part, view: RunView, timeout: float) -> str:
        return f"1.{next(self._posts):06}"

    def edit(self, ts: str, view: RunView, timeout: float, part: Part = "reply") -> None: ...

    def parts(self, view: RunView) -> Sequence[Part]:
        return ()

    def upload(self, view: RunView, timeout: float) -> str:
        return "F1"

    def find(self, part: Part, since: float, timeout: float, asker: str = "") -> list[str]:
        return []

    def delete(self, ts: str, timeout: float) -> None: ...

    def history(self, limit: int, timeout: float) -> list[Said]:
        return []

    def attachment(self, file: str, timeout: float) -> Attachment:
        return Attachment(file, "nothing.txt", "text/plain", 0, "")

    def channel(self, channel: str, reader: str, limit: int, timeout: float) -> list[Said]:
        return []

    def below(self, ts: str, most: int, timeout: float) -> int | None:
        return 0

    def sign(self, sign: Sign, view: RunView, timeout: float) -> bool:
        return False
