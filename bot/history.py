"""What was said while nobody listened, out of Slack's history.

Only what can be for us is looked for: the channels we are in and their threads of the last day, and threads in which
we worked lately or people are asked something. A message that calls us into a thread older than that is not found.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, cast

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from bot.heard import edited_at, is_direct
from store.ports import Clock, ReplyError, Threads
from store.protocol import Store
from store.thread import ThreadId, ts_order

DAY = 86_400.0
"""Seconds back at most: as long as Slack itself delivers late, and less than an admission is remembered."""
MOST = 200
"""Messages of a channel, and of a thread."""
MOST_ASKING = 50
"""Threads that are read because people are asked something there, however old they are."""
AT_ONCE, APART = 10, 2.0
"""So many calls leave at once, later ones so many seconds apart: of Slack's 50 a minute (Tier 3) the runs get some."""
PATIENCE = 120.0
"""Seconds for which one call waits for its turn; a turn comes within a minute, unless Slack refuses us."""

_SECONDS, _TRIES, _PAGES = 10.0, 3, 5
_TYPES = "public_channel,private_channel,mpim,im"
_LATER = ("busy", "lost", "credentials")

Json = Mapping[str, Any]
Turn = Callable[[], AbstractContextManager[None]]
"""Around each call: takes it out of what Slack allows the whole workspace, or `ReplyError` with the code `budget`."""

log = logging.getLogger(__name__)


class History:
    """Reads what was said since a moment, a channel at a time, oldest first."""

    def __init__(
        self,
        client: WebClient,
        team: str,
        store: Store,
        clock: Clock,
        threads: Threads,
        turn: Turn = nullcontext,
    ) -> None:
        self._client, self._team, self._store = client, team, store
        self._clock, self._threads, self._turn = clock, threads, turn
        self._calls = 0

    def since(self, moment: float) -> Iterator[Json]:
        """Messages said or edited after `moment` (wall-clock seconds), each with its channel.

        `ReplyError` when Slack cannot be asked now; a channel that it does not show us is left out.
        """
        self._calls, day_ago = 0, self._clock.now() - DAY
        known: dict[str, set[str]] = defaultdict(set)
        lately = self._store.workspace.recent(self._team, day_ago)
        asking = [wait.thread for wait in self._store.waits.open(self._team, limit=MOST_ASKING).waits]
        for thread in (*lately, *asking[:MOST_ASKING]):
            at = ThreadId.parse(thread)
            known[at.channel].add(at.root)
        for channel in sorted(self._channels() | known.keys(), key=lambda one: (one not in known, not is_direct(one))):
            yield from self._said_in(channel, known[channel], max(moment, day_ago), day_ago)

    def _channels(self) -> set[str]:
        """Every conversation we are in."""
        found: set[str] = set()
        cursor = ""
        for _ in range(_PAGES):
            page = self._ask("users.conversations", types=_TYPES, limit=MOST, cursor=cursor, exclude_archived=True)
            found |= {channel["id"] for channel in page.get("channels", ())}
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return found

    def _said_in(self, channel: str, roots: set[str], moment: float, day_ago: float) -> list[Json]:
        """A thread's messages come with its channel's, so that each thread is in order."""
        page = self._ask("conversations.history", channel=channel, oldest=f"{day_ago:.6f}", limit=MOST)
        found = {message["ts"]: message for message in page.get("messages", ())}
        stirred = {ts for ts, message in found.items() if _later(message.get("latest_reply"), moment)}
        for root in sorted(roots | stirred, key=ts_order):
            page = self._ask("conversations.replies", channel=channel, ts=root, oldest=f"{moment:.6f}", limit=MOST)
            found |= {message["ts"]: message for message in page.get("messages", ())}
        missed = [one for ts, one in found.items() if _later(ts, moment) or _later(edited_at(one), moment)]
        return [{**one, "channel": channel} for one in sorted(missed, key=lambda one: ts_order(one["ts"]))]

    def _ask(self, method: str, **arguments: Any) -> Json:
        """One call at our pace, again after a pause where it failed for now; nothing where Slack says no."""
        for tries in range(1, _TRIES + 1):
            self._pace()
            try:
                with self._in_turn(), slack_call(f"reading what was said meanwhile ({method})"):
                    answer = within(self._client, _SECONDS).api_call(method, http_verb="GET", params=arguments)
                    return cast("Json", answer.data)
            except ReplyError as error:
                if error.kind not in _LATER or error.code == "missing_scope":
                    log.warning("%s", error)
                    break
                if error.kind == "credentials" or error.code == "budget" or tries == _TRIES:
                    raise
                self._threads.sleep(error.retry_after or APART)
        return {}

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait for a turn as long as `PATIENCE` allows, and keep it for the call."""
        until = self._clock.boottime() + PATIENCE
        with ExitStack() as turn:
            while True:
                try:
                    turn.enter_context(self._turn())
                    break
                except ReplyError as error:
                    wait = error.retry_after or APART
                    if error.code != "budget" or self._clock.boottime() + wait > until:
                        raise
                    self._threads.sleep(wait)
            yield

    def _pace(self) -> None:
        self._calls += 1
        if self._calls > AT_ONCE:
            self._threads.sleep(APART)


def _later(ts: object, moment: float) -> bool:
    return isinstance(ts, str) and bool(ts) and ts_order(ts) > moment * 1_000_000
