"""A channel's newest messages, for somebody who may read them."""

from __future__ import annotations

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from bot.heard import typed
from bot.identity import Identity
from store.ports import Clock, ReplyError, Said

_PAGES, _PAGE = 5, 1000


def read_channel(
    client: WebClient, me: Identity, channel: str, reader: str, limit: int, timeout: float, clock: Clock
) -> list[Said]:
    """The last `limit` messages, oldest first; `ReplyError` of kind `closed` unless `reader` and we are members.

    Of a channel with more than 5,000 members whose list does not show both of them, nothing is read.
    """
    until = clock.boottime() + timeout
    missing, cursor = {reader, me.user}, ""
    for _ in range(_PAGES):
        with slack_call(f"asking Slack who is in {channel} (conversations.members)"):
            answer = within(client, max(0.1, until - clock.boottime())).conversations_members(
                channel=channel, limit=_PAGE, cursor=cursor
            )
        missing -= set(answer["members"])
        cursor = (answer.get("response_metadata") or {}).get("next_cursor") or ""
        if not missing or not cursor:
            break
    if missing:
        raise ReplyError(f"{channel} is not a channel of {' and '.join(sorted(missing))}", kind="closed", code="member")
    with slack_call(f"reading {channel} (conversations.history)"):
        found = within(client, max(0.1, until - clock.boottime())).conversations_history(channel=channel, limit=limit)
    messages = [message for message in found["messages"] if message.get("ts")]
    return [
        Said(str(one.get("user") or one.get("bot_id") or "somebody"), typed(str(one.get("text") or "")), str(one["ts"]))
        for one in reversed(messages)
    ]
