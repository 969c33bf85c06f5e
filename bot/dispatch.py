"""The one way to the listeners, for a payload over a socket, over HTTP, or made from Slack's history."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from slack_bolt import App, BoltRequest, BoltResponse

from bot.shape import name, wrong

log = logging.getLogger(__name__)


def dispatch(app: App, payload: object, headers: Mapping[str, Any] | None = None) -> BoltResponse:
    """What the listeners answer; it never raises.

    400: the payload has a wrong shape, which one line in the log tells; it would not fit another time either.
    500: it could not be taken now; Bolt, or a line with a traceback, told why.
    """
    if not isinstance(payload, Mapping):
        return _malformed("a payload without a type", "it is no object")
    if why := wrong(payload):
        return _malformed(name(payload), why)
    try:
        request = BoltRequest(mode="socket_mode", body=dict(payload), headers=dict(headers or {}))
    except (TypeError, AttributeError, ValueError, LookupError) as error:
        return _malformed(name(payload), f"Bolt cannot read it ({error})")
    try:
        return app.dispatch(request)
    except Exception as error:
        log.error("a payload of Slack could not be handled: %s (%r)", name(payload), error, exc_info=error)
        return BoltResponse(status=HTTPStatus.INTERNAL_SERVER_ERROR, body="")


def is_done(response: BoltResponse) -> bool:
    """Whether Slack need not send it again: it was taken, or never can be."""
    return response.status in (HTTPStatus.OK, HTTPStatus.BAD_REQUEST)


def _malformed(what: str, why: str) -> BoltResponse:
    log.warning("a payload of Slack is malformed and was let go: %s: %s", what, why)
    return BoltResponse(status=HTTPStatus.BAD_REQUEST, body=f"{why}\n")
