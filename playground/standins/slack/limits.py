"""Every size Slack refuses, in one table; the checks read it and a test sends each limit and one more.

Sources: KIT = method reference of docs.slack.dev as collected by slack_kit 1.0.0-alpha.0 (May 2026);
SDK = the length constants of slack_sdk 3.48 models; other names are GitHub repositories or issues.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playground.standins.slack.errors import SlackError

Unit = Literal["bytes", "characters", "items"]


@dataclass(frozen=True, slots=True)
class Limit:
    """`subject` may have `limit` `unit`s at most. An empty `error` means that Slack cuts instead of refusing."""

    method: str
    subject: str
    unit: Unit
    limit: int
    error: str
    source: str


_ANY = "any with blocks"

LIMITS: tuple[Limit, ...] = (
    Limit("chat.postMessage", "post text", "characters", 40_000, "", "KIT; ChatGPT-in-Slack#102"),
    Limit("chat.update", "update text", "bytes", 4_000, "msg_too_long", "KIT; gitlab !258898, after escaping"),
    Limit("chat.*", "markdown_text", "characters", 12_000, "msg_too_long", "KIT"),
    Limit("chat.*", "attachments", "items", 100, "too_many_attachments", "docs.slack.dev chat.postMessage"),
    Limit("chat.*", "blocks", "items", 50, "msg_blocks_too_many", "KIT"),
    Limit(
        "chat.*", "markdown blocks", "characters", 12_000, "msg_blocks_too_long", "SDK MarkdownBlock, cumulative"
    ),
    Limit("chat.*", "all blocks", "characters", 13_200, "msg_blocks_too_long", "bolt-js#2509, observed"),
    Limit("conversations.replies", "replies page", "items", 1_000, "invalid_limit", "KIT"),
    Limit("conversations.history", "history page", "items", 999, "invalid_limit", "KIT"),
    Limit("users.list", "users page", "items", 1_000, "invalid_limit", "KIT"),
    Limit("conversations.members", "members page", "items", 1_000, "invalid_limit", "KIT"),
    Limit("assistant.threads.setStatus", "loading_messages", "items", 10, "invalid_arguments", "KIT"),
    Limit(
        "apps.connections.open", "sockets", "items", 10, "too_many_websockets", "docs.slack.dev using-socket-mode"
    ),
    Limit(_ANY, "section.text", "characters", 3_000, "invalid_blocks", "SDK SectionBlock"),
    Limit(_ANY, "section.fields", "items", 10, "invalid_blocks", "SDK SectionBlock"),
    Limit(_ANY, "section.field", "characters", 2_000, "invalid_blocks", "vercel/chat limits.ts"),
    Limit(_ANY, "header.text", "characters", 150, "invalid_blocks", "SDK HeaderBlock"),
    Limit(_ANY, "actions.elements", "items", 25, "invalid_blocks", "SDK ActionsBlock"),
    Limit(_ANY, "context.elements", "items", 10, "invalid_blocks", "SDK ContextBlock"),
    Limit(_ANY, "context_actions.elements", "items", 5, "invalid_blocks", "SDK ContextActionsBlock"),
    Limit(_ANY, "table.rows", "items", 100, "invalid_blocks", "docs.slack.dev table block"),
    Limit(_ANY, "table.row", "items", 20, "invalid_blocks", "docs.slack.dev table block"),
    Limit(_ANY, "carousel.elements", "items", 10, "invalid_blocks", "SDK CarouselBlock"),
    Limit(_ANY, "image.image_url", "characters", 3_000, "invalid_blocks", "SDK ImageBlock"),
    Limit(_ANY, "image.alt_text", "characters", 2_000, "invalid_blocks", "SDK ImageBlock"),
    Limit(_ANY, "image.title", "characters", 2_000, "invalid_blocks", "SDK ImageBlock"),
    Limit(_ANY, "block_id", "characters", 255, "invalid_blocks", "SDK Block"),
    Limit(_ANY, "action_id", "characters", 255, "invalid_blocks", "SDK InteractiveElement"),
    Limit(_ANY, "button.text", "characters", 75, "invalid_blocks", "SDK ButtonElement"),
    Limit(_ANY, "button.value", "characters", 2_000, "invalid_blocks", "SDK ButtonElement"),
    Limit(_ANY, "button.url", "characters", 3_000, "invalid_blocks", "SDK ButtonElement"),
    Limit(_ANY, "option.text", "characters", 75, "invalid_blocks", "SDK Option"),
    Limit(_ANY, "option.value", "characters", 150, "invalid_blocks", "SDK Option"),
    Limit(_ANY, "overflow.options", "items", 5, "invalid_blocks", "SDK OverflowMenuElement"),
    Limit(_ANY, "select.options", "items", 100, "invalid_blocks", "SDK StaticSelectElement"),
    Limit(_ANY, "radio_buttons.options", "items", 10, "invalid_blocks", "docs.slack.dev radio buttons"),
    Limit(_ANY, "checkboxes.options", "items", 10, "invalid_blocks", "docs.slack.dev checkboxes"),
    Limit(_ANY, "placeholder", "characters", 150, "invalid_blocks", "SDK InputInteractiveElement"),
    Limit(_ANY, "confirm.title", "characters", 100, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "confirm.text", "characters", 300, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "confirm.confirm", "characters", 30, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "confirm.deny", "characters", 30, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "feedback.text", "characters", 75, "invalid_blocks", "SDK FeedbackButtonObject"),
    Limit(_ANY, "feedback.value", "characters", 2_000, "invalid_blocks", "SDK FeedbackButtonObject"),
)

_BY_SUBJECT = {limit.subject: limit for limit in LIMITS}


def limit_of(subject: str) -> Limit:
    return _BY_SUBJECT[subject]


def enforce(subject: str, size: int, pointer: str = "") -> None:
    """Refuse with the row's own error if `size` is over; `pointer` names the place in the payload."""
    row = _BY_SUBJECT[subject]
    if size <= row.limit:
        return
    noun = "items" if row.unit == "items" else row.unit
    where = f" [json-pointer:{pointer}]" if pointer else ""
    raise SlackError(row.error, f"[ERROR] must be less than {row.limit + 1} {noun}{where}")
