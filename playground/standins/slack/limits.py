"""Every size and rate Slack refuses, in one table; the checks read it and a test sends each limit and one more.

Sources: KIT = method reference of docs.slack.dev as collected by slack_kit 1.0.0-alpha.0 (May 2026);
SDK = the length constants of slack_sdk 3.48 models; other names are GitHub repositories or issues.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from playground.standins.slack.errors import SlackError

Unit = Literal["bytes", "characters", "items", "calls"]


@dataclass(frozen=True, slots=True)
class Limit:
    """`subject` may have `limit` `unit`s at most. An empty `error` means that Slack cuts instead of refusing.

    Of `calls`, that many are taken within `per` seconds; they count only under the setting `rates`.
    """

    method: str
    subject: str
    unit: Unit
    limit: int
    error: str
    source: str
    per: float = 0.0


_RATES = "docs.slack.dev rate-limits; KIT rate_limit"


def _calls(limit: int, *methods: str, per: float = 60.0) -> tuple[Limit, ...]:
    return tuple(Limit(method, f"{method} calls", "calls", limit, "ratelimited", _RATES, per) for method in methods)


_ANY = "any with blocks"

LIMITS: tuple[Limit, ...] = (
    Limit("chat.postMessage", "post text", "characters", 40_000, "", "KIT; ChatGPT-in-Slack#102"),
    Limit("chat.update", "update text", "bytes", 4_000, "msg_too_long", "KIT; gitlab !258898, after escaping"),
    Limit("chat.*", "markdown_text", "characters", 12_000, "msg_too_long", "KIT"),
    Limit("chat.*", "attachments", "items", 100, "too_many_attachments", "docs.slack.dev chat.postMessage"),
    Limit("chat.*", "blocks", "items", 50, "msg_blocks_too_many", "KIT"),
    Limit("chat.*", "markdown blocks", "characters", 12_000, "msg_blocks_too_long", "SDK MarkdownBlock, cumulative"),
    Limit("chat.*", "all blocks", "characters", 13_200, "msg_blocks_too_long", "bolt-js#2509, observed"),
    Limit("conversations.replies", "replies page", "items", 1_000, "invalid_limit", "KIT"),
    Limit("conversations.history", "history page", "items", 999, "invalid_limit", "KIT"),
    Limit("users.list", "users page", "items", 1_000, "invalid_limit", "KIT"),
    Limit("conversations.members", "members page", "items", 1_000, "invalid_limit", "KIT"),
    Limit("users.conversations", "conversations page", "items", 999, "invalid_limit", "KIT"),
    Limit("conversations.open", "people of a group DM", "items", 8, "too_many_users", "KIT"),
    Limit("chat.*Stream", "stream task text", "characters", 256, "invalid_chunks", "docs.slack.dev appendStream"),
    Limit("agents.sessions.*", "session title", "characters", 200, "invalid_arguments", "docs.slack.dev setStatus"),
    Limit("assistant.threads.setSuggestedPrompts", "prompts", "items", 4, "invalid_arguments", "KIT"),
    Limit("response_url", "response_url uses", "items", 5, "used_url", "docs.slack.dev interactivity"),
    Limit("views.*", "view size", "bytes", 250 * 1024, "view_too_large", "KIT"),
    Limit("views.*", "view.blocks", "items", 100, "invalid_arguments", "SDK View"),
    Limit("views.*", "view.title", "characters", 24, "invalid_arguments", "SDK View"),
    Limit("views.*", "view.submit", "characters", 24, "invalid_arguments", "SDK View"),
    Limit("views.*", "view.close", "characters", 24, "invalid_arguments", "SDK View"),
    Limit("views.*", "view.private_metadata", "characters", 3_000, "invalid_arguments", "SDK View"),
    Limit("views.*", "view.callback_id", "characters", 255, "invalid_arguments", "SDK View"),
    Limit("views.*", "view.external_id", "characters", 255, "invalid_arguments", "docs.slack.dev views"),
    Limit("views.push", "view stack", "items", 3, "push_limit_reached", "docs.slack.dev modals"),
    Limit("assistant.threads.setStatus", "loading_messages", "items", 10, "invalid_arguments", "KIT"),
    Limit("apps.connections.open", "sockets", "items", 10, "too_many_websockets", "docs.slack.dev using-socket-mode"),
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
    Limit(_ANY, "input.label", "characters", 2_000, "invalid_blocks", "SDK InputBlock"),
    Limit(_ANY, "input.hint", "characters", 2_000, "invalid_blocks", "SDK InputBlock"),
    Limit(_ANY, "typed length", "characters", 3_000, "invalid_blocks", "docs.slack.dev plain-text input"),
    Limit(_ANY, "placeholder", "characters", 150, "invalid_blocks", "SDK InputInteractiveElement"),
    Limit(_ANY, "confirm.title", "characters", 100, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "confirm.text", "characters", 300, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "confirm.confirm", "characters", 30, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "confirm.deny", "characters", 30, "invalid_blocks", "SDK ConfirmObject"),
    Limit(_ANY, "feedback.text", "characters", 75, "invalid_blocks", "SDK FeedbackButtonObject"),
    Limit(_ANY, "feedback.value", "characters", 2_000, "invalid_blocks", "SDK FeedbackButtonObject"),
    *_calls(20, "chat.startStream", "chat.stopStream", "reactions.remove", "users.list", "conversations.list"),
    *_calls(20, "usergroups.list", "usergroups.users.list"),
    *_calls(50, "chat.update", "chat.delete", "reactions.add", "conversations.replies", "conversations.history"),
    *_calls(50, "conversations.info", "conversations.open", "users.conversations", "apps.connections.open"),
    *_calls(50, "agents.sessions.setStatus", "agents.sessions.rename", "files.delete", "bots.info"),
    *_calls(100, "chat.appendStream", "chat.postEphemeral", "users.info", "conversations.members", "files.info"),
    *_calls(100, "views.open", "views.push", "views.update", "views.publish"),
    *_calls(100, "files.getUploadURLExternal", "files.completeUploadExternal"),
    *_calls(100, "assistant.threads.setTitle", "assistant.threads.setSuggestedPrompts"),
    *_calls(600, "assistant.threads.setStatus"),
    *_calls(1, "chat.postMessage", per=1.0),
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


def size_of(value: Any) -> int:
    """The bytes of a value as JSON goes over the wire."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
