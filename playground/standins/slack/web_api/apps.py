"""auth.test and apps.connections.open: who the app is, and where its socket is."""

from __future__ import annotations

from playground.standins.slack.errors import SlackError
from playground.standins.slack.message import Json
from playground.standins.slack.people import APP, BOT, BOT_NAME, BOT_USER, TEAM, TEAM_NAME
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args


def auth_test(_slack: Standin, _args: Args) -> Json:
    return {
        "url": "https://everthread.slack.com/",
        "team": TEAM_NAME,
        "user": BOT_NAME,
        "team_id": TEAM,
        "user_id": BOT_USER,
        "bot_id": BOT,
        "is_enterprise_install": False,
    }


def connections_open(slack: Standin, _args: Args) -> Json:
    where = slack.url.replace("http://", "ws://")
    return {"url": f"{where}/link/?ticket={slack.sockets.ticket()}&app_id={APP}"}


def bots_info(_slack: Standin, args: Args) -> Json:
    if args.text("bot") not in ("", BOT):
        raise SlackError("bot_not_found")
    return {"bot": {"id": BOT, "deleted": False, "name": BOT_NAME, "app_id": APP, "user_id": BOT_USER, "icons": {}}}
