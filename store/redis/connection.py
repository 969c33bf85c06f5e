"""Clients of Redis, each with a stated patience: how long a caller may be kept waiting before it is told no.

| client        | one try             | tries again            | at the latest after |
|---------------|---------------------|------------------------|---------------------|
| `for_bot`     | 1 s connect + 1 s   | never                  | 2 s                 |
| `for_tenure`  | 1.5 s connect + 2 s | until 6 s have passed  | 10 s, lease 15 s    |
| `for_signals` | 1.5 s connect + 10 s| never                  | 12 s                |
| `for_wakes`   | 2 s connect + 5 s   | 60 times, 2 s apart    | minutes             |

`for_wakes` outlasts a restart of the server; RQ itself raises its answer time above its block time. A lost answer
makes a client send again, so whatever is sent through them must be idempotent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from redis import Redis
from redis.backoff import ExponentialWithJitterBackoff, NoBackoff
from redis.retry import Retry

from store.system import SystemClock, SystemThreads

T = TypeVar("T")

BOT_SECONDS = 1.0
TENURE_BUDGET = 6.0
BLOCK_SECONDS = 8.0
"""The longest block that `for_signals` allows for."""
WAKE_TRIES = 60

_clock = SystemClock()
_threads = SystemThreads()


class Budget(Retry):
    """Tries again, with a growing pause, until `seconds` have passed since the first try.

    redis-py nests these (a command's tries each include a connect's tries): a budget of time holds where a count of
    tries would multiply.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(ExponentialWithJitterBackoff(base=0.02, cap=0.5), retries=-1)
        self._seconds = seconds

    def call_with_retry(
        self,
        do: Callable[[], T],
        fail: Callable[..., Any],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,
    ) -> T:
        until = _clock.boottime() + self._seconds
        failures = 0
        while True:
            try:
                return do()
            except self._supported_errors as error:
                if is_retryable and not is_retryable(error):
                    raise
                failures += 1
                fail(error, failures) if with_failure_count else fail(error)
                pause = self._backoff.compute(failures)
                if _clock.boottime() + pause > until:
                    raise
                _threads.sleep(pause)


def for_bot(url: str, *, verify: bool = True) -> Redis:
    """Says no within 2 s: Slack waits for 3 s, and asks again by itself."""
    return _client(url, "bot", verify, BOT_SECONDS, BOT_SECONDS, Retry(NoBackoff(), 0))


def for_bot_wakes(url: str, *, verify: bool = True) -> Redis:
    """As `for_bot`, in bytes: what RQ wants. A wake that fails is made up for by the sweep."""
    return _client(url, "bot-wakes", verify, BOT_SECONDS, BOT_SECONDS, Retry(NoBackoff(), 0), text=False)


def for_tenure(url: str, *, verify: bool = True) -> Redis:
    """Rides out a quick restart, and says no while there is still lease left to act on it."""
    return _client(url, "tenure", verify, 1.5, 2.0, Budget(TENURE_BUDGET))


def for_signals(url: str, *, verify: bool = True) -> Redis:
    """For blocking reads of up to `BLOCK_SECONDS`."""
    return _client(url, "signals", verify, 1.5, BLOCK_SECONDS + 2, Retry(NoBackoff(), 0))


def for_wakes(url: str, *, verify: bool = True) -> Redis:
    """RQ's own, in bytes: waits for minutes rather than end a worker process."""
    backoff = ExponentialWithJitterBackoff(base=0.05, cap=2.0)
    return _client(url, "wakes", verify, 2.0, 5.0, Retry(backoff, WAKE_TRIES), text=False)


def address(url: str) -> str:
    """Where a Redis URL leads, without its password."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return parts.path
    return f"{parts.hostname or 'localhost'}:{parts.port or 6379}"


def _client(
    url: str, name: str, verify: bool, connect: float, answer: float, retry: Retry, *, text: bool = True
) -> Redis:
    more: dict[str, Any] = {}
    if url.startswith("rediss://") and not verify:
        more = {"ssl_cert_reqs": "none", "ssl_check_hostname": False}
    if not url.startswith("unix://"):
        more |= {"socket_connect_timeout": connect, "socket_keepalive": True}
    # RESP2: the same shapes from every server and from fakeredis, and one round trip less per connection.
    return Redis.from_url(
        url,
        protocol=2,
        socket_timeout=answer,
        retry=retry,
        client_name=f"everthread-{name}",
        driver_info=None,
        decode_responses=text,
        **more,
    )
