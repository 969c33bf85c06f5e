"""Answers to an interaction through its response_url: no token, five uses, half an hour."""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web

from playground.standins.journal import wall
from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import SlackError
from playground.standins.slack.interactions import ResponseUrl
from playground.standins.slack.message import Json
from playground.standins.slack.people import BOT_USER
from playground.standins.slack.standin import Standin
from playground.standins.slack.text import escape
from playground.standins.slack.world import Draft


async def respond(slack: Standin, request: web.Request) -> web.StreamResponse:
    """Post, replace or delete as the body asks; the answer is `ok` or an error code with status 404 or 400."""
    try:
        body = json.loads(await request.text())
    except ValueError:
        body = None
    status, code = use(slack, request.match_info["key"], body)
    return web.Response(text=code) if status == 200 else web.json_response({"ok": False, "error": code}, status=status)


def use(slack: Standin, key: str, body: Any) -> tuple[int, str]:
    """What is answered at this address: a status, and `ok` or an error code."""
    url = slack.interactions.urls.get(key)
    status, code = 404, ""
    if not isinstance(body, dict):
        status, code = 400, "invalid_payload"
    elif url is None:
        code = "no_such_url"
    elif wall() > url.until:
        code = "expired_url"
    elif url.uses_left < 1:
        code = "used_url"
    else:
        try:
            _answer(slack, url, body)
        except SlackError as error:
            status, code = 400, error.code
        else:
            url.uses_left -= 1
            slack.journal.add("response_url.used", key=url.key, body=body, uses_left=url.uses_left)
            return 200, "ok"
    slack.journal.add("response_url.refused", key=url.key if url else None, error=code)
    return status, code


def _answer(slack: Standin, url: ResponseUrl, body: Json) -> None:
    whisper = next((e for e in slack.world.ephemerals if url.message_ts and e["ts"] == url.message_ts), None)
    original = slack.world.standing(url.channel, url.message_ts)
    if body.get("delete_original"):
        if whisper is not None:
            _change(slack, whisper, "deleted", deleted=True)
        elif original is not None:
            slack.world.delete(original, BOT_USER)
        else:
            raise SlackError("message_not_found")
        return
    draft = _draft(body)
    if body.get("replace_original"):
        if whisper is not None:
            _change(slack, whisper, "replaced", text=draft["text"], blocks=list(draft.get("blocks", ())))
        elif original is not None:
            slack.world.edit(original, BOT_USER, {**draft, "metadata": original.now.metadata}, mark=False)
        else:
            raise SlackError("message_not_found")
    elif body.get("response_type") == "in_channel":
        channel = slack.world.channels[url.channel]
        slack.world.post(channel, BOT_USER, draft, thread_ts=body.get("thread_ts"), from_app=True)
    else:
        thread = body.get("thread_ts") or url.thread_ts
        show_ephemeral(slack, url.channel, url.user, draft["text"], list(draft.get("blocks", ())), thread)


def show_ephemeral(slack: Standin, channel: str, user: str, text: str, blocks: list[Json], thread: str | None) -> Json:
    """Show something to one person, kept by nobody."""
    ephemeral = {
        "channel": channel,
        "user": user,
        "ts": slack.world.stamp(),
        "thread_ts": thread,
        "text": text,
        "blocks": blocks,
        "deleted": False,
    }
    slack.world.ephemerals.append(ephemeral)
    slack.journal.add("ephemeral.posted", **ephemeral)
    return ephemeral


def _change(slack: Standin, ephemeral: Json, how: str, **fields: Any) -> None:
    ephemeral |= fields
    slack.journal.add(f"ephemeral.{how}", **ephemeral)


def _draft(body: Json) -> Draft:
    if "markdown_text" in body:
        raise SlackError("no_text", "[ERROR] a response_url takes no markdown_text")
    draft: Draft = {"text": escape(str(body.get("text") or ""))}
    if body.get("blocks"):
        draft["blocks"] = tuple(check_blocks(body["blocks"]))
    if not draft["text"] and not draft.get("blocks"):
        raise SlackError("no_text")
    return draft
