"""Claude, through the anthropic SDK: the `Model` seam for real."""

from __future__ import annotations

import functools
import json
import os
import ssl
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import anthropic
import httpx2

from store.ports import Cut, Delta, Json, ModelAnswer, ModelError, ModelRequest, Usage
from worker.model import refusal
from worker.model.blocks import GrowingAnswer
from worker.model.wire import Wire

CONNECT_TIMEOUT = 5.0
PINGS_ONLY = 4.0  # read timeouts: a stream that only pings is alive, but not for ever


class Claude:
    """Asks Anthropic's Messages API, streaming, once: no retry and no sleep in here.

    read_timeout: seconds without a byte until the call is given up as `network`. A ping is a byte, so a stream
    that sends nothing but pings is given up after four times that, looked at on each ping.
    http_client: makes the client of a connection, instead of the SDK's own (for doubles).
    Connections are made at the first call in a process and never shared over a fork; they are reused from call
    to call. Several threads may ask at once. `stopwatch` is only ever compared with itself within one call.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str | None,
        *,
        read_timeout: float = 75.0,
        http_client: Callable[[], httpx2.Client] | None = None,
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._api_key, self._base_url, self._read_timeout = api_key, base_url, read_timeout
        self._http_client = http_client or _http_client
        self._stopwatch = stopwatch
        self._idle: deque[Wire] = deque()
        self._pid = 0

    @staticmethod
    def prepare() -> None:
        """Pay before a fork what every child would pay: reading the certificates (25-50 ms)."""
        _trust()

    def ask(self, request: ModelRequest, heard: Callable[[Delta], None], cut: Cut) -> ModelAnswer:
        """The whole answer, or `ModelError`.

        Its content leaves out a tool call that `max_tokens` cut short, so it may be empty. A `cut` ends the call
        within milliseconds wherever it is, except while connecting (5 s). Whatever `heard` raises comes through.
        """
        if cut.fired:
            raise ModelError("stopped before the call left", kind="cut", usage=Usage())
        wire = self._take()
        answer = GrowingAnswer(heard)
        whole = None
        cut.arm(wire.shut)
        try:
            whole = answer.whole(self._stream(wire, _body(request), answer))
            return whole
        except ModelError as error:
            raise _with_losses(error, answer, wire, cut) from error.__cause__
        finally:
            cut.disarm()
            self._put_back(wire, whole is not None and not cut.fired)

    def close(self) -> None:
        """Close the idle connections; a later call makes new ones."""
        while self._idle:
            self._idle.pop().close()

    def _stream(self, wire: Wire, body: Json, answer: GrowingAnswer) -> str:
        """Feed the stream to `answer`; its request id, once it has ended properly."""
        request_id = ""
        try:
            with self._post(wire, body) as stream:
                request_id = stream.response.headers.get("request-id", "")
                self._listen(stream.response, answer)
        except anthropic.APIStatusError as error:
            raise refusal.of_status(error) from error
        except (anthropic.APIError, httpx2.HTTPError, httpx2.StreamError, OSError, UnicodeDecodeError) as error:
            if not answer.ended:
                raise ModelError(_what_broke(error), kind="network", code=type(error).__name__) from error
        except UnicodeEncodeError as error:
            raise ModelError(f"the request holds text that is not Unicode: {error}", kind="invalid") from error
        if not answer.ended:
            raise ModelError("the stream ended without a stop reason; ask again", kind="network", code="cut_short")
        return request_id

    def _post(self, wire: Wire, body: Json) -> anthropic.Stream[Any]:
        sdk = anthropic.Anthropic(
            api_key=self._api_key,
            base_url=self._base_url,
            http_client=wire.client,
            max_retries=0,
            timeout=httpx2.Timeout(self._read_timeout, connect=CONNECT_TIMEOUT),
        )
        # post instead of messages.create: the body leaves exactly as it stands in the record
        return sdk.post("/v1/messages", body=body, cast_to=object, stream=True, stream_cls=anthropic.Stream[Any])

    def _listen(self, response: httpx2.Response, answer: GrowingAnswer) -> None:
        last = self._stopwatch()
        for event in anthropic.Stream.raw_events(response):
            if event.event == "ping":
                if self._stopwatch() - last > PINGS_ONLY * self._read_timeout:
                    raise ModelError("Claude sent only pings for too long; ask again", kind="network", code="silent")
                continue
            if answer.ended:
                continue  # read on to the end all the same: the connection is then good for the next call
            last = self._stopwatch()
            data = _data(event.data)
            if event.event == "error":
                raise refusal.of_event(data)
            answer.take(data)

    def _take(self) -> Wire:
        if self._pid != os.getpid():
            self._pid, self._idle = os.getpid(), deque()
        try:
            return self._idle.pop()
        except IndexError:
            return Wire(self._http_client())

    def _put_back(self, wire: Wire, usable: bool) -> None:
        if usable:
            self._idle.append(wire)
        else:
            wire.close()


@functools.cache
def _trust() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def _http_client() -> httpx2.Client:
    limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=60)
    return anthropic.DefaultHttpxClient(verify=_trust(), limits=limits)


def _body(request: ModelRequest) -> Json:
    """The request as it leaves. The one prompt-cache marker exists only here: it is never stored."""
    body: Json = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": _marked(request.messages),
        "thinking": {"type": "adaptive", "display": "summarized"},
        "stream": True,
    }
    if request.system:
        body["system"] = request.system
    if request.tools:
        body["tools"] = list(request.tools)
    if request.effort is not None:
        body["output_config"] = {"effort": request.effort}
    return body


def _marked(messages: Sequence[Json]) -> list[Json]:
    marked = list(messages)
    for at in reversed(range(len(marked))):
        if marked[at]["role"] != "user":
            continue
        content = marked[at]["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
        marked[at] = {**marked[at], "content": blocks}
        break
    return marked


def _data(written: str) -> Json:
    try:
        data = json.loads(written)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise ModelError("an event of the stream is not a JSON object; ask again", kind="network", code="garbled")
    return data


def _what_broke(error: Exception) -> str:
    cause = error.__cause__ or error
    return f"the connection to Claude broke ({type(cause).__name__}: {cause}); ask again"


def _with_losses(error: ModelError, answer: GrowingAnswer, wire: Wire, cut: Cut) -> ModelError:
    """The same error with what the attempt cost and had said; what we ended ourselves is a `cut`."""
    spent = answer.usage(wire.sent)
    if cut.fired:
        return ModelError("stopped while Claude was answering", kind="cut", usage=spent, partial=answer.partial)
    refused = error.status is not None and error.status != 200
    error.usage = Usage() if refused else spent
    error.partial = answer.partial
    return error
