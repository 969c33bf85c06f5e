"""The wishes of the page and the runner that concern Slack's own controls, conversations and raw payloads."""

from __future__ import annotations

import asyncio
import base64
import contextlib

from playground.standins.journal import wall
from playground.standins.slack import gestures, places
from playground.standins.slack.errors import ControlError
from playground.standins.slack.message import Json
from playground.standins.slack.outbox import Delivery
from playground.standins.slack.standin import Standin


async def slash(slack: Standin, wish: Json) -> Json:
    """`shown` is what the person sees then; empty if nothing."""
    return await gestures.slash(
        slack, wish["user"], wish["channel"], wish["command"], wish.get("text", ""), wish.get("thread_ts")
    )


async def shortcut(slack: Standin, wish: Json) -> Json:
    delivery = gestures.shortcut(slack, wish["user"], wish["callback_id"], wish.get("ts"))
    return await over(slack, delivery, wait=wish.get("wait", True))


async def press_in_view(slack: Standin, wish: Json) -> Json:
    delivery = gestures.press_in_view(
        slack, wish["user"], wish["action_id"], wish.get("view"), wish.get("values") or {}
    )
    return await over(slack, delivery, wait=wish.get("wait", True))


async def submit_view(slack: Standin, wish: Json) -> Json:
    return await gestures.submit_view(slack, wish["user"], wish.get("values") or {}, wish.get("view"))


async def close_view(slack: Standin, wish: Json) -> Json:
    delivery = gestures.close_view(slack, wish["user"], wish.get("view"), clear=bool(wish.get("clear")))
    return await over(slack, delivery)


async def open_home(slack: Standin, wish: Json) -> Json:
    return await over(slack, gestures.open_home(slack, wish["user"], wish.get("tab", "home")))


async def stop_session(slack: Standin, wish: Json) -> Json:
    return await over(slack, gestures.stop_session(slack, wish["user"], wish["channel"], wish["thread_ts"]))


async def archive(slack: Standin, wish: Json) -> Json:
    places.archive(slack, wish["channel"], wish.get("user", "ada"), archived=bool(wish.get("archived", True)))
    return {}


async def join(slack: Standin, wish: Json) -> Json:
    places.join(slack, wish["channel"], wish["who"], wish.get("user", "ada"))
    ts = places.join_message(slack, wish["channel"], wish["who"])
    return {"ts": ts}


async def leave(slack: Standin, wish: Json) -> Json:
    places.leave(slack, wish["channel"], wish["who"], wish.get("user", "ada"))
    return {}


async def close_stream(slack: Standin, wish: Json) -> Json:
    """Slack ends a stream by itself, now instead of after its five minutes."""
    message = slack.world.messages.get((wish["channel"], wish["ts"])) or next(
        (m for m in slack.world.messages.values() if m.ts == wish["ts"]), None
    )
    if message is None or message.stream is None:
        raise ControlError(f"{wish['ts']} is no streamed message")
    message.stream.until = wall()
    slack.journal.add("stream.expired", ts=message.ts)
    return {"state": message.stream.state}


async def deliver(slack: Standin, wish: Json) -> Json:
    """Send any payload as it is, and wait for its first answer. kind: events_api, interactive, slash_commands."""
    if wish["kind"] not in ("events_api", "interactive", "slash_commands"):
        raise ControlError(f"no kind {wish['kind']!r}; there are events_api, interactive, slash_commands")
    return await over(slack, slack.outbox.send(wish["kind"], wish["payload"], event="given"))


async def verify_request_url(slack: Standin, wish: Json) -> Json:
    """What Slack does when a Request URL is saved: it must answer the challenge; then events go there."""
    settings, url = slack.settings, str(wish["url"])
    challenge = f"challenge-{slack.world.stamp()}"
    body = {"token": "unused", "challenge": challenge, "type": "url_verification"}
    posted = await slack.outbox.request_url.post(
        [url], settings.signing_secret, "events_api", body, settings.ack_timeout
    )
    said = (posted.answer or {}).get("challenge") or (posted.answer or {}).get("text")
    verified = not posted.reason and said == challenge
    if verified:
        slack.settings = settings.changed({"request_url": url, "transport": "http"})
        slack.outbox.opened()
    slack.journal.add("request_url.verified" if verified else "request_url.refused", url=url, status=posted.status)
    return {"verified": verified, "status": posted.status, "reason": posted.reason}


async def over(slack: Standin, delivery: Delivery | None, *, wait: bool = True) -> Json:
    """The delivery once the app answered, or had its time once."""
    if delivery is None:
        return {"delivered": False}
    if wait:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(delivery.over.wait(), slack.settings.ack_timeout + 0.5)
    trigger = delivery.payload.get("trigger_id")
    return {**delivery.dump(), "delivered": True, **({"trigger_id": trigger} if trigger else {})}


def files_of(wish: Json) -> list[tuple[str, bytes]]:
    """`files` of a wish: name → text, or base64 of bytes where the value is `{"base64": …}`."""
    given = wish.get("files") or {}
    return [
        (name, base64.b64decode(value["base64"]) if isinstance(value, dict) else str(value).encode())
        for name, value in given.items()
    ]


GESTURES = {
    "slash": slash,
    "shortcut": shortcut,
    "views/press": press_in_view,
    "views/submit": submit_view,
    "views/close": close_view,
    "home": open_home,
    "sessions/stop": stop_session,
    "archive": archive,
    "join": join,
    "leave": leave,
    "streams/close": close_stream,
    "deliver": deliver,
    "request_url": verify_request_url,
}
