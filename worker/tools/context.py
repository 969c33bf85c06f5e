"""What a running tool may know and do besides its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from store.ports import Attachment, Clock, Said
from store.wait import Answer
from worker.tools.ask import Ask


@dataclass(slots=True)
class ToolContext:
    """One call's view of its run.

    key: stable across crashes, so it serves as an idempotency key. asker: the person the run acts for.
    """

    run: str
    thread: str
    key: str
    asker: str
    clock: Clock
    ending: Callable[[], bool]
    """True once the call shall end: stop, suspension, or the run's time is over."""
    read_state: Callable[[str], list[str]]
    """`read_state(name)`: the workspace's entries under that name, oldest first, with those staged here."""
    read_thread: Callable[[int], Sequence[Said]]
    """`read_thread(limit)`: the last messages of this thread as people see them."""
    read_attachment: Callable[[str], Attachment]
    """`read_attachment(file)`: a file that was shared in this thread."""
    read_channel: Callable[[str, int], Sequence[Said]]
    """`read_channel(channel, limit)`: the last messages of a channel that the asker is in."""
    ask: Callable[[str, Ask], Answer]
    """`ask(name, ask)`: what people answer; the call is left until they do, and entered again then."""
    show_plan: Callable[[Sequence[int], int], None]
    """`show_plan(done, doing)`: let the approved plan's card show these step numbers, as far as Slack takes it now."""
    staged: list[tuple[str, str]] = field(default_factory=list)

    def append_state(self, name: str, entry: str) -> None:
        """Stage an entry; it lands in the same commit as this call's outcome, or not at all."""
        self.staged.append((name, entry))
