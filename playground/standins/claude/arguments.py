"""Arguments for a tool nobody told the stand-in about, from its schema and what was asked."""

from __future__ import annotations

import re
from typing import Any

from playground.standins.claude.transcript import Json

_URL = re.compile(r"https?://[^\s>|)\]]+")
_WHO = re.compile(r"^\[[^\]]*\]\s*<@\w+>:\s*")
_MENTION = re.compile(r"<@\w+(?:\|[^>]*)?>\s*")
_AMOUNT = re.compile(r"amount|price|total|cents|euros", re.I)
_NUMBER = re.compile(r"\d{1,9}")
_LEAD_IN = re.compile(r"^.*?\b(?:note|remember|write down|save)\b(?:\s+(?:that|this|down))?[\s:,]*", re.I | re.S)


def arguments(schema: Json, prompt: str, number: int = 0) -> Json:
    """Something the schema accepts, for its required properties or else for its first one."""
    properties: Json = schema.get("properties") or {}
    wanted = schema.get("required") or list(properties)[:1]
    return {name: _value(name, properties.get(name) or {}, prompt, number) for name in wanted}


def words(prompt: str) -> str:
    """What the person said, without the time, the author and the mentions around it."""
    return _MENTION.sub("", _WHO.sub("", prompt)).strip()


def subject(prompt: str) -> str:
    """What is to be noted: the prompt without its "note that"."""
    return _LEAD_IN.sub("", prompt).strip() or prompt.strip()


def _value(name: str, schema: Json, prompt: str, number: int) -> Any:
    if schema.get("type") in ("integer", "number") and _AMOUNT.search(name) and (found := _NUMBER.search(prompt)):
        return int(found.group())
    if "default" in schema and number == 0 and schema.get("type") != "string":
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type"):
        case "integer" | "number":
            return schema.get("minimum", 5) + number
        case "boolean":
            return False
        case "array":
            return [_value(name, schema.get("items") or {}, prompt, number)]
        case "object":
            return arguments(schema, prompt, number)
        case _:
            return _text(name, schema, prompt, number)


def _text(name: str, schema: Json, prompt: str, number: int) -> str:
    if re.search("url|uri|link|address", name, re.I):
        found = _URL.search(prompt)
        return found.group() if found else "https://example.com/hook"
    if re.search("zone|tz", name, re.I):
        return str(schema.get("default") or "UTC")
    text = _URL.sub("", subject(prompt)).strip() or "hello"
    return f"{text} ({number + 1})" if number else text
