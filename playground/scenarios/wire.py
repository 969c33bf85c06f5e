"""Redis' protocol as far as a proxy needs it: where one command ends and the next begins."""

from __future__ import annotations

from collections.abc import Sequence

Frame = tuple[bytes, list[bytes]]
"""A command as it came, and its words."""


class Commands:
    """Cuts what a client sends into commands; keeps what is not whole yet."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Frame]:
        self._buffer += data
        frames: list[Frame] = []
        start = 0
        while (found := _command(self._buffer, start)) is not None:
            end, words = found
            frames.append((bytes(self._buffer[start:end]), words))
            start = end
        del self._buffer[:start]
        return frames


def _command(buffer: bytearray, start: int) -> tuple[int, list[bytes]] | None:
    """Where the command at `start` ends, and its words; None while it is not whole."""
    line = buffer.find(b"\r\n", start)
    if line < 0:
        return None
    if buffer[start : start + 1] != b"*":
        raise ValueError(f"not a command: {bytes(buffer[start : start + 40])!r}")
    count, at = int(buffer[start + 1 : line]), line + 2
    words: list[bytes] = []
    for _ in range(count):
        line = buffer.find(b"\r\n", at)
        if line < 0:
            return None
        size, at = int(buffer[at + 1 : line]), line + 2
        if len(buffer) < at + size + 2:
            return None
        words.append(bytes(buffer[at : at + size]))
        at += size + 2
    return at, words


def encoded(words: Sequence[str]) -> bytes:
    """A command as it is sent."""
    raw = [word.encode() for word in words]
    return b"*%d\r\n" % len(raw) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in raw)
