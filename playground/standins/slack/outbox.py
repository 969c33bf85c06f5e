"""Deliveries: one envelope to one socket, or one signed post, again until it is acknowledged or given up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from playground.standins.journal import Journal
from playground.standins.slack.request_url import RequestUrl
from playground.standins.slack.settings import Settings
from playground.standins.slack.sockets import Socket, Sockets

Json = dict[str, Any]

KEPT = 10_000  # deliveries and envelopes remembered


@dataclass(slots=True, eq=False)
class Delivery:
    """One payload on its way. `about` names its message in the journal."""

    kind: str
    payload: Json
    about: Json
    first_attempt: int = 0
    attempts: int = 0
    acked: bool = False
    lost: bool = False
    refused: bool = False
    """The app answered `x-slack-no-retry`."""
    answer: Json | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when acknowledged or given up."""

    @property
    def event_id(self) -> str:
        return str(self.payload.get("event_id", ""))

    def dump(self) -> Json:
        return {
            "envelope": self.kind,
            "event_id": self.event_id,
            "attempts": self.attempts,
            "acked": self.acked,
            "lost": self.lost,
            "answer": self.answer,
            **self.about,
        }


@dataclass(slots=True, eq=False)
class _Attempt:
    """One envelope: where it went, and how it ended (`acked` or `closed`)."""

    delivery: Delivery
    socket: Socket
    end: asyncio.Future[str]


class Outbox:
    """Sends in the order of `send`; what is unacknowledged comes again with the same event_id."""

    def __init__(self, journal: Journal, sockets: Sockets, settings: Callable[[], Settings]) -> None:
        self._journal, self._sockets, self._settings = journal, sockets, settings
        self._numbers = count(1)
        self._attempts: dict[str, _Attempt] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._connected = asyncio.Event()
        self.request_url = RequestUrl()
        self.deliveries: deque[Delivery] = deque(maxlen=KEPT)
        sockets.heard = self

    def send(self, kind: str, payload: Json, *, first_attempt: int = 0, **about: Any) -> Delivery:
        """Deliver an `events_api` payload until acknowledged, an `interactive` one once."""
        delivery = Delivery(kind, payload, about, first_attempt)
        self.deliveries.append(delivery)
        self._start(self._carry(delivery))
        return delivery

    def acked(self, envelope: str, answer: Json | None) -> bool:
        attempt = self._attempts.get(envelope)
        if attempt is None:
            return False
        self._take(attempt.delivery, answer, attempt.socket.id)
        if not attempt.end.done():
            attempt.end.set_result("acked")
        return True

    def _take(self, delivery: Delivery, answer: Json | None, socket: int | None = None) -> None:
        if not delivery.acked:
            delivery.acked, delivery.answer = True, answer
            self._journal.add("event.acked", **delivery.dump(), socket=socket)
        delivery.over.set()

    def opened(self) -> None:
        """Somebody is there: what waited for a connection goes out."""
        self._connected.set()
        self._connected = asyncio.Event()

    def closed(self, socket: Socket) -> None:
        for attempt in self._attempts.values():
            if attempt.socket is socket and not attempt.end.done():
                attempt.end.set_result("closed")

    def clear(self) -> None:
        """Forget everything; nothing is delivered any more. A late acknowledgement is still known."""
        for task in self._tasks:
            task.cancel()
        self.deliveries.clear()

    async def _carry(self, delivery: Delivery) -> None:
        reached, reason, connected = True, "", self._connected
        delays = (0.0, *self._settings().retry_delays) if delivery.kind == "events_api" else (0.0,)
        for number, delay in enumerate(delays, delivery.first_attempt):
            if delivery.attempts:
                await self._pause(delivery, delay, None if reached else connected)
            if delivery.over.is_set():
                return
            connected = self._connected
            reached, reason = await self._try(delivery, number, reason)
            if delivery.over.is_set():
                return
            self._journal.add("event.unacked", **delivery.dump(), reason=reason)
            if delivery.refused:
                break
        delivery.lost = True
        self._journal.add("event.lost", **delivery.dump())
        delivery.over.set()

    async def _try(self, delivery: Delivery, number: int, last_reason: str) -> tuple[bool, str]:
        """Send it once and wait for the end: was anybody there to take it, and why it failed."""
        delivery.attempts += 1
        if self._settings().transport == "http":
            return await self._post(delivery, number, last_reason)
        socket = self._sockets.next()
        if socket is None:
            return False, "connection_failed"
        envelope = f"env-{next(self._numbers)}-{delivery.event_id or delivery.kind}"
        end: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._attempts[envelope] = _Attempt(delivery, socket, end)
        if len(self._attempts) > KEPT:
            self._attempts.pop(next(iter(self._attempts)))
        frame = _frame(envelope, delivery, number, last_reason)
        self._journal.add("event.delivered", **delivery.dump(), retry=number, socket=socket.id, pid=socket.pid)
        if not await socket.send(frame):
            return False, "connection_failed"
        await asyncio.wait({end}, timeout=self._settings().ack_timeout)
        if end.done() and end.result() == "closed":
            return False, "connection_failed"
        return True, "timeout"

    async def _post(self, delivery: Delivery, number: int, last_reason: str) -> tuple[bool, str]:
        settings = self._settings()
        self._journal.add("event.delivered", **delivery.dump(), retry=number, socket=None, pid=None)
        posted = await self.request_url.post(
            settings.request_url,
            settings.signing_secret,
            delivery.kind,
            delivery.payload,
            settings.ack_timeout,
            (number, last_reason),
        )
        if not posted.reason:
            self._take(delivery, posted.answer)
        delivery.refused = posted.no_retry
        return posted.handed, posted.reason

    async def _pause(self, delivery: Delivery, delay: float, connected: asyncio.Event | None) -> None:
        """Wait out the delay, less when an ack comes late or, where nobody was there, somebody is `connected`."""
        waits = {asyncio.create_task(delivery.over.wait())}
        if connected is not None:
            waits.add(asyncio.create_task(connected.wait()))
        try:
            await asyncio.wait(waits, timeout=delay, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._journal.add("standin.failed", error=repr(error))
            raise error

    async def close(self) -> None:
        self.clear()
        await self.request_url.close()


def _frame(envelope: str, delivery: Delivery, number: int, last_reason: str) -> Json:
    frame: Json = {
        "envelope_id": envelope,
        "type": delivery.kind,
        "accepts_response_payload": delivery.kind != "events_api",
        "payload": delivery.payload,
    }
    if delivery.kind == "events_api":
        frame |= {"retry_attempt": number, "retry_reason": last_reason or ("timeout" if number else "")}
    return frame
