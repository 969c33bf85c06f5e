"""What a failed Slack call means: one table from error codes to the kinds of `ReplyError`.

Codes and classes: the method reference of docs.slack.dev (chat.*, common errors, May 2026).
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any, Literal
from urllib.error import URLError

from slack_sdk.errors import SlackApiError, SlackClientError

from store.ports import ReplyError

Kind = Literal["busy", "lost", "gone", "closed", "credentials", "payload"]

_BUSY = """
    ratelimited rate_limited service_unavailable request_timeout update_failed messaging_processing_failed
    external_channel_migrating team_added_to_org org_login_required streaming_state_conflict
"""
_AMBIGUOUS = "internal_error fatal_error"
_GONE = """
    message_not_found cant_update_message cant_delete_message edit_window_closed is_inactive file_not_found file_deleted
"""
_CLOSED = """
    channel_not_found not_in_channel is_archived restricted_action restricted_action_thread_locked
    restricted_action_non_threadable_channel restricted_action_read_only_channel
    restricted_action_thread_only_channel cannot_reply_to_message messages_tab_disabled user_not_in_channel
    thread_not_found invalid_thread_ts cannot_dm_bot user_not_found user_disabled
"""
_CREDENTIALS = """
    invalid_auth not_authed account_inactive token_revoked token_expired missing_scope not_allowed_token_type
    no_permission access_denied ekm_access_denied team_access_not_granted
"""

KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(_BUSY.split(), "busy"),
    **dict.fromkeys(_GONE.split(), "gone"),
    **dict.fromkeys(_CLOSED.split(), "closed"),
    **dict.fromkeys(_CREDENTIALS.split(), "credentials"),
}
"""Refusals with one meaning. A code that is not here will not go away by itself: `payload`."""

_AMBIGUOUS_CODES = frozenset(_AMBIGUOUS.split())

_CODE = re.compile(r"[a-z0-9_]+", re.ASCII)

_WHAT_TO_DO: Mapping[Kind, str] = {
    "busy": "nothing was done; try again later",
    "lost": "it may have been done; look before doing it again",
    "gone": "the message is not there to be changed",
    "closed": "nothing can be posted there; is the bot a member, is the channel open?",
    "credentials": "check the bot token and its scopes",
    "payload": "the same content will be refused again",
}


@contextmanager
def slack_call(doing: str, *, posting: bool = False) -> Iterator[None]:
    """Turns whatever slack_sdk raises into a `ReplyError` that says what was being done."""
    try:
        yield
    except (SlackClientError, HTTPException, OSError, ValueError) as error:
        raise failure(error, doing, posting=posting) from error


def failure(error: Exception, doing: str, *, posting: bool = False) -> ReplyError:
    """The error as a `ReplyError`; `posting` where doing it again would be seen twice."""
    if not isinstance(error, SlackApiError):
        kind: Kind = "busy" if _never_connected(error) else "lost"
        return ReplyError(f"{doing}: {error!r}; {_WHAT_TO_DO[kind]}", kind=kind)
    response: Any = error.response
    status = int(getattr(response, "status_code", 0))
    said = str(response.get("error") or "")
    # Where the answer was no JSON, slack_sdk puts a sentence about it in the code's place.
    code = said if _CODE.fullmatch(said) else ""
    kind = _kind(code, status, posting)
    return ReplyError(
        f"{doing}: Slack answered {said or 'nothing'} (HTTP {status}{_details(response)}); {_WHAT_TO_DO[kind]}",
        kind=kind,
        code=code,
        retry_after=_retry_after(response),
    )


def _kind(code: str, status: int, posting: bool) -> Kind:
    if code in KINDS:
        return KINDS[code]
    if code in _AMBIGUOUS_CODES or (not code and (status >= 500 or status == 200)):
        return "lost" if posting else "busy"
    if not code:
        return "busy"  # 429, or a proxy on the way: surely not applied
    return "payload"


def _never_connected(error: Exception) -> bool:
    reason = error.reason if isinstance(error, URLError) else error
    return isinstance(reason, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError))


def _retry_after(response: Any) -> float | None:
    for name, value in getattr(response, "headers", {}).items():
        if name.lower() == "retry-after" and str(value).isdigit():
            return float(value)
    return None


def _details(response: Any) -> str:
    """What Slack says about blocks it refuses."""
    metadata = response.get("response_metadata") or {}
    return "".join(f", {message}" for message in metadata.get("messages") or ())
