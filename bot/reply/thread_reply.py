"""One run's posts in its thread, over Slack's Web API."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from slack_sdk import WebClient

from bot.cards.ask_card import ask_card
from bot.cards.card import Card
from bot.cards.done_card import done_card
from bot.cards.layout import file_name, file_text, parts
from bot.cards.notice_card import notice_card
from bot.cards.part_card import part_card
from bot.cards.remind_card import remind_card
from bot.cards.reply_card import reply_card
from bot.cards.told_card import told_card
from bot.client import within
from bot.failure import slack_call
from bot.features import Features
from bot.heard import typed
from bot.identity import Identity
from bot.reply.attachments import read_attachment
from bot.reply.channel import read_channel
from bot.reply.file_post import show_file, upload_file
from bot.reply.signs import show_sign
from store.ports import Attachment, Clock, Part, Replies, ReplyError, Said, Sign, is_file
from store.thread import ThreadId, ts_order
from store.view import RunView

EVENT_TYPE = "everthread_reply"
"""The metadata's type: everybody in the workspace may read it, so it carries nothing but opaque ids."""

_CARDS: Mapping[Part, Callable[[RunView], Card]] = {
    "reply": reply_card,
    "reply.2": partial(part_card, number=2),
    "reply.3": partial(part_card, number=3),
    "done": done_card,
    "card": notice_card,
    "told": told_card,
}
_WAIT_CARDS: Mapping[str, Callable[[RunView], Card]] = {
    "ask": ask_card,
    "told": partial(ask_card, elsewhere=True),
    "remind": remind_card,
}
"""The parts of a wait have its name behind this."""

_SKEW_SECONDS = 120.0
"""Slack's clock gives the ts, ours gave `since`; looking back further costs nothing."""

_TITLE, _INPUT_TITLE = "The whole answer", "The whole input of the call"
_PAGES, _FIND_PAGE, _HISTORY_PAGE = 10, 200, 999

_PARSE = "none"
"""chat.update would else look for names and channels in the text."""


class ThreadReply:
    """`store.ports.Reply` for one run in one thread."""

    def __init__(
        self,
        client: WebClient,
        thread: ThreadId,
        run: str,
        me: Identity,
        clock: Clock,
        features: Features | None = None,
    ) -> None:
        self._client, self._thread, self._run, self._me, self._clock = client, thread, run, me, clock
        self._features = features or Features(client)

    def post(self, part: Part, view: RunView, timeout: float) -> str:
        until = self._clock.boottime() + timeout
        if is_file(part):
            title = _TITLE if view.ask is None else _INPUT_TITLE
            show_file(self._client, view.file, title, self._thread, timeout)
            return ""
        channel, root = self._place(part, view.asker, timeout)
        card = _card(part, view)
        payload = {"run": self._run, "part": part}
        with slack_call(f"posting the {part} of run {self._run} in {self._thread}", posting=True):
            answer = within(self._client, self._left(until)).chat_postMessage(
                channel=channel,
                thread_ts=root,
                text=card.text,
                blocks=card.blocks,
                metadata={"event_type": EVENT_TYPE, "event_payload": payload},
                unfurl_links=False,
                unfurl_media=False,
                parse=_PARSE,
                link_names=False,
            )
        return str(answer["ts"])

    def edit(self, ts: str, view: RunView, timeout: float, part: Part = "reply") -> None:
        card = _card(part, view)
        channel, _ = self._place(part, view.asker, timeout)
        with slack_call(f"editing the {part} of run {self._run} in {self._thread}"):
            within(self._client, timeout).chat_update(
                channel=channel,
                ts=ts,
                text=card.text,
                blocks=card.blocks,
                parse=_PARSE,
                link_names=False,
            )

    def parts(self, view: RunView) -> Sequence[Part]:
        return parts(view)

    def upload(self, view: RunView, timeout: float) -> str:
        return upload_file(
            self._client,
            file_name(self._run, view.ask.wait.id if view.ask is not None else ""),
            file_text(view),
            timeout,
            self._clock,
        )

    def find(self, part: Part, since: float, timeout: float, asker: str = "") -> list[str]:
        until = self._clock.boottime() + timeout
        oldest = f"{max(since - _SKEW_SECONDS, 0.0):.6f}"
        channel, root = self._place(part, asker, timeout)
        messages = self._messages(
            self._left(until), _FIND_PAGE, channel, root, oldest=oldest, include_all_metadata=True
        )
        return sorted({message["ts"] for message in messages if self._is_ours(message, part)}, key=ts_order)

    def delete(self, ts: str, timeout: float) -> None:
        try:
            with slack_call(f"deleting {ts} in {self._thread}"):
                within(self._client, timeout).chat_delete(channel=self._thread.channel, ts=ts)
        except ReplyError as error:
            if error.code != "message_not_found":
                raise

    def history(self, limit: int, timeout: float) -> list[Said]:
        # Every page repeats the thread's first message, hence by ts.
        last: deque[Said] = deque(maxlen=limit)
        seen: set[str] = set()
        for message in self._messages(timeout, _HISTORY_PAGE, self._thread.channel, self._thread.root):
            if (ts := str(message["ts"])) not in seen:
                seen.add(ts)
                last.append(Said(_author(message), typed(str(message.get("text") or "")), ts))
        return list(last)

    def attachment(self, file: str, timeout: float) -> Attachment:
        return read_attachment(self._client, file, self._thread, timeout, self._clock)

    def channel(self, channel: str, reader: str, limit: int, timeout: float) -> list[Said]:
        return read_channel(self._client, self._me, channel, reader, limit, timeout, self._clock)

    def below(self, ts: str, most: int, timeout: float) -> int | None:
        channel, root = self._thread.channel, self._thread.root
        with slack_call(f"looking for {ts} in {self._thread}"):
            answer = within(self._client, timeout).conversations_replies(
                channel=channel, ts=root, oldest=ts, inclusive=True, limit=most + 2
            )
        found = {str(message["ts"]) for message in answer["messages"] if not message.get("hidden")}
        return min(most, sum(1 for one in found if ts_order(one) > ts_order(ts))) if ts in found else None

    def sign(self, sign: Sign, view: RunView, timeout: float) -> bool:
        return show_sign(self._features, sign, self._thread, view, timeout)

    def _place(self, part: Part, asker: str, timeout: float) -> tuple[str, str | None]:
        """Channel and thread in which a part stands: `told` goes to the asker's direct messages."""
        if not part.startswith("told"):
            return self._thread.channel, self._thread.root
        doing = f"telling {asker} of run {self._run}"
        if self._thread.channel.startswith("D"):
            raise ReplyError(f"{doing}: {self._thread} is their direct message, and closed", kind="closed")
        with slack_call(doing):
            opened = within(self._client, timeout).conversations_open(users=[asker])
        return str(opened["channel"]["id"]), None

    def _left(self, until: float) -> float:
        left = until - self._clock.boottime()
        if left <= 0:
            raise ReplyError(f"the time for run {self._run} in {self._thread} is over", kind="busy")
        return left

    def _messages(
        self, timeout: float, page: int, channel: str, root: str | None, **asked: Any
    ) -> Iterator[Mapping[str, Any]]:
        """A thread's messages, oldest first, or a channel's, newest first; a bounded number of pages."""
        until, cursor = self._clock.boottime() + timeout, None
        for _ in range(_PAGES):
            left = until - self._clock.boottime()
            if left <= 0:
                raise ReplyError(f"reading {self._thread} took longer than {timeout:.1f} s", kind="busy")
            client = within(self._client, left)
            with slack_call(f"reading {self._thread}"):
                if root is None:
                    answer = client.conversations_history(channel=channel, limit=page, cursor=cursor, **asked)
                else:
                    answer = client.conversations_replies(channel=channel, ts=root, limit=page, cursor=cursor, **asked)
            yield from answer["messages"]
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return

    def _is_ours(self, message: Mapping[str, Any], part: Part) -> bool:
        if message.get("bot_id") != self._me.bot and message.get("user") != self._me.user:
            return False
        if is_file(part):  # a file's message carries no metadata of ours, but the file has a name of ours
            name = file_name(self._run, part.partition(".")[2])
            return any(file.get("name") == name for file in message.get("files") or ())
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        return (
            metadata.get("event_type") == EVENT_TYPE and payload.get("run") == self._run and payload.get("part") == part
        )


def _card(part: Part, view: RunView) -> Card:
    kind, _, wait = part.partition(".")
    return (_WAIT_CARDS[kind] if wait and kind in _WAIT_CARDS else _CARDS[part])(view)


def _author(message: Mapping[str, Any]) -> str:
    return str(message.get("user") or message.get("bot_id") or message.get("username") or "somebody")


def replies(client: WebClient, me: Identity, clock: Clock) -> Replies:
    """What makes a `Reply` for `(thread, run)`; ValueError when `thread` is not one."""

    features = Features(client)

    def reply(thread: str, run: str) -> ThreadReply:
        return ThreadReply(client, ThreadId.parse(thread), run, me, clock, features)

    return reply
