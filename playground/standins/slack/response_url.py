"""Answers to a click through its response_url: no token, five uses, half an hour."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from playground.standins.journal import wall
from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import SlackError
from playground.standins.slack.interactions import ResponseUrl
from playground.standins.slack.people import BOT_USER
from playground.standins.slack.standin import Standin
from playground.standins.slack.text import escape
from playground.standins.slack.world import Draft


async def respond(slack: Standin, request: web.Request) -> web.StreamResponse:
    """Post, replace or delete as the body asks; the answer is `ok` or an error code with status 404 or 400."""
    url = slack.interactions.urls.get(request.match_info["key"])
    try:
        body = json.loads(await request.text())
    except ValueError:
        return _refused(slack, url, "invalid_payload", 400)
    if url is None:
        return _refused(slack, url, "no_such_url", 404)
    if wall() > url.until:
        return _refused(slack, url, "expired_url", 404)
    if url.uses_left < 1:
        return _refused(slack, url, "used_url", 404)
    try:
        _answer(slack, url, body)
    except SlackError as error:
        return _refused(slack, url, error.code, 400)
    url.uses_left -= 1
    slack.journal.add("response_url.used", key=url.key, body=body, uses_left=url.uses_left)
    return web.Response(text="ok")


def _refused(slack: Standin, url: ResponseUrl | None, code: str, status: int) -> web.Response:
    slack.journal.add("response_url.refused", key=url.key if url else None, error=code)
    return web.json_response({"ok": False, "error": code}, status=status)


def _answer(slack: Standin, url: ResponseUrl, body: dict[str, Any]) -> None:
    original = slack.world.standing(url.channel, url.message_ts)
    if body.get("delete_original"):
        if original is None:
            raise SlackError("message_not_found")
        slack.world.delete(original, BOT_USER)
        return
    draft = _draft(body)
    if body.get("replace_original"):
        if original is None:
            raise SlackError("message_not_found")
        slack.world.edit(original, BOT_USER, {**draft, "metadata": original.now.metadata}, mark=False)
    elif body.get("response_type") == "in_channel":
        channel = slack.world.channels[url.channel]
        slack.world.post(channel, BOT_USER, draft, thread_ts=body.get("thread_ts"), from_app=True)
    else:
        ephemeral = {
            "channel": url.channel,
            "user": url.user,
            "ts": slack.world.stamp(),
            "thread_ts": body.get("thread_ts") or url.thread_ts,
            "text": draft["text"],
            "blocks": list(draft.get("blocks", ())),
        }
        slack.world.ephemerals.append(ephemeral)
        slack.journal.add("ephemeral.posted", **ephemeral)


def _draft(body: dict[str, Any]) -> Draft:
    draft: Draft = {"text": escape(str(body.get("text") or ""))}
    if "blocks" in body:
        draft["blocks"] = tuple(check_blocks(body["blocks"]))
    if not draft["text"] and not draft.get("blocks"):
        raise SlackError("no_text")
    return draft
