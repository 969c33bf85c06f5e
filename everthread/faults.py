"""What pydantic found wrong with a setting, in plain words and without the value of a secret."""

from __future__ import annotations

from typing import Any

from pydantic_core import ErrorDetails

SECRET = frozenset({"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "ANTHROPIC_API_KEY", "REDIS_URL"})
_BEGINNINGS = {
    "SLACK_BOT_TOKEN": "it begins with xoxb-; copy it from your Slack app, OAuth & Permissions",
    "SLACK_APP_TOKEN": "it begins with xapp-; make one with connections:write, Basic Information",
    "REDIS_URL": "it begins with redis://, rediss:// or unix://",
}


def fault(name: str, found: ErrorDetails) -> str:
    """One line: the variable, what it is, what it should be."""
    said = "" if name in SECRET else f" (it is {str(found['input'])[:60]!r})"
    return f"{name} {_words(name, found['type'], found.get('ctx') or {})}{said}"


def _words(name: str, kind: str, limits: dict[str, Any]) -> str:
    match kind:
        case "value_error" if name == "EVERTHREAD_PRICES":
            return 'must be JSON such as {"claude-sonnet-5-5": {"input": 2, "output": 10}}'
        case "value_error" | "extra_forbidden" | "tuple_type" if name == "EVERTHREAD_RULES":
            return 'must be a JSON list such as [{"tool": "http_post", "then": "ask"}]; see docs/operations.md'
        case "missing" if name == "EVERTHREAD_RULES":
            return 'needs "then" in each rule: "allow", "ask" or "deny"'
        case "literal_error" if name == "EVERTHREAD_RULES":
            return f'takes for "then" {limits["expected"]}'
        case "value_error":
            return f"does not look right: {_BEGINNINGS.get(name, 'it begins with http:// or https://')}"
        case "int_parsing" | "int_from_float" | "int_type":
            return "must be a whole number"
        case "float_parsing" | "float_type":
            return "must be a number"
        case "bool_parsing" | "bool_type":
            return "must be true or false"
        case "greater_than_equal":
            return f"must be at least {limits['ge']:g}"
        case "less_than_equal":
            return f"must be at most {limits['le']:g}"
        case "literal_error" if name == "EVERTHREAD_LISTEN_IN":
            return f"names a channel as C0123=all, where the word is {limits['expected']}"
        case "literal_error":
            return f"must be {limits['expected']}"
        case _:
            return "cannot be read; see docs/operations.md for its form"
