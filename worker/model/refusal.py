"""What Claude's refusals mean to a caller: the service's words, sorted into `ModelError` kinds."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Literal

import anthropic

from store.ports import Json, ModelError

Kind = Literal["busy", "network", "invalid", "credentials", "billing", "cut"]

# https://platform.claude.com/docs/en/api/errors
_BY_TYPE: dict[str, Kind] = {
    "invalid_request_error": "invalid",
    "not_found_error": "invalid",
    "request_too_large": "invalid",
    "authentication_error": "credentials",
    "permission_error": "credentials",
    "billing_error": "billing",
    "rate_limit_error": "busy",
    "timeout_error": "busy",
    "api_error": "busy",
    "overloaded_error": "busy",
}
_BY_STATUS: dict[int, Kind] = {
    401: "credentials",
    402: "billing",
    403: "credentials",
    408: "busy",
    409: "busy",
    429: "busy",
}
_ADVICE: dict[Kind, str] = {
    "credentials": "check ANTHROPIC_API_KEY",
    "billing": "check the plan and the balance in the Anthropic console",
    "invalid": "the same request will not work",
    "busy": "try again later",
}


def of_status(error: anthropic.APIStatusError) -> ModelError:
    """A refusal with a status of its own."""
    said = error.api_message or error.message
    kind = _kind(error.status_code, error.type or "", error.error_code or "", said)
    return ModelError(
        _sentence(kind, said, f"status {error.status_code}"),
        kind=kind,
        code=error.error_code or error.type or "",
        status=error.status_code,
        retry_after=_retry_after(error.response.headers),
    )


def of_event(data: Json) -> ModelError:
    """An `error` event inside a stream: its status was 200, so its type decides."""
    error = data.get("error") or {}
    type_, said = str(error.get("type") or ""), str(error.get("message") or "")
    code = str((error.get("details") or {}).get("error_code") or "")
    kind = _kind(200, type_, code, said)
    return ModelError(_sentence(kind, said, type_ or "no type"), kind=kind, code=code or type_, status=200)


def _kind(status: int, type_: str, code: str, said: str) -> Kind:
    if code.endswith("spend_limit_reached") or "credit balance is too low" in said:
        return "billing"  # the first comes as a 429, the second as a 400, and neither passes by waiting
    if kind := _BY_TYPE.get(type_):
        return kind
    return _BY_STATUS.get(status, "invalid" if 400 <= status < 500 else "busy")


def _sentence(kind: Kind, said: str, where: str) -> str:
    return f"Claude refused the call ({where}): {said or 'no reason given'}; {_ADVICE[kind]}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from either form of the header; a date counts from the response's own."""
    said = headers.get("retry-after")
    if said is None:
        return None
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(said) - parsedate_to_datetime(headers["date"])).total_seconds())
    except (ValueError, KeyError, TypeError):
        return None
