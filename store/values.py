"""JSON as it is stored: one form, live as on replay, with a digest that names it.

Values are compact JSON in UTF-8. NUL, lone surrogates and invalid UTF-8 become U+FFFD, because Redis would keep
them but Slack, Claude or a JSON parser would not. What JSON would lose (NaN, a key that is no text) is refused.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, TypeVar

T = TypeVar("T")

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def clean(text: str) -> str:
    """`text` with every NUL and lone surrogate replaced by U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        # A surrogate pair is one character that came in two halves; only a lone half is damage.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(key): _cleaned(item) for key, item in value.items()}
        case list() | tuple():
            return [_cleaned(item) for item in value]
        case _:
            return value


def _refuse_lossy_keys(value: Any) -> None:
    match value:
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise TypeError(f"a stored mapping has text keys, not {key!r}")
                _refuse_lossy_keys(item)
        case list() | tuple():
            for item in value:
                _refuse_lossy_keys(item)
        case _:
            pass


def encode(value: Any) -> str:
    """`value` as compact JSON; TypeError or ValueError where JSON would lose something."""
    _refuse_lossy_keys(value)
    return form(value)[1]


def form(value: T) -> tuple[T, str]:
    """The value as it is handed on, live as on replay, and its JSON; its keys are known to be text."""
    text = _JSON.encode(value)
    if "\\u0000" not in text:
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return value, text
    whole: T = _cleaned(value)
    return whole, _JSON.encode(whole)


def decode(text: str | bytes) -> Any:
    """The value behind stored JSON."""
    return json.loads(text)


def digest(text: str | bytes) -> str:
    """The name of a stored text: 32 hex digits of its SHA-256, over the very bytes that are stored."""
    raw = text.encode() if isinstance(text, str) else text
    return hashlib.sha256(raw).hexdigest()[:32]


def digest_of(value: Any) -> str:
    """The digest of a value's canonical form: sorted keys, compact."""
    return digest(json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":")))
