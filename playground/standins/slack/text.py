"""Slack's control characters: what a text becomes when it is stored, and whom it notifies."""

from __future__ import annotations

import re

from playground.standins.slack.people import BOT_USER, MENTION

_ENTITY = re.compile(r"&(?!(?:amp|lt|gt);)")
_CONTROL = re.compile(r"<(?:[@#][A-Z0-9]+(?:\|[^<>]*)?|![^<>]+|(?:https?://|mailto:|tel:)[^<>]+)>")
_NOTIFYING = re.compile(r"<(@[A-Z0-9]+|!channel|!here|!everyone|!subteam\^[A-Z0-9]+)(?:\|[^<>]*)?>")


def escape(text: str) -> str:
    """`text` as Slack stores it: `&`, `<` and `>` escaped, except entities and `<…>` sequences it knows."""
    escaped, end = [], 0
    for match in _CONTROL.finditer(text):
        escaped += [_escape_plain(text[end : match.start()]), match.group()]
        end = match.end()
    return "".join([*escaped, _escape_plain(text[end:])])


def _escape_plain(text: str) -> str:
    return _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def typed(text: str) -> str:
    """What a person's client sends for `text`: the bot's handle becomes its mention."""
    return escape(text).replace(MENTION, f"<@{BOT_USER}>")


def mentions_bot(text: str) -> bool:
    return f"<@{BOT_USER}" in text


def notified(text: str) -> list[str]:
    """Every person, group or channel this text would ring, in order: `@U…`, `!channel`, …"""
    return _NOTIFYING.findall(text)


def rich_text(text: str) -> dict[str, object]:
    """The rich_text block a person's client sends beside the text."""
    elements: list[dict[str, object]] = []
    for piece in re.split(r"(<@[A-Z0-9]+>)", text):
        if piece.startswith("<@"):
            elements.append({"type": "user", "user_id": piece[2:-1]})
        elif piece:
            elements.append({"type": "text", "text": _unescape(piece)})
    return {
        "type": "rich_text",
        "block_id": "rt1",
        "elements": [{"type": "rich_text_section", "elements": elements}],
    }


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
