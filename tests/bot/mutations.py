"""Payloads with something wrong in them, posted to the real bot over signed HTTP.

    python -m tests.bot.mutations 20000 [SEED]

Each is answered within a second; a 500 comes with a line in the log that names the payload; and what was only changed
harmlessly is taken as if it had not been. The seed makes a run repeatable.
"""

from __future__ import annotations

import copy
import json
import logging
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any

from bot.request_url import LARGEST_BODY, PATH, RequestUrl
from everthread.web import WebServer
from playground.standins.slack.request_url import encoded, signed
from store.system import SystemClock, SystemIds, SystemThreads
from tests.bot import payloads
from tests.bot.doubles import Bot

Json = dict[str, Any]
SIGNING_SECRET = "of the tests"
SLOW_SECONDS = 2.5
"""Slack waits 3 s."""

_ODD: tuple[Any, ...] = (
    *(None, "", 0, -1, 1e300, True, [], {}, [[]], "\ud83d", "\x00", "<!channel>", "x" * 5_000, {"id": None}, ["a", 1]),
)


@dataclass
class Tally:
    """What became of the posts. bad: those that broke a promise, each with its seed."""

    sent: int = 0
    kept: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)


class Lines(logging.Handler):
    """Collects what the bot logs about payloads."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@contextmanager
def a_bot() -> Iterator[tuple[Bot, int]]:
    """A bot over doubles, and the port it listens on."""
    clock = SystemClock()
    bot = Bot(clock, SystemIds())
    request_url = RequestUrl(bot.app, SIGNING_SECRET, clock)
    web = WebServer("127.0.0.1", 0, {PATH: request_url}, clock, LARGEST_BODY)
    web.start(SystemThreads())
    try:
        yield bot, web.port
    finally:
        web.stop()
        request_url.stop()


def everything() -> list[tuple[str, str, Json]]:
    """Every payload: its kind for the wire, its name, itself."""
    kinds = {
        "events_api": payloads.events(),
        "interactive": payloads.interactions(),
        "slash_commands": payloads.commands(),
    }
    return [(kind, name, payload) for kind, found in kinds.items() for name, payload in found.items()]


def run(count: int, seed: int) -> Tally:
    """Post `count` changed payloads: one in four changed harmlessly, the others anyhow."""
    tally, lines = Tally(), Lines()
    log = logging.getLogger("bot")
    log.addHandler(lines)
    choose, all_of_them = random.Random(seed), everything()  # noqa: S311 - a run shall be repeatable
    try:
        with a_bot() as (bot, port), closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
            for number in range(count):
                kind, name, payload = choose.choice(all_of_them)
                if number % 4 == 0:
                    _harmless(choose, bot, connection, kind, name, payload, tally)
                else:
                    _anyhow(choose, connection, kind, name, payload, tally, lines)
    finally:
        log.removeHandler(lines)
    return tally


def _harmless(
    choose: random.Random, bot: Bot, connection: HTTPConnection, kind: str, name: str, payload: Json, tally: Tally
) -> None:
    changed = copy.deepcopy(payload)
    for _ in range(choose.randint(1, 4)):
        inside = choose.choice(list(_records(changed)))
        inside[f"new_field_{choose.randint(1, 99)}"] = choose.choice(("x", 1, None, {"a": []}))
    words = payloads.SAID.get(name)
    if words is not None:
        ts = f"18{choose.randint(10**7, 10**8 - 1)}.{choose.randint(10**5, 10**6 - 1)}"
        changed["event"] = {**changed["event"], "ts": ts, "event_ts": ts}
    bot.admissions.taken.clear()
    body, content_type = encoded(kind, changed)
    status = post(connection, body, content_type, tally)
    taken = [said.text for said in bot.inputs]
    if status != 200 or (words is not None and taken != [words]) or (words is None and taken):
        tally.bad.append(f"{name}, changed harmlessly, got {status} and {taken}: {json.dumps(changed)[:2_000]}")
    tally.kept += len(taken)


def _anyhow(
    choose: random.Random, connection: HTTPConnection, kind: str, name: str, payload: Json, tally: Tally, lines: Lines
) -> None:
    changed = copy.deepcopy(payload)
    for _ in range(choose.randint(1, 3)):
        _spoil(choose, changed)
    body, content_type = encoded(kind, changed)
    if choose.random() < 0.2:
        body = _bytes_spoilt(choose, body)
    if choose.random() < 0.05:
        content_type = choose.choice(("text/plain", "", "application/json", "application/x-www-form-urlencoded"))
    before = len(lines.lines)
    clock = SystemClock()
    began = clock.boottime()
    status = post(connection, body, content_type, tally)
    told = [line for line in lines.lines[before:] if "could not be handled" in line or "left for later" in line]
    if (status >= 500 and not told) or clock.boottime() - began > SLOW_SECONDS:
        tally.bad.append(f"{name} got {status} with {lines.lines[before:]}: {body[:2_000]!r}")


def post(connection: HTTPConnection, body: bytes, content_type: str, tally: Tally) -> int:
    connection.request("POST", PATH, body, signed(SIGNING_SECRET, body, content_type))
    answer = connection.getresponse()
    answer.read()
    tally.sent += 1
    tally.statuses[answer.status] += 1
    return answer.status


def _spoil(choose: random.Random, payload: Json) -> None:
    """Drop, replace, double or nest one value somewhere."""
    inside = choose.choice(list(_records(payload)))
    if not inside:
        return
    key = choose.choice(list(inside))
    match choose.randrange(4):
        case 0:
            del inside[key]
        case 1:
            inside[key] = copy.deepcopy(choose.choice(_ODD))
        case 2:
            inside[key] = [inside[key], inside[key]]
        case _:
            inside[key] = {key: inside[key]}


def _bytes_spoilt(choose: random.Random, body: bytes) -> bytes:
    at = choose.randrange(len(body) + 1)
    match choose.randrange(3):
        case 0:
            return body[:at]
        case 1:
            return body[:at] + bytes([choose.randrange(256)]) + body[at + 1 :]
        case _:
            return body[:at] + b"%00%ff&payload=1" + body[at:]


def _records(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _records(item)
    elif isinstance(value, list):
        for item in value:
            yield from _records(item)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)  # noqa: S311 - a seed to print
    logging.getLogger("slack_bolt").setLevel(logging.CRITICAL)
    logging.lastResort = None
    tally = run(count, seed)
    statuses = ", ".join(f"{status}: {number}" for status, number in sorted(tally.statuses.items()))
    print(f"seed {seed}: {tally.sent} posted ({statuses}), {tally.kept} taken, {len(tally.bad)} wrong")  # noqa: T201
    for line in tally.bad[:20]:
        print(line)  # noqa: T201
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())
