"""The five seams: everything that is not ours stands behind one of these.

With doubles for them a whole fleet runs in one process on virtual time, so nothing outside may call
`time`, `threading`, `random`, Slack or Claude directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from store.view import RunView

Json = dict[str, Any]


class Clock(Protocol):
    """Two clocks: one to show and record, one to measure leases with."""

    def now(self) -> float:
        """Wall-clock seconds since 1970; may jump."""

    def boottime(self) -> float:
        """Seconds that also pass while the machine or the process sleeps (CLOCK_BOOTTIME)."""


class Ids(Protocol):
    """Fresh names."""

    def new(self, kind: str) -> str:
        """A fresh id of `[a-z0-9]`, unique in practice, starting with `kind`'s first letter."""


class Event(Protocol):
    """A flag that can be waited for."""

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


class Task(Protocol):
    """A started thread."""

    def join(self, timeout: float | None = None) -> None: ...

    def is_alive(self) -> bool: ...


class Threads(Protocol):
    """Starting threads and blocking waits."""

    def start(self, name: str, work: Callable[[], None]) -> Task: ...

    def event(self) -> Event: ...

    def sleep(self, seconds: float) -> None: ...


class Cut:
    """Ends somebody's blocking call from another thread, once; arming it after it fired fires at once."""

    def __init__(self) -> None:
        self._kill: Callable[[], None] | None = None
        self.fired = False

    def arm(self, kill: Callable[[], None]) -> None:
        self._kill = kill
        if self.fired:
            kill()

    def disarm(self) -> None:
        self._kill = None

    def fire(self) -> None:
        self.fired = True
        if (kill := self._kill) is not None:
            kill()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as billed; `estimated` where the service could not say."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    estimated: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call as it will be sent: Anthropic's Messages shapes, already complete and in order."""

    model: str
    max_tokens: int
    system: str
    tools: Sequence[Json]
    messages: Sequence[Json]
    effort: str | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """What was heard while the answer streams: a piece of text, of thinking, or the start of a tool call."""

    kind: Literal["text", "thinking", "call"]
    text: str


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A whole answer: content blocks exactly as the service sent them, and why it ended."""

    content: Sequence[Json]
    stop_reason: str
    usage: Usage
    model: str
    request_id: str = ""
    stop_details: Json = field(default_factory=dict)


class ModelError(Exception):
    """A model call that gave no usable answer.

    kind: `busy` (429, 529, 5xx: try again), `network` (cut or unreachable: try again), `invalid` (the same
    request can never work), `credentials`, `billing`, `cut` (we ended it).
    usage is what the attempt cost, estimated where nobody said.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: Literal["busy", "network", "invalid", "credentials", "billing", "cut"],
        code: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        usage: Usage | None = None,
        partial: str = "",
    ) -> None:
        super().__init__(message)
        self.kind, self.code, self.status, self.retry_after = kind, code, status, retry_after
        self.usage, self.partial = usage, partial

    @property
    def retryable(self) -> bool:
        return self.kind in ("busy", "network")


class Model(Protocol):
    """Claude, or somebody who answers like Claude."""

    def ask(self, request: ModelRequest, heard: Callable[[Delta], None], cut: Cut) -> ModelAnswer:
        """The whole answer, or `ModelError`. It counts only if it ended properly, with a stop reason."""


Part = str
"""A run's posts: `reply`; `reply.2`, `reply.3` and `file`, which a long text takes behind it; `done` ("@asker done");
`card`, why it needs a person; `told`, a word to the asker alone. Of a wait: its card `ask.<wait>`, `ask.<wait>.<n>`
where it was asked again, `told.<wait>` with the asker alone, `remind.<wait>`, and the file `input.<wait>`."""


def is_file(part: Part) -> bool:
    """Whether this part is an uploaded file, which Slack shows without telling its ts."""
    return part == "file" or part.startswith("input.")


Sign = Literal["line", "session"]
"""What shows beside a thread that its run lives: the status line, the agent's session with Slack's own Stop."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the thread, as people see it."""

    author: str
    text: str
    ts: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that a person shared. kind: its MIME type. size: bytes. text: None where `why` says why not."""

    id: str
    name: str
    kind: str
    size: int
    text: str | None = None
    why: str = ""


class ReplyError(Exception):
    """A Slack call that did not do what it should.

    kind: `busy` (429 or Slack's own trouble; surely not applied), `lost` (nobody knows whether it was
    applied), `gone` (the message is deleted), `closed` (the place takes no posts), `credentials`,
    `payload` (this content can never be sent).
    """

    def __init__(
        self,
        message: str,
        *,
        kind: Literal["busy", "lost", "gone", "closed", "credentials", "payload"],
        code: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind, self.code, self.retry_after = kind, code, retry_after


class Reply(Protocol):
    """One run's posts in its thread. Every call ends within `timeout` seconds, or raises `ReplyError`.

    `edit` and `delete` may be repeated; `post` may not: look with `find` first when an earlier post's
    answer was lost.
    """

    def post(self, part: Part, view: RunView, timeout: float) -> str:
        """Post this part, marked with run and part; returns its ts, or "" of a file, for Slack does not tell it."""

    def edit(self, ts: str, view: RunView, timeout: float, part: Part = "reply") -> None:
        """Make the message show the whole of `view`, or of that part of it."""

    def parts(self, view: RunView) -> Sequence[Part]:
        """What the view's text takes behind the reply, in order: further posts or a file; asks nobody."""

    def upload(self, view: RunView, timeout: float) -> str:
        """Bring the whole text to Slack as a file that nobody sees before it is posted, so it may be repeated.

        Of a view that is about a wait: the whole arguments of its call.
        """

    def find(self, part: Part, since: float, timeout: float, asker: str = "") -> list[str]:
        """The ts of every standing message of ours with this run and part, oldest first.

        asker: in whose direct messages to look, for `told`.
        """

    def delete(self, ts: str, timeout: float) -> None: ...

    def history(self, limit: int, timeout: float) -> list[Said]:
        """The last `limit` messages of the thread, oldest first."""

    def attachment(self, file: str, timeout: float) -> Attachment:
        """A file that was shared in the thread; of kind `closed` where it was not."""

    def channel(self, channel: str, reader: str, limit: int, timeout: float) -> list[Said]:
        """A channel's last messages, oldest first; of kind `closed` unless `reader` and the bot are in it."""

    def below(self, ts: str, most: int, timeout: float) -> int | None:
        """How many messages stand below this one in the thread, at most `most`; None where it is gone."""

    def sign(self, sign: Sign, view: RunView, timeout: float) -> bool:
        """Show beside the thread what `view` says; whether this workspace has such a sign at all."""


Replies = Callable[[str, str], Reply]
"""`(thread, run) -> Reply`."""
