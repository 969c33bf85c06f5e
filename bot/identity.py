"""Who we are in the workspace."""

from __future__ import annotations

from dataclasses import dataclass

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from store.ports import ReplyError


@dataclass(frozen=True, slots=True)
class Identity:
    """The workspace (`T…`), our user there (`U…`) and the bot behind it (`B…`); url: the workspace's own address."""

    team: str
    user: str
    bot: str
    url: str = ""


def whoami(client: WebClient, timeout: float = 10.0) -> Identity:
    """Ask `auth.test` once; `ReplyError` of kind `credentials` when the token is no bot's."""
    with slack_call("asking Slack who we are (auth.test)"):
        answer = within(client, timeout).auth_test()
    if not answer.get("bot_id"):
        raise ReplyError(
            "the Slack token belongs to a person; give the bot token, which starts with xoxb",
            kind="credentials",
        )
    url = str(answer.get("url") or "")
    return Identity(team=answer["team_id"], user=answer["user_id"], bot=answer["bot_id"], url=url)
