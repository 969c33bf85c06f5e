"""The page's and the runner's side: JSON over HTTP under /control, and a stream of all that happens.

A POST must be `application/json`, so that no foreign web page can send one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, get_args

from aiohttp import web

from playground.standins.slack import acts
from playground.standins.slack.control_gestures import GESTURES, files_of
from playground.standins.slack.errors import ControlError
from playground.standins.slack.message import Json
from playground.standins.slack.settings import SettingError
from playground.standins.slack.sockets import How
from playground.standins.slack.standin import Standin

Act = Callable[[Standin, Json], Awaitable[Json]]

_LONGEST_POLL = 60.0  # seconds


def routes(slack: Standin) -> list[web.RouteDef]:
    def post(act: Act) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            return await _answer(slack, request, act)

        return handle

    async def state(_request: web.Request) -> web.Response:
        return web.json_response(acts.dump(slack))

    async def calls(request: web.Request) -> web.Response:
        method = request.query.get("method")
        return web.json_response([c.dump() for c in slack.calls.log if method in (None, c.method)])

    async def happenings(request: web.Request) -> web.StreamResponse:
        return await _events(slack, request)

    return [
        web.get("/control/state", state),
        web.get("/control/calls", calls),
        web.get("/control/events", happenings),
        *(web.post(f"/control/{name}", post(act)) for name, act in ACTS.items()),
    ]


async def _answer(slack: Standin, request: web.Request, act: Act) -> web.Response:
    if request.content_type != "application/json":
        return web.json_response({"ok": False, "error": "send application/json"}, status=415)
    try:
        wish = json.loads(await request.text() or "{}")
        return web.json_response({"ok": True, **await act(slack, wish)})
    except KeyError as missing:
        error = f"{request.path} needs {missing.args[0]!r}"
    except (ControlError, SettingError, ValueError, TypeError, AttributeError) as refused:
        error = str(refused)
    return web.json_response({"ok": False, "error": error}, status=400)


async def _say(slack: Standin, wish: Json) -> Json:
    said = acts.say(
        slack,
        wish["user"],
        wish["channel"],
        wish.get("text") or "",
        wish.get("thread_ts"),
        wish.get("order"),
        files_of(wish),
        broadcast=bool(wish.get("broadcast")),
    )
    return {"ts": said.ts, "channel": said.channel, "thread_ts": said.thread_ts or said.ts}


async def _edit(slack: Standin, wish: Json) -> Json:
    return {"message": acts.edit(slack, wish["ts"], wish["text"], wish.get("channel")).dump()}


async def _delete(slack: Standin, wish: Json) -> Json:
    return {"message": acts.delete(slack, wish["ts"], wish.get("user"), wish.get("channel")).dump()}


async def _click(slack: Standin, wish: Json) -> Json:
    """Answers when the app did, or had its time; `acked` false is Slack's warning sign at the button."""
    delivery = acts.click(
        slack,
        wish["user"],
        wish["action_id"],
        wish["ts"],
        wish.get("channel"),
        stale=bool(wish.get("stale")),
        values=wish.get("values"),
    )
    if wish.get("wait", True):
        await asyncio.wait_for(delivery.over.wait(), slack.settings.ack_timeout + 1.0)
    return delivery.dump()


async def _react(slack: Standin, wish: Json) -> Json:
    message, who = acts.message(slack, wish["ts"]), acts.person(slack, wish["user"])
    return {"changed": slack.react(message, who.id, wish["name"], add=bool(wish.get("add", True)))}


async def _redeliver(slack: Standin, wish: Json) -> Json:
    times = int(wish.get("times", 1))
    again = acts.redeliver(slack, wish["ts"], event=wish.get("event"), times=times, fresh=bool(wish.get("fresh")))
    return {"deliveries": len(again)}


async def _close_sockets(slack: Standin, wish: Json) -> Json:
    how = wish.get("how", "close")
    if how not in get_args(How):
        raise ControlError(f"how must be one of {', '.join(get_args(How))}, not {how!r}")
    grace = float(wish.get("grace", slack.settings.disconnect_grace))
    return {"closed": await slack.sockets.drop(how, grace, wish.get("sockets"))}


async def _token(slack: Standin, wish: Json) -> Json:
    slack.token_revoked = bool(wish["revoked"])
    slack.journal.add("token.changed", revoked=slack.token_revoked)
    return {}


async def _fault(slack: Standin, wish: Json) -> Json:
    fault = slack.faults.add(wish)
    slack.journal.add("fault.set", **fault.dump())
    return fault.dump()


async def _no_fault(slack: Standin, wish: Json) -> Json:
    slack.faults.remove(wish.get("id"))
    return {}


async def _hold(slack: Standin, wish: Json) -> Json:
    return slack.faults.hold(wish).dump()


async def _release(slack: Standin, wish: Json) -> Json:
    return slack.faults.release(int(wish["hold"])).dump()


async def _settings(slack: Standin, wish: Json) -> Json:
    slack.settings = slack.settings.changed(wish)
    if wish.get("request_url"):
        slack.outbox.opened()
    return {}


async def _reset(slack: Standin, _wish: Json) -> Json:
    slack.reset()
    return {"last_event": slack.journal.last}


ACTS: dict[str, Act] = {
    "say": _say,
    "edit": _edit,
    "delete": _delete,
    "click": _click,
    "react": _react,
    "redeliver": _redeliver,
    "sockets/close": _close_sockets,
    **GESTURES,
    "token": _token,
    "faults": _fault,
    "faults/remove": _no_fault,
    "holds": _hold,
    "holds/release": _release,
    "settings": _settings,
    "reset": _reset,
}


async def _events(slack: Standin, request: web.Request) -> web.StreamResponse:
    """`since` a number: what follows, as server-sent events, or with `timeout` as one long poll."""
    since = int(request.query.get("since", request.headers.get("Last-Event-ID", "0")))
    kinds = frozenset(request.query["kinds"].split(",")) if "kinds" in request.query else None
    if "timeout" in request.query:
        timeout = min(float(request.query["timeout"]), _LONGEST_POLL)
        found = await slack.journal.wait(since, timeout, kinds)
        return web.json_response({"events": [h.dump() for h in found], "last": slack.journal.last})
    stream = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await stream.prepare(request)
    while True:
        found = await slack.journal.wait(since, 15.0, kinds)
        lines = [_server_sent(h.seq, h.dump()) for h in found] or [": still here\n\n"]
        try:
            await stream.write("".join(lines).encode())
        except ConnectionError:
            return stream
        since = found[-1].seq if found else since


def _server_sent(seq: int, data: Any) -> str:
    return f"id: {seq}\ndata: {json.dumps(data)}\n\n"
