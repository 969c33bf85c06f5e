"""Doubles for what stands outside: Claude, Slack and Redis' blocking read, on virtual time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bot.cards.layout import parts
from playground.simulation.baton import Baton, Process
from store.ports import (
    Attachment,
    Cut,
    Delta,
    ModelAnswer,
    ModelError,
    ModelRequest,
    Part,
    Reply,
    ReplyError,
    Said,
    Sign,
    Usage,
    is_file,
)
from store.values import digest_of
from store.view import RunView

Gate = Callable[[str, str], None]
"""`gate(call, "before" | "after")`: where a call leaves the process; a chosen death happens here."""


def open_gate(_call: str, _side: str) -> None:
    """Nothing happens."""


class CountingIds:
    """Names in order, over all processes of a simulation: r1, r2, n1, …"""

    def __init__(self) -> None:
        self._counts: dict[str, itertools.count[int]] = {}

    def new(self, kind: str) -> str:
        return f"{kind[0]}{next(self._counts.setdefault(kind, itertools.count(1)))}"


Script = Callable[[ModelRequest], ModelAnswer]


@dataclass
class SimulatedModel:
    """Answers by content; counts what it billed by the digest of what it was asked."""

    answer: Script
    takes: float = 0.0
    billed: dict[str, int] = field(default_factory=dict)
    asked: list[ModelRequest] = field(default_factory=list)

    def seat(self, baton: Baton, process: Process, gate: Gate = open_gate) -> SeatedModel:
        return SeatedModel(self, baton, process, gate)


@dataclass
class SeatedModel:
    """The model as one process reaches it."""

    model: SimulatedModel
    baton: Baton
    process: Process
    gate: Gate

    def ask(self, request: ModelRequest, heard: Callable[[Delta], None], cut: Cut) -> ModelAnswer:
        self.process.check()
        self.gate("model", "before")
        self.model.asked.append(replace(request, messages=list(request.messages)))
        answer = self.model.answer(request)
        digest = digest_of([list(request.messages), request.system, list(request.tools)])
        self.model.billed[digest] = self.model.billed.get(digest, 0) + 1
        if self.model.takes:
            self.baton.wait_until(lambda: cut.fired, self.model.takes)
        if cut.fired:
            raise ModelError("cut", kind="cut", usage=Usage(10, 1, estimated=True), partial="par")
        for block in answer.content:
            if block["type"] == "text":
                heard(Delta("text", block["text"]))
        self.gate("model", "after")
        return answer


@dataclass
class Posted:
    """One message of ours, standing or deleted, with every version it had."""

    ts: str
    run: str
    part: Part
    views: list[RunView]
    deleted: bool = False


@dataclass
class SimulatedSlack:
    """The thread's messages of ours, as Slack keeps them."""

    posts: list[Posted] = field(default_factory=list)
    uploads: dict[str, str] = field(default_factory=dict)
    """Each uploaded file's text, by its id; one that no post shows was seen by nobody."""
    said: list[Said] = field(default_factory=list)
    signs: list[tuple[str, Sign, RunView]] = field(default_factory=list)

    def seat(self, process: Process, gate: Gate = open_gate) -> Callable[[str, str], Reply]:
        return lambda _thread, run: SeatedReply(self, run, process, gate)

    def standing(self, run: str, part: Part = "reply") -> list[Posted]:
        return [post for post in self.posts if (post.run, post.part, post.deleted) == (run, part, False)]


@dataclass
class SeatedReply:
    """A run's posts as one process makes them."""

    slack: SimulatedSlack
    run: str
    process: Process
    gate: Gate

    def post(self, part: Part, view: RunView, timeout: float) -> str:
        self._leave(f"post {part}")
        ts = f"{1_800_000_100 + len(self.slack.posts)}.000000"
        self.slack.posts.append(Posted(ts, self.run, part, [view]))
        self.gate(f"post {part}", "after")
        return "" if is_file(part) else ts

    def edit(self, ts: str, view: RunView, timeout: float, part: Part = "reply") -> None:
        self._leave(f"edit {part}")
        standing = next(post for post in self.slack.posts if post.ts == ts)
        if standing.deleted:
            raise ReplyError(f"{ts} is deleted", kind="gone", code="message_not_found")
        standing.views.append(view)
        self.gate(f"edit {part}", "after")

    def parts(self, view: RunView) -> Sequence[Part]:
        return parts(view)

    def upload(self, view: RunView, timeout: float) -> str:
        self._leave("upload")
        file = f"F{len(self.slack.uploads) + 1}"
        self.slack.uploads[file] = view.text if view.ask is None else view.ask.wait.arguments
        self.gate("upload", "after")
        return file

    def find(self, part: Part, since: float, timeout: float, asker: str = "") -> list[str]:
        self._leave(f"find {part}")
        return [post.ts for post in self.slack.standing(self.run, part)]

    def delete(self, ts: str, timeout: float) -> None:
        self._leave("delete")
        next(post for post in self.slack.posts if post.ts == ts).deleted = True

    def history(self, limit: int, timeout: float) -> list[Said]:
        self._leave("history")
        return self.slack.said[-limit:]

    def attachment(self, file: str, timeout: float) -> Attachment:
        self._leave("attachment")
        return Attachment(file, f"{file}.txt", "text/plain", 5, "words")

    def channel(self, channel: str, reader: str, limit: int, timeout: float) -> list[Said]:
        self._leave("channel")
        return self.slack.said[-limit:]

    def below(self, ts: str, most: int, timeout: float) -> int | None:
        self._leave("below")
        standing = next((post for post in self.slack.posts if post.ts == ts and not post.deleted), None)
        if standing is None:
            return None
        ours = [post for post in self.slack.posts if not post.deleted and float(post.ts) > float(ts)]
        return min(most, len(ours) + sum(1 for said in self.slack.said if float(said.ts) > float(ts)))

    def sign(self, sign: Sign, view: RunView, timeout: float) -> bool:
        self._leave(f"sign {sign}")
        self.slack.signs.append((self.run, sign, view))
        return True

    def _leave(self, call: str) -> None:
        self.process.check()
        self.gate(call, "before")
