"""The end of a process, announced: no new call starts, running ones get the grace time."""

from __future__ import annotations

from store.ports import Clock, Cut, Threads

STREAM_SPARE = 8.0
"""Seconds before the end of the grace time at which a model stream is cut, so that it can still be recorded."""


class Drain:
    """Asked for once, however often the signal comes. grace: seconds from `begin` to the end."""

    def __init__(self, threads: Threads, clock: Clock, grace: float = 20.0) -> None:
        self._threads, self._clock, self._grace = threads, clock, grace
        self._ends: float | None = None
        self._cuts: list[Cut] = []

    @property
    def begun(self) -> bool:
        return self._ends is not None

    @property
    def time_left(self) -> float:
        """Seconds of grace that are left; endless while nothing was asked."""
        return float("inf") if self._ends is None else max(0.0, self._ends - self._clock.boottime())

    def begin(self) -> None:
        """Announce the end. Called from a thread, never from a signal handler."""
        if self._ends is not None:
            return
        self._ends = self._clock.boottime() + self._grace
        self._threads.start("drain", self._cut_streams)

    def watch(self, cut: Cut) -> None:
        """Let this stream run until shortly before the end, then cut it."""
        self._cuts.append(cut)

    def forget(self, cut: Cut) -> None:
        self._cuts.remove(cut)

    def _cut_streams(self) -> None:
        self._threads.sleep(max(0.0, self._grace - STREAM_SPARE))
        for cut in list(self._cuts):
            cut.fire()
