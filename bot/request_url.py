"""The Request URL: where Slack posts events, clicks and commands when there is no socket."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from slack_bolt import App, BoltResponse
from slack_sdk.signature import SignatureVerifier

from bot.dispatch import dispatch
from store.ports import Clock

PATH = "/slack/events"
"""One address for everything, as in manifest.http.json."""

LARGEST_BODY = 2 * 1024 * 1024
"""Bytes. A form with a click on a full message and its view is about 1 MB at most once it is percent-encoded."""

_QUIET_SECONDS = 60.0

Environ = Mapping[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]

log = logging.getLogger(__name__)


class NotFromSlackError(Exception):
    """A request that Slack did not send, not to us, or too long ago."""


class UnreadableError(Exception):
    """Slack signed it, and yet it is no payload."""


class RequestUrl:
    """A WSGI application: what Slack signed goes to the same listeners as over a socket, and is answered by them.

    It checks the signature itself and hands Bolt the parsed payload, as the socket does: Bolt's own reading of forms
    loses a command whose text contains the word "payload".
    """

    def __init__(self, app: App, signing_secret: str, clock: Clock) -> None:
        self._app, self._clock = app, clock
        self._verifier = SignatureVerifier(signing_secret, clock=clock)  # type: ignore[arg-type] # it only asks now()
        self._quiet_until = 0.0

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        status, headers, body = self._answer(environ)
        start_response(f"{status.value} {status.phrase}", [*headers, ("Content-Length", str(len(body)))])
        return [body]

    def stop(self) -> None:
        """Finish what was acknowledged; call it when no request comes any more."""
        self._app.listener_runner.listener_executor.shutdown(wait=True)

    def _answer(self, environ: Environ) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
        if environ["REQUEST_METHOD"] != "POST":
            return _plain(HTTPStatus.METHOD_NOT_ALLOWED, "Slack posts here; there is nothing to see")
        try:
            body = self._signed_body(environ)
            payload = parsed(body, str(environ.get("CONTENT_TYPE") or ""))
        except NotFromSlackError as error:
            self._complain(error)
            return _plain(HTTPStatus.UNAUTHORIZED, str(error))
        except UnreadableError as error:
            log.warning("Slack sent something unreadable, which is refused: %s", error)
            return _plain(HTTPStatus.BAD_REQUEST, str(error))
        return _of(dispatch(self._app, payload, _headers(environ)))

    def _signed_body(self, environ: Environ) -> bytes:
        body: bytes = environ["wsgi.input"].read(LARGEST_BODY)
        timestamp = str(environ.get("HTTP_X_SLACK_REQUEST_TIMESTAMP") or "")
        signature = str(environ.get("HTTP_X_SLACK_SIGNATURE") or "")
        try:
            genuine = self._verifier.is_valid(body, timestamp, signature)
        except (ValueError, TypeError):  # a timestamp that is no number, a body or signature that is no text
            genuine = False
        if not genuine:
            raise NotFromSlackError("the signature does not fit, or is older than five minutes")
        return body

    def _complain(self, error: Exception) -> None:
        """Once a minute: strangers knock at every address."""
        now = self._clock.boottime()
        if now >= self._quiet_until:
            self._quiet_until = now + _QUIET_SECONDS
            log.warning("a request was refused: %s; if it was Slack's, check SLACK_SIGNING_SECRET and the clock", error)


def parsed(body: bytes, content_type: str) -> Mapping[str, Any]:
    """A payload: JSON, a form with JSON in `payload`, or a form. `UnreadableError` for anything else."""
    try:
        text = body.decode()
        if content_type.partition(";")[0].strip().lower() == "application/json":
            payload = json.loads(text)
        else:
            form = dict(parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text)))
            payload = json.loads(form["payload"]) if "payload" in form else form
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"it is neither JSON nor a form ({type(error).__name__})") from error
    if not isinstance(payload, dict) or not payload:
        raise UnreadableError("it is no object")
    return payload


def _headers(environ: Environ) -> dict[str, str]:
    """Those Slack sets; Bolt's own switches are not for whoever sends a request."""
    wanted = ("HTTP_X_SLACK_RETRY_NUM", "HTTP_X_SLACK_RETRY_REASON", "HTTP_USER_AGENT")
    return {key[5:].lower().replace("_", "-"): str(environ[key]) for key in wanted if key in environ}


def _of(response: BoltResponse) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
    headers = [(name, value) for name, values in response.headers.items() for value in values]
    return HTTPStatus(response.status), headers, (response.body or "").encode(errors="replace")


def _plain(status: HTTPStatus, text: str) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
    return status, [("Content-Type", "text/plain; charset=utf-8")], f"{text}\n".encode()
