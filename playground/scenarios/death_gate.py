"""Where every call that leaves a simulated process passes."""

from __future__ import annotations

from collections.abc import Callable

from playground.simulation.fleet import Member

POINTS = frozenset(
    {"admit", "answer", "recall", "amend", "retract", "withdraw", "stop"}
    | {"claim", "commit", "release", "model", "effect"}
    | {"chat.postMessage", "chat.update", "chat.delete", "conversations.replies"}
    | {"views.open", "files.getUploadURLExternal", "files.completeUploadExternal"}
)
"""The calls of which each is two death points: what changes a run, and what leaves the process."""


class DeathGate:
    """One member's gate; `at(member, call, side)` may end it there."""

    def __init__(self, at: Callable[[Member, str, str], None]) -> None:
        self._at = at
        self.member: Member | None = None

    def __call__(self, call: str, side: str) -> None:
        if self.member is not None and call.split(" ")[0] in POINTS:
            self._at(self.member, call, side)
