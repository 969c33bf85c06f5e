"""Everything that is seen to happen during a play, from every side, in one order; and waiting for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Condition
from time import perf_counter
from typing import Any

Match = Callable[["Happening"], bool]
BOT_IS_UP = ("slack.socket.connected", "bot.listens")
"""What happens when Slack can reach one more bot, over either transport."""


class NothingHappened(AssertionError):
    """What was waited for did not come; the message says what, and what came last."""


@dataclass(frozen=True, slots=True)
class Happening:
    """The `n`-th thing seen. kind: `side.noun.participle`; at: seconds of a stopwatch."""

    n: int
    at: float
    kind: str
    data: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.data.get(name)


class Happenings:
    """Told from several threads, waited for by one."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._all: list[Happening] = []
        self._broken: str = ""

    def tell(self, kind: str, **data: Any) -> None:
        with self._changed:
            self._all.append(Happening(len(self._all), perf_counter(), kind, data))
            self._changed.notify_all()

    def fail(self, why: str) -> None:
        """Nobody waits any longer: something without which nothing can happen is gone."""
        with self._changed:
            self._broken = self._broken or why
            self._changed.notify_all()

    def clear(self) -> None:
        with self._changed:
            self._all.clear()
            self._broken = ""

    @property
    def count(self) -> int:
        return len(self._all)

    def all(self, *kinds: str) -> list[Happening]:
        with self._changed:
            return [one for one in self._all if not kinds or one.kind in kinds]

    def since(self, n: int) -> list[Happening]:
        """Those from number `n` on."""
        with self._changed:
            return self._all[n:]

    def wait(self, match: Match, describe: str, *, timeout: float, nth: int = 1, since: int = 0) -> Happening:
        """The `nth` happening from number `since` on that matches; `NothingHappened` after `timeout` seconds."""
        deadline = perf_counter() + timeout
        seen, at = 0, since
        with self._changed:
            while True:
                while at < len(self._all):
                    one, at = self._all[at], at + 1
                    seen += match(one)
                    if seen == nth:
                        return one
                left = deadline - perf_counter()
                if self._broken or left <= 0:
                    raise NothingHappened(self._broken or f"not within {timeout:g} s: {describe}; {self._last()}")
                self._changed.wait(left)

    def until(self, true: Callable[[], bool], describe: str, *, timeout: float) -> None:
        """Wait until `true()`, which is asked after whatever happens."""
        deadline = perf_counter() + timeout
        while True:
            count = self.count
            if true():
                return
            with self._changed:
                left = deadline - perf_counter()
                if self._broken or left <= 0:
                    raise NothingHappened(self._broken or f"not within {timeout:g} s: {describe}; {self._last()}")
                if len(self._all) == count:
                    self._changed.wait(min(left, 1.0))

    def _last(self) -> str:
        last = [f"{one.kind} {_brief(one.data)}".strip() for one in self._all if one.kind in TELLING][-4:]
        return f"last seen: {'; '.join(last) or 'nothing'}"


TELLING = frozenset(
    {"store.commit", "store.claim", "store.release", "tool.started", "tool.finished", "claude.call.ended", "death"}
)


def _brief(data: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in data.items() if name in ("words", "tool", "pid", "ended"))
