"""Files that people attached to a message of the thread: what they are, and their text where they have one."""

from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from store.ports import Attachment, Clock, ReplyError
from store.thread import ThreadId

MOST_BYTES = 1024 * 1024
"""A larger file is named only."""
_TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in ("json", "xml", "yaml", "x-yaml", "toml", "javascript", "sql", "x-sh", "x-python", "x-ndjson")
)
_KINDS = """
    text markdown csv tsv json xml yaml toml python javascript typescript java go rust c cpp csharp ruby php shell
    sql html css diff log kotlin swift scala lua perl r dockerfile
"""
_TEXT_KINDS = frozenset(_KINDS.split())
"""Slack's names of file types that are text."""


class _NoRedirect(HTTPRedirectHandler):
    """A redirect would carry our token elsewhere, and Slack's own lead to a login page."""

    def redirect_request(self, *_: Any) -> None:
        return None


def read_attachment(client: WebClient, file: str, thread: ThreadId, timeout: float, clock: Clock) -> Attachment:
    """The file, if it was shared in this thread; `ReplyError` of kind `closed` where it was not.

    Its text is there for text, Markdown, CSV, JSON and code of at most `MOST_BYTES`; else `why` says why not.
    """
    until = clock.boottime() + timeout
    with slack_call(f"asking Slack what {file} is (files.info)"):
        answer = within(client, timeout).files_info(file=file)
    info: Mapping[str, Any] = answer["file"]
    if not _shared_in(info, thread):
        raise ReplyError(f"{file} was not shared in this thread", kind="closed", code="not_in_thread")
    name, kind, size = str(info.get("name") or file), str(info.get("mimetype") or ""), int(info.get("size") or 0)
    why = _unreadable(info, size)
    if why:
        return Attachment(file, name, kind, size, why=why)
    url = str(info.get("url_private_download") or info.get("url_private") or "")
    if not _is_slacks(url, client.base_url):
        return Attachment(file, name, kind, size, why="it is not kept at Slack")
    text = _download(client, url, kind, max(0.1, until - clock.boottime()))
    return Attachment(file, name, kind, size, text, "" if text is not None else "it is not text")


def _shared_in(info: Mapping[str, Any], thread: ThreadId) -> bool:
    shares = info.get("shares") or {}
    places = [share for kind in ("public", "private") for share in (shares.get(kind) or {}).get(thread.channel) or ()]
    return any(thread.root in (share.get("thread_ts"), share.get("ts")) for share in places)


def _unreadable(info: Mapping[str, Any], size: int) -> str:
    """Why its text is not to be had, as far as Slack's word goes."""
    kind = str(info.get("mimetype") or "")
    if info.get("is_external") or info.get("mode") in ("external", "tombstone", "hidden_by_limit"):
        return "it is not kept at Slack"
    if not (kind.startswith("text/") or kind in _TEXT_TYPES or info.get("filetype") in _TEXT_KINDS):
        return "it is not text"
    return f"it is larger than {MOST_BYTES:,} bytes" if size > MOST_BYTES else ""


def _is_slacks(url: str, api: str) -> bool:
    """Whether our token may go there: Slack's own hosts, or the one that the API itself is at."""
    there, ours = urlsplit(url), urlsplit(api)
    host = there.hostname or ""
    own = there.scheme == "https" and there.port in (None, 443) and (host == "slack.com" or host.endswith(".slack.com"))
    return own or ((there.scheme, there.netloc) == (ours.scheme, ours.netloc) and not host.endswith("slack.com"))


def _download(client: WebClient, url: str, kind: str, timeout: float) -> str | None:
    """The text at a file's address; None where it is none after all."""
    doing = "reading an attached file"
    request = Request(url, headers={"Authorization": f"Bearer {client.token}"})  # noqa: S310 - checked above
    try:
        with build_opener(ProxyHandler({}), _NoRedirect).open(request, timeout=timeout) as answer:
            content: bytes = answer.read(MOST_BYTES + 1)
            served = answer.headers.get_content_type()
    except (URLError, HTTPException, OSError) as error:
        raise ReplyError(f"{doing}: {error!r}", kind="busy") from error
    if served == "text/html" and kind != "text/html":
        raise ReplyError(f"{doing}: Slack showed its login page; the app needs files:read", kind="closed", code="login")
    if len(content) > MOST_BYTES or b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")
