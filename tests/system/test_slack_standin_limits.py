"""Every row of the stand-in's table of limits: the limit itself passes, one more is refused as Slack does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import aiohttp
import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from playground.standins.slack.client import SlackStandin
from playground.standins.slack.limits import LIMITS, Limit

GENERAL = "C0GENERAL1"
Json = dict[str, Any]


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackStandin]:
    with SlackStandin.start() as standin:
        yield standin


def client(slack: SlackStandin) -> WebClient:
    return WebClient(slack.bot_token, base_url=slack.api_url)


def outcome(call: Callable[[], Any]) -> str:
    try:
        call()
    except SlackApiError as error:
        return str(error.response["error"])
    return "ok"


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def option(text: str = "one", value: str = "1") -> Json:
    return {"text": plain(text), "value": value}


def actions(*elements: Json) -> list[Json]:
    return [{"type": "actions", "elements": list(elements)}]


def button(**fields: Any) -> Json:
    return {"type": "button", "text": plain("Go"), "action_id": "go", **fields}


def section(**fields: Any) -> list[Json]:
    return [{"type": "section", **fields}]


def confirm(**fields: Any) -> list[Json]:
    shape = {"title": plain("?"), "text": plain("Sure?"), "confirm": plain("Yes"), "deny": plain("No")}
    return actions(button(confirm={**shape, **fields}))


def feedback(**fields: str) -> list[Json]:
    good = {"text": plain(fields.get("text", "Good")), "value": fields.get("value", "good")}
    bad = {"text": plain("Bad"), "value": "bad"}
    element = {"type": "feedback_buttons", "action_id": "f", "positive_button": good, "negative_button": bad}
    return [{"type": "context_actions", "elements": [element]}]


def sections_of(size: int) -> list[Json]:
    sizes = [3_000] * (size // 3_000) + [size % 3_000]
    return [block for n in sizes if n for block in section(text=plain("x" * n))]


def image(**fields: Any) -> list[Json]:
    return [{"type": "image", "image_url": "https://example.com/a.png", "alt_text": "a", **fields}]


BLOCKS: dict[str, Callable[[int], list[Json]]] = {
    "blocks": lambda n: [{"type": "divider"}] * n,
    "markdown blocks": lambda n: [
        {"type": "markdown", "text": "x" * 6_000},
        {"type": "markdown", "text": "x" * (n - 6_000)},
    ],
    "all blocks": sections_of,
    "section.text": lambda n: section(text=plain("x" * n)),
    "section.fields": lambda n: section(fields=[plain("x")] * n),
    "section.field": lambda n: section(fields=[plain("x" * n)]),
    "header.text": lambda n: [{"type": "header", "text": plain("x" * n)}],
    "actions.elements": lambda n: actions(*(button(action_id=f"a{i}") for i in range(n))),
    "context.elements": lambda n: [{"type": "context", "elements": [plain("x")] * n}],
    "context_actions.elements": lambda n: [
        {
            "type": "context_actions",
            "elements": [{**feedback()[0]["elements"][0], "action_id": f"f{i}"} for i in range(n)],
        }
    ],
    "table.rows": lambda n: [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]] * n}],
    "table.row": lambda n: [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * n]}],
    "carousel.elements": lambda n: [{"type": "carousel", "elements": [{"type": "card"}] * n}],
    "image.image_url": lambda n: image(image_url="h" * n),
    "image.alt_text": lambda n: image(alt_text="x" * n),
    "image.title": lambda n: image(title=plain("x" * n)),
    "block_id": lambda n: [{"type": "divider", "block_id": "x" * n}],
    "action_id": lambda n: actions(button(action_id="x" * n)),
    "button.text": lambda n: actions(button(text=plain("x" * n))),
    "button.value": lambda n: actions(button(value="x" * n)),
    "button.url": lambda n: actions(button(url="x" * n)),
    "option.text": lambda n: actions({"type": "overflow", "options": [option(text="x" * n)]}),
    "option.value": lambda n: actions({"type": "overflow", "options": [option(value="x" * n)]}),
    "overflow.options": lambda n: actions({"type": "overflow", "options": [option()] * n}),
    "select.options": lambda n: actions({"type": "static_select", "options": [option()] * n}),
    "radio_buttons.options": lambda n: actions({"type": "radio_buttons", "options": [option()] * n}),
    "checkboxes.options": lambda n: actions({"type": "checkboxes", "options": [option()] * n}),
    "placeholder": lambda n: actions({"type": "users_select", "placeholder": plain("x" * n)}),
    "confirm.title": lambda n: confirm(title=plain("x" * n)),
    "confirm.text": lambda n: confirm(text=plain("x" * n)),
    "confirm.confirm": lambda n: confirm(confirm=plain("x" * n)),
    "confirm.deny": lambda n: confirm(deny=plain("x" * n)),
    "feedback.text": lambda n: feedback(text="x" * n),
    "feedback.value": lambda n: feedback(value="x" * n),
}


def posted_text(slack: SlackStandin, size: int) -> str:
    answer = client(slack).chat_postMessage(channel=GENERAL, text="x" * size)
    return "ok" if len(answer["message"]["text"]) == size else ""


def updated_text(slack: SlackStandin, size: int) -> str:
    ts = client(slack).chat_postMessage(channel=GENERAL, text="x")["ts"]
    escaped = "&" * 200 + "é" * 100  # 5 and 2 bytes each, once stored
    text = escaped + "x" * (size - 1_200)
    return outcome(lambda: client(slack).chat_update(channel=GENERAL, ts=ts, text=text))


def status_with(slack: SlackStandin, messages: int) -> str:
    ts = slack.say("ann", "general", "hello")
    call = client(slack).assistant_threads_setStatus
    return outcome(
        lambda: call(channel_id=GENERAL, thread_ts=ts, status="works", loading_messages=["m"] * messages)
    )


def sockets(slack: SlackStandin, number: int) -> str:
    """How the last of `number` connections was greeted."""

    async def connect() -> str:
        async with aiohttp.ClientSession() as session:
            opened = []
            for _ in range(number):
                url = WebClient(base_url=slack.api_url).apps_connections_open(app_token=slack.app_token)["url"]
                opened.append(await session.ws_connect(url))
                greeting = await opened[-1].receive_json()
            return "ok" if greeting["type"] == "hello" else str(greeting["reason"])

    return asyncio.run(connect())


CALLS: dict[str, Callable[[SlackStandin, int], str]] = {
    "post text": posted_text,
    "update text": updated_text,
    "markdown_text": lambda s, n: outcome(
        lambda: client(s).chat_postMessage(channel=GENERAL, markdown_text="x" * n)
    ),
    "attachments": lambda s, n: outcome(
        lambda: client(s).chat_postMessage(channel=GENERAL, text="x", attachments=[{"fallback": "a"}] * n)
    ),
    "replies page": lambda s, n: outcome(
        lambda: client(s).conversations_replies(channel=GENERAL, ts=s.say("ann", "general", "hi"), limit=n)
    ),
    "history page": lambda s, n: outcome(lambda: client(s).conversations_history(channel=GENERAL, limit=n)),
    "users page": lambda s, n: outcome(lambda: client(s).users_list(limit=n)),
    "members page": lambda s, n: outcome(lambda: client(s).conversations_members(channel=GENERAL, limit=n)),
    "loading_messages": status_with,
    "sockets": sockets,
}


def attempt(slack: SlackStandin, row: Limit, size: int) -> str:
    if row.subject in CALLS:
        return CALLS[row.subject](slack, size)
    blocks = BLOCKS[row.subject](size)
    return outcome(lambda: client(slack).chat_postMessage(channel=GENERAL, text="x", blocks=blocks))


@pytest.mark.parametrize("row", LIMITS, ids=lambda row: row.subject)
def test_the_limit_passes_and_one_more_is_refused(slack: SlackStandin, row: Limit) -> None:
    assert attempt(slack, row, row.limit) == "ok"
    if row.subject == "sockets":  # those of the first attempt are closed, but perhaps not yet noticed
        assert slack.state()["sockets"] == [] or slack.wait_for("socket.closed", lambda e: e["open"] == 0)
    assert attempt(slack, row, row.limit + 1) == row.error


def test_no_limit_stands_twice_in_the_table() -> None:
    subjects = [row.subject for row in LIMITS]
    assert sorted(subjects) == sorted({*BLOCKS, *CALLS})


def test_a_refusal_names_the_place_in_the_payload(slack: SlackStandin) -> None:
    blocks = [{"type": "divider"}, *section(text=plain("x" * 3_001))]
    with pytest.raises(SlackApiError) as caught:
        client(slack).chat_postMessage(channel=GENERAL, text="x", blocks=blocks)
    assert caught.value.response["response_metadata"]["messages"] == [
        "[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
    ]


@pytest.mark.parametrize(
    "blocks",
    [
        [{"type": "poem"}],
        [{"type": "section"}],
        [{"type": "section", "text": {"type": "html", "text": "x"}}],
        [{"type": "section", "text": plain("x"), "colour": "red"}],
        [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}],
        [{"type": "section", "text": plain("")}],
        [{"type": "actions", "elements": [{"type": "lever"}]}],
        actions(button(), button()),
        [{"type": "divider", "block_id": "a"}, {"type": "divider", "block_id": "a"}],
        [{"type": "task_card", "task_id": "1", "title": "t", "status": "completed"}],
        [{"type": "input", "label": plain("x"), "element": {"type": "plain_text_input"}}],
    ],
    ids=lambda blocks: str(blocks)[:60],
)
def test_malformed_blocks_are_refused(slack: SlackStandin, blocks: list[Json]) -> None:
    post = client(slack).chat_postMessage
    assert outcome(lambda: post(channel=GENERAL, text="x", blocks=blocks)) == "invalid_blocks"


def test_a_plan_of_task_cards_is_taken(slack: SlackStandin) -> None:
    details = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": []}]}
    task = {"type": "task_card", "task_id": "1", "title": "look", "status": "complete", "details": details}
    plan = [{"type": "plan", "title": "Steps", "tasks": [task]}]
    assert outcome(lambda: client(slack).chat_postMessage(channel=GENERAL, text="x", blocks=plan)) == "ok"
