"""Secrets out of what people get to see: one redactor for cards, logs and views. Pure.

Only what is shown goes through here: a tool gets the real values, and the store keeps the exact ones. A secret is
known by its form (a Slack, Claude, GitHub, AWS or Google token, a JWT, a private key, a password within an address),
or by the name it stands under, in a mapping as in running text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

MASK = "***"

_MOST_DEEP = 100
"""Levels of nesting that are looked into; what lies deeper is masked whole."""

_TELLING = """
    password passwords passwd pwd passphrase secret secrets token authorization cookie cookies credential credentials
    jwt apikey apikeys accesskey secretkey privatekey signingkey authkey authtoken accesstoken refreshtoken idtoken
    sessiontoken clientsecret
"""
_PAIRS = frozenset(
    {
        *(("api", "key"), ("api", "keys"), ("private", "key"), ("access", "key"), ("signing", "key")),
        *(("encryption", "key"), ("auth", "key"), ("auth", "header"), ("amz", "signature"), ("client", "assertion")),
    }
)
_HARMLESS = """
    name names id ids arn count length type policy limit budget usage expiry expires hint url uri path file version
    status required enabled at in field manager rotation min max valid invalid present missing
"""
"""`token_count`, `secret_name` and the like are about a secret, and hold none."""
_SECRET_WORDS, _HARMLESS_ENDS = frozenset(_TELLING.split()), frozenset(_HARMLESS.split())
_PASSWORDS = ("password", "passwd", "passphrase")
_PLAIN_VALUES = frozenset({"true", "false", "null", "none", "nil", "undefined", "yes", "no", "required", "optional"})

_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

# Where a token may begin: not within a word, but after `\n` as a string literal writes it.
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
_TOKENS = (
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{6,}|xapp-[\w-]{6,}",  # Slack
    r"sk-(?:ant|proj|svcacct|admin)-[\w-]{8,}|sk-[A-Za-z0-9]{20,}",  # Claude and its like
    r"[srp]k_(?:live|test)_\w{8,}|whsec_[\w+/=]{16,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])",  # AWS
    r"gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}",
    r"npm_\w{30,}|pypi-[\w-]{40,}",
    r"AIza[\w-]{30,}|ya29\.[\w-]{16,}",  # Google
    r"eyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w-]*)?",  # a JWT
    r"hv[sbr]\.[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}",
)
_TOKEN = re.compile(_START + "(?:" + "|".join(_TOKENS) + ")", re.ASCII)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}-----|\Z)", re.DOTALL
)
_IN_ADDRESS = re.compile(r"(://[^\s/:@?#'\"<>]*:)[^\s/'\"<>]+@")
_HOOK = re.compile(r"(hooks\.slack\.com/[a-z]+/)[^\s'\"<>)]+")
_BEARER = re.compile(r"(?<!\w)(?i:(bearer))(\s+)(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,}", re.ASCII)
_HEADER = re.compile(
    r"(?<!\w)(?i:((?:proxy-)?authorization\\?[\"']?\s{0,2}[:=]\s{0,2}\\?[\"']?(?:basic|bearer|token|digest)\s+))"
    r"[^\s\"',;\\]+"
)
_COOKIE = re.compile(r"(?<!\w)(?i:((?:set-)?cookie\\?[\"']?\s{0,2}:\s{0,2}\\?[\"']?))[^\s=;\"'\\]{1,100}=[^\r\n\"'\\]+")
_NAMED = re.compile(
    r"(?<!\w)(?<!\w-)(?P<name>[A-Za-z_][\w-]*+)\\?[\"']?(?:(?P<equals>=(?!=))|(?P<wide>\s{0,2}:\s{0,2}|\s=\s(?!=)))"
    r"|(?<!\S)--(?P<flag>[A-Za-z_][\w-]*+)[ ](?=[^\s-])",
    re.ASCII,
)
"""A name and what assigns to it; then comes the value."""
_QUOTED = re.compile(r"(\\?)([\"'])((?:(?!\1\2)(?:\\.|[^\n]))*+)")
_BARE = re.compile(r"[^\s,;&\"'<>)\]}]+")


def masked(value: Any) -> Any:
    """A JSON value with every secret in it replaced by `***`: same shape, same names."""
    return _masked(value, secret=False, deep=0)


def masked_text(text: str) -> str:
    """`text` with every secret in it replaced by `***`; what is masked already stays as it is."""
    text = _PRIVATE_KEY.sub(MASK, text)
    text = _HOOK.sub(rf"\1{MASK}", text)
    text = _IN_ADDRESS.sub(rf"\1{MASK}@", text)
    text = _HEADER.sub(rf"\1{MASK}", text)
    text = _COOKIE.sub(rf"\1{MASK}", text)
    text = _BEARER.sub(rf"\1\2{MASK}", text)
    return _assignments(_TOKEN.sub(MASK, text))


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether what stands under this name is to be shown to nobody."""
    parts = [part.lower() for part in _NAME_PARTS.findall(name)]
    if not parts or parts[-1] in _HARMLESS_ENDS:
        return False
    if any(part in _SECRET_WORDS or part.endswith(_PASSWORDS) for part in parts):
        return True
    return (len(parts) > 1 and parts[-1] == "pass") or not _PAIRS.isdisjoint(pairwise(parts))


def _masked(value: Any, *, secret: bool, deep: int) -> Any:
    match value:
        case _ if deep > _MOST_DEEP:
            return MASK
        case str():
            return (MASK if value else value) if secret else masked_text(value)
        case bool() | None:
            return value
        case int() | float():
            return MASK if secret else value
        case Mapping():
            called = _named_by(value)
            return {
                masked_text(str(name)): _masked(
                    item, secret=secret or is_secret(str(name)) or (called and name == "value"), deep=deep + 1
                )
                for name, item in value.items()
            }
        case list() | tuple():
            return [_masked(item, secret=secret, deep=deep + 1) for item in value]
        case _:
            return MASK if secret else value


def _named_by(value: Mapping[Any, Any]) -> bool:
    """Whether this is `{"name": "password", "value": …}`, as headers and variables are often written."""
    names = (value.get("name"), value.get("key"), value.get("header"))
    return any(isinstance(name, str) and is_secret(name) for name in names)


def _assignments(text: str) -> str:
    """`password=…`, `"api_key": "…"`, `--token …`: masked where the name is a secret's and the value may be one."""
    shown: list[str] = []
    at = 0
    for found in _NAMED.finditer(text):
        if found.start() < at or not is_secret(_name(found)):
            continue
        start, end = _value(text, found)
        if start < end:
            shown += [text[at:start], MASK]
            at = end
    return "".join([*shown, text[at:]])


def _name(found: re.Match[str]) -> str:
    name = found["flag"] or found["name"]
    if found.start() and found.string[found.start() - 1] == "\\" and name[0] in "nrt":
        return name[1:]  # `\npassword=…`, as a string literal writes it
    return name


def _value(text: str, found: re.Match[str]) -> tuple[int, int]:
    """From where to where the value behind a secret's name is to be masked; nowhere where it is none."""
    quoted = _QUOTED.match(text, found.end())
    if quoted is not None:
        return quoted.span(3)
    bare = _BARE.match(text, found.end())
    if bare is None or not (_is_strange if found["wide"] else _is_given)(bare.group()):
        return 0, 0
    return bare.span()


def _is_given(value: str) -> bool:
    """What is assigned without a space is the value itself, unless it is a constant or stands for something else."""
    return value.lower() not in _PLAIN_VALUES and value[0] not in "$<{(["


def _is_strange(value: str) -> bool:
    """After a colon, or an equals sign in spaces, prose and code go on as well: only what looks like no word."""
    word = value.rstrip(".!?:")
    if len(word) < 6 or not _is_given(word) or "(" in word:
        return False
    return len(word) >= 20 or any(character.isdigit() for character in word)
