"""The real `Clock`, `Ids` and `Threads`: the operating system behind three of the five seams.

Nothing here keeps state, so all of it may be built before a fork and used after it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable

from store.ports import Event, Task

ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
"""32 characters nobody mistakes for one another: no l, o, 0 or 1."""
ID_LENGTH = 12
"""Characters after the first letter: 60 random bits."""

_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", None)


class SystemClock:
    """The machine's clocks."""

    def now(self) -> float:
        return time.time()  # noqa: TID251 - this is the port

    def boottime(self) -> float:
        """Seconds that also pass while the machine sleeps, where it has such a clock; else it stands still then."""
        if _BOOTTIME is not None:
            return time.clock_gettime(_BOOTTIME)
        return time.monotonic()  # noqa: TID251 - the nearest thing outside Linux


class SystemIds:
    """Names from the system's own randomness, which a fork does not copy."""

    def new(self, kind: str) -> str:
        return kind[0] + "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


class SystemThreads:
    """Threads of the interpreter. What `start` starts does not keep the process alive."""

    def start(self, name: str, work: Callable[[], None]) -> Task:
        thread = threading.Thread(target=work, name=name, daemon=True)  # noqa: TID251 - this is the port
        thread.start()
        return thread

    def event(self) -> Event:
        return threading.Event()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: TID251 - this is the port
