"""What Slack allows a whole workspace, shared by all our processes: every call of a reply takes its turn first.

Nobody waits here. A call whose turn has not come is refused as Slack would refuse it, with the time to come back, so
that whoever asked decides: progress is dropped, a final text is owed until it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from store.errors import StoreUnavailableError
from store.ports import Attachment, Clock, Part, Replies, Reply, ReplyError, Said, Sign
from store.protocol import SlackCall, Workspace
from store.thread import ThreadId
from store.view import RunView

RATE_LIMITED = ("ratelimited", "rate_limited")
UNSAID = 10.0
"""Seconds of a pause for which Slack gave no time, as with a `ratelimited` in a 200."""


class PacedReply:
    """`store.ports.Reply` within the workspace's budgets.

    What is refused for the budget is a `ReplyError` of kind `busy` with `retry_after`. When Slack says that we are
    too fast, everybody pauses; when it refuses our token, one call a minute tries whether it still does.
    """

    def __init__(self, reply: Reply, workspace: Workspace, clock: Clock, thread: ThreadId, run: str) -> None:
        self._reply, self._workspace, self._clock = reply, workspace, clock
        self._thread, self._run = thread, run

    def post(self, part: Part, view: RunView, timeout: float) -> str:
        place = view.asker if part.startswith("told") else self._thread.channel
        with self._turn("post", timeout, place=place, writes=True) as left:
            return self._reply.post(part, view, left)

    def edit(self, ts: str, view: RunView, timeout: float, part: Part = "reply") -> None:
        with self._turn("edit", timeout, urgent=view.status != "running", writes=True) as left:
            self._reply.edit(ts, view, left, part)

    def parts(self, view: RunView) -> Sequence[Part]:
        return self._reply.parts(view)

    def upload(self, view: RunView, timeout: float) -> str:
        return self._reply.upload(view, timeout)

    def find(self, part: Part, since: float, timeout: float, asker: str = "") -> list[str]:
        with self._turn("read", timeout) as left:
            return self._reply.find(part, since, left, asker)

    def delete(self, ts: str, timeout: float) -> None:
        self._reply.delete(ts, timeout)

    def history(self, limit: int, timeout: float) -> list[Said]:
        with self._turn("read", timeout) as left:
            return self._reply.history(limit, left)

    def attachment(self, file: str, timeout: float) -> Attachment:
        with self._turn("read", timeout) as left:
            return self._reply.attachment(file, left)

    def channel(self, channel: str, reader: str, limit: int, timeout: float) -> list[Said]:
        with self._turn("read", timeout) as left:
            return self._reply.channel(channel, reader, limit, left)

    def below(self, ts: str, most: int, timeout: float) -> int | None:
        with self._turn("read", timeout) as left:
            return self._reply.below(ts, most, left)

    def sign(self, sign: Sign, view: RunView, timeout: float) -> bool:
        call: SlackCall = "status" if sign == "line" else "session"
        with self._turn(call, timeout, urgent=view.status != "running") as left:
            return self._reply.sign(sign, view, left)

    @contextmanager
    def _turn(
        self, call: SlackCall, timeout: float, *, urgent: bool = True, place: str = "", writes: bool = False
    ) -> Iterator[float]:
        """The seconds left for the call once its turn came; one whose time is over does not begin (LEASE-4)."""
        until = self._clock.boottime() + timeout
        team = self._thread.team
        with turn_of(self._workspace, team, self._run, call, urgent=urgent, place=place, writes=writes):
            left = until - self._clock.boottime()
            if left <= 0:
                raise ReplyError(f"the time for this call ({call}) is over; nothing was done", kind="busy", code="late")
            yield left


@contextmanager
def turn_of(
    workspace: Workspace,
    team: str,
    holder: str,
    call: SlackCall,
    *,
    urgent: bool = True,
    place: str = "",
    writes: bool = False,
) -> Iterator[None]:
    """One call of `holder`'s within the budget, or `ReplyError` with the code `budget`, and nothing is called.

    writes: whether a refused token says that nothing can be shown at all. What Slack refuses in between is raised on.
    """
    turn = workspace.take_turn(team, call, holder, urgent=urgent, place=place)
    if turn.wait:
        raise ReplyError(
            f"the workspace's budget for this call ({call}) is spent for {turn.wait:.1f} s; nothing was done",
            kind="busy",
            code="budget",
            retry_after=turn.wait,
        )
    try:
        try:
            yield
        finally:
            with suppress(StoreUnavailableError):
                workspace.end_turn(team, call, turn, place)
    except ReplyError as error:
        if error.code in RATE_LIMITED:
            error.retry_after = error.retry_after or UNSAID
            workspace.pause_turns(team, call, error.retry_after, place)
        elif error.kind == "credentials" and writes:
            workspace.bar(team)
        raise
    if turn.trial and writes:
        workspace.unbar(team)


def paced(replies: Replies, workspace: Workspace, clock: Clock) -> Callable[[str, str], Reply]:
    """`replies`, each within the budgets of its workspace."""
    return lambda thread, run: PacedReply(replies(thread, run), workspace, clock, ThreadId.parse(thread), run)
