"""One answer of a web server, read within bounds of size, type and encoding."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import httpcore2

from worker.tools.fetch.readable import readable
from worker.tools.tool import ToolError

MAX_BYTES = 2 * 1024 * 1024
"""Of a page, packed and unpacked."""

_TEXTS = re.compile(r"text/.+|application/(?:.+\+)?(?:json|xml|yaml|javascript|x-ndjson)|application/x-(?:yaml|sh)")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_GZIP = 31
"""zlib's name for a gzip stream."""


@dataclass(frozen=True, slots=True)
class Head:
    """What an answer says of itself."""

    status: int
    reason: str
    kind: str
    charset: str
    coding: str
    length: int
    location: str

    @classmethod
    def of(cls, response: httpcore2.Response) -> Head:
        headers = {name.lower(): value.decode("latin-1").strip() for name, value in response.headers}
        kind, _, rest = headers.get(b"content-type", "text/plain").partition(";")
        charset = _CHARSET.search(rest)
        length = headers.get(b"content-length", "")
        return cls(
            status=response.status,
            reason=response.extensions.get("reason_phrase", b"").decode("latin-1"),
            kind=kind.strip().lower(),
            charset=charset.group(1) if charset else "",
            coding=headers.get(b"content-encoding", "").lower(),
            length=int(length) if length.isascii() and length.isdigit() else 0,
            location=headers.get(b"location", ""),
        )


def read_page(head: Head, stream: Iterable[bytes], url: str) -> str:
    """The page as text; `ToolError` says which bound it does not keep."""
    if not _TEXTS.fullmatch(head.kind):
        raise ToolError(f"{url} is {head.kind}, which I cannot read; I read text, JSON and web pages.", code="type")
    if head.length > MAX_BYTES:
        raise _too_large(url)
    packed = _bounded(stream, url)
    body = b"".join(_bounded(_unpacked(packed, head.coding, url), url))
    text = _decoded(body, head.charset)
    return readable(text, url) if head.kind in ("text/html", "application/xhtml+xml") else text


def _bounded(stream: Iterable[bytes], url: str) -> Iterator[bytes]:
    size = 0
    for piece in stream:
        size += len(piece)
        if size > MAX_BYTES:
            raise _too_large(url)
        yield piece


def _unpacked(packed: Iterator[bytes], coding: str, url: str) -> Iterator[bytes]:
    """A piece is unpacked to at most one byte more than may be: a bomb never unfolds."""
    if coding in ("", "identity"):
        yield from packed
        return
    if coding not in ("gzip", "x-gzip"):
        raise ToolError(f"{url} is packed with {coding}, which I did not ask for and cannot read.", code="encoding")
    unzip, fed = zlib.decompressobj(_GZIP), False
    damaged = ToolError(f"{url} says that it is packed with gzip, but it is damaged.", code="encoding")
    try:
        for piece in packed:
            fed = True
            yield unzip.decompress(piece, MAX_BYTES + 1)
    except zlib.error as error:
        raise damaged from error
    if fed and not unzip.eof:
        raise damaged


def _decoded(body: bytes, charset: str) -> str:
    try:
        return body.decode(charset or "utf-8", "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def _too_large(url: str) -> ToolError:
    return ToolError(f"{url} is larger than {MAX_BYTES // 1024 // 1024} MB, so it was not read.", code="too_large")
