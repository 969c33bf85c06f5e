"""One call's way: read, recorded, held or spoiled by faults, authorised, applied, answered."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from weakref import WeakKeyDictionary

from aiohttp import web

from playground.standins.slack.calls import Call
from playground.standins.slack.errors import SlackError
from playground.standins.slack.faults import Fault
from playground.standins.slack.message import Json
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api import METHODS
from playground.standins.slack.web_api.args import Args, read_args


class _Dropped(Exception):
    """The connection is closed without an answer."""


class Busy(Exception):
    """HTTP 429; the argument is Retry-After in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


async def dispatch(slack: Standin, request: web.Request) -> web.StreamResponse:
    """Answer one request to `/api/{method}`."""
    name = request.match_info["method"]
    try:
        args, refusal = await read_args(request), None
    except SlackError as error:
        args, refusal = Args({}), error
    traced = slack.settings.trace or slack.faults.awaits(name)
    call = slack.calls.begin(name, args.values, _pid(slack, request) if traced else None)
    args.call = call.n
    try:
        if refusal is not None:
            raise refusal
        body, status = await _perform(slack, request, call, args)
    except SlackError as error:
        body, status = error.answer(), 200
    except Busy as busy:
        slack.calls.end(call, "ratelimited")
        headers = {"Retry-After": str(busy.retry_after)}
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
    except _Dropped:
        slack.calls.end(call, "dropped")
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=502)
    slack.calls.end(call, "ok" if body["ok"] else body["error"])
    return web.json_response(body, status=status, headers={"x-slack-req-id": str(call.n)})


_PIDS: WeakKeyDictionary[asyncio.Transport, int | None] = WeakKeyDictionary()
"""Who is at the other end of a connection that is kept: looking costs milliseconds."""


def _pid(slack: Standin, request: web.Request) -> int | None:
    if request.transport is None:
        return None
    if request.transport not in _PIDS:
        _PIDS[request.transport] = slack.peers.pid(request.transport)
    return _PIDS[request.transport]


async def _perform(slack: Standin, request: web.Request, call: Call, args: Args) -> tuple[Json, int]:
    world = slack.world
    said = json.dumps(call.args, ensure_ascii=False)
    holds = slack.faults.held(call.method, said, call.n, call.pid)
    faults = slack.faults.match(call.method, said)
    if await slack.faults.stand_still(holds, "before") and _gone(request):
        raise _Dropped  # whoever was killed here never got its bytes through
    if slack.world is not world:
        raise _Dropped  # reset meanwhile: it belongs to a workspace that is no more
    for fault in faults:
        await _spoil_before(fault)
    refused = next((fault for fault in faults if fault.kind == "error"), None)
    if refused is not None:
        return SlackError(refused.error).answer(), refused.status
    try:
        body = apply(slack, _token(request, args), call, args)
    except SlackError as error:
        body = error.answer()
    await slack.faults.stand_still(holds, "after")
    for fault in faults:
        if fault.when == "after" and fault.kind == "slow":
            await asyncio.sleep(fault.seconds)
    if any(fault.kind == "drop" and fault.when == "after" for fault in faults):
        raise _Dropped
    return body, 200


async def _spoil_before(fault: Fault) -> None:
    if fault.kind == "ratelimit":
        raise Busy(fault.retry_after)
    if fault.kind == "drop" and fault.when == "before":
        raise _Dropped
    if fault.kind == "slow" and fault.when == "before":
        await asyncio.sleep(fault.seconds)


def apply(slack: Standin, token: str, call: Call, args: Args) -> Json:
    """What the workspace answers to whoever has this token; `SlackError` or `Busy` where it refuses."""
    method = METHODS.get(call.method)
    if method is None:
        slack.violate(f"unknown method {call.method}", call.n)
        raise SlackError("unknown_method", req_method=call.method)
    _authorise(slack, token, method.caller)
    if call.method in slack.settings.lacking:
        raise SlackError("feature_not_enabled")
    if slack.settings.scopes and method.scopes and not set(method.scopes) & set(slack.settings.scopes):
        provided = ",".join(slack.settings.scopes)
        raise SlackError("missing_scope", needed=",".join(method.scopes), provided=provided)
    retry_after = slack.rates.retry_after(call.method, args.text("channel"), slack.settings.rates)
    if retry_after is not None:
        raise Busy(retry_after)
    body: Json = {"ok": True, **method.handle(slack, args)}
    call.applied = True
    call.message = _touched(slack, body)
    return body


def _touched(slack: Standin, body: Json) -> Json | None:
    """The message the call was about, as it is right after."""
    ts = body.get("ts")
    message = slack.world.messages.get((str(body.get("channel")), str(ts)))
    return None if message is None else message.dump()


def _token(request: web.Request, args: Args) -> str:
    header = request.headers.get("Authorization", "")
    return header.removeprefix("Bearer ") if header.startswith("Bearer ") else args.text("token")


def _authorise(slack: Standin, token: str, wanted: str) -> None:
    settings = slack.settings
    kinds: dict[Any, str] = {settings.bot_token: "bot", settings.app_token: "app"}
    if not token:
        raise SlackError("not_authed")
    if token not in kinds:
        raise SlackError("invalid_auth")
    if kinds[token] != wanted:
        raise SlackError("not_allowed_token_type")
    if slack.token_revoked:
        raise SlackError("token_revoked")


def _gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()
