"""A file in a thread: brought to Slack where nobody sees it, then shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from slack_sdk import WebClient

from bot.client import within
from bot.failure import slack_call
from store.ports import Clock, ReplyError
from store.thread import ThreadId

_CONFINED = frozenset(
    {"missing_scope", "not_allowed_token_type", "no_permission", "access_denied", "file_already_completed"}
)
"""Refusals that say something about files only: posts still work."""


def upload_file(client: WebClient, name: str, content: bytes, timeout: float, clock: Clock) -> str:
    """The id of a file with this content; nobody sees it before `show_file`."""
    until = clock.boottime() + timeout
    doing = f"uploading {name}"
    with _file_call(doing):
        place = within(client, timeout).files_getUploadURLExternal(filename=name, length=len(content))
    left = until - clock.boottime()
    if left <= 0:
        raise ReplyError(f"{doing} took longer than {timeout:.1f} s", kind="busy")
    hurried = within(client, left)
    with _file_call(doing):
        # The SDK's own way to the address it was given: it knows about proxies and certificates.
        result = hurried._upload_file(
            url=str(place["upload_url"]),
            data=content,
            logger=hurried._logger,
            timeout=hurried.timeout,
            proxy=hurried.proxy,
            ssl=hurried.ssl,
        )
    if result.status != 200:
        raise ReplyError(f"{doing}: Slack answered HTTP {result.status} {result.body[:200]}", kind="busy")
    return str(place["file_id"])


def show_file(client: WebClient, file: str, title: str, thread: ThreadId, timeout: float) -> None:
    """Show an uploaded file in the thread; one that was shown already stays as it is."""
    try:
        with _file_call(f"showing the file {file} in {thread}", posting=True):
            within(client, timeout).files_completeUploadExternal(
                files=[{"id": file, "title": title}], channel_id=thread.channel, thread_ts=thread.root
            )
    except ReplyError as error:
        if error.code != "file_already_completed":
            raise


@contextmanager
def _file_call(doing: str, *, posting: bool = False) -> Iterator[None]:
    """`slack_call`, where an app that may not handle files is no fault of its token."""
    try:
        with slack_call(doing, posting=posting):
            yield
    except ReplyError as error:
        if error.code in _CONFINED:
            raise ReplyError(str(error), kind="payload", code=error.code) from error
        raise
