"""Every row of the stand-in's table of limits: the limit itself passes, one more is refused as Slack does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from playground.standins.slack.client import SlackStandin
from playground.standins.slack.limits import LIMITS, Limit
from playground.standins.slack.web_api import METHODS

GENERAL = "C0GENERAL1"
Json = dict[str, Any]


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackStandin]:
    with SlackStandin.start() as standin:
        yield standin


@pytest.fixture(autouse=True)
def _without_rates(slack: SlackStandin) -> None:
    slack.settings(rates="off", trigger_life=30.0)


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


def an_input(**fields: Any) -> list[Json]:
    return [{"type": "input", "label": plain("x"), "element": {"type": "plain_text_input"}, **fields}]


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
    "input.label": lambda n: an_input(label=plain("x" * n)),
    "input.hint": lambda n: an_input(hint=plain("x" * n)),
    "typed length": lambda n: an_input(element={"type": "plain_text_input", "max_length": n}),
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
    return outcome(lambda: call(channel_id=GENERAL, thread_ts=ts, status="works", loading_messages=["m"] * messages))


def conversation_with(slack: SlackStandin, people: int) -> str:
    users = ["U0ANN00001", "U0BOB00001"] * people
    return outcome(lambda: client(slack).conversations_open(users=users[:people]))


def streamed_task(slack: SlackStandin, size: int) -> str:
    ts = slack.say("ann", "general", "hello")
    chunk = {"type": "task_update", "id": "1", "title": "x" * size, "status": "pending"}
    whose = {"recipient_team_id": "T0EVERTHRD", "recipient_user_id": "U0ANN00001"}
    return outcome(lambda: client(slack).chat_startStream(channel=GENERAL, thread_ts=ts, chunks=[chunk], **whose))


def session_title(slack: SlackStandin, size: int) -> str:
    ts = slack.say("ann", "general", "hello")
    call = client(slack).agents_sessions_setStatus
    return outcome(lambda: call(channel_id=GENERAL, thread_ts=ts, status="active", title="x" * size))


def prompts(slack: SlackStandin, number: int) -> str:
    asked = [{"title": "t", "message": "m"}] * number
    call = client(slack).assistant_threads_setSuggestedPrompts
    return outcome(lambda: call(channel_id="D0ANN00001", prompts=asked))


def response_url_uses(slack: SlackStandin, uses: int) -> str:
    ts = client(slack).chat_postMessage(channel=GENERAL, text="x", blocks=actions(button()))["ts"]
    url = slack.click("ann", "go", ts, wait=False)["response_url"]
    answers = [WebhookClient(url).send(text="x") for _ in range(uses)]
    return "ok" if answers[-1].body == "ok" else str(json.loads(answers[-1].body)["error"])


def modal(**fields: Any) -> Json:
    return {"type": "modal", "title": plain("t"), "blocks": [{"type": "divider"}], **fields}


def opened(slack: SlackStandin, view: Json) -> str:
    return outcome(lambda: client(slack).views_open(trigger_id=a_trigger(slack), view=view))


def a_trigger(slack: SlackStandin) -> str:
    return str(slack.shortcut("ann", "anything", wait=False)["trigger_id"])


def sized_view(size: int) -> Json:
    """A modal of exactly so many bytes as JSON."""
    block = {"type": "section", "text": plain("é" * 1_270)}
    last = {"type": "section", "text": plain("x")}
    view = modal(blocks=[*[block] * 98, last])
    bare = len(json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode())
    last["text"] = plain("x" * (size - bare + 1))
    return view


def stacked(slack: SlackStandin, views: int) -> str:
    shown = modal(blocks=actions(button()))
    web = client(slack)
    top = web.views_open(trigger_id=a_trigger(slack), view=shown)["view"]["id"]
    said = "ok"
    for _ in range(views - 1):
        pressed = slack.press_in_view("ann", "go", view=top, wait=False)
        try:
            top = web.views_push(trigger_id=pressed["trigger_id"], view=shown)["view"]["id"]
        except SlackApiError as error:
            said = str(error.response["error"])
    return said


def called(slack: SlackStandin, row: Limit) -> Generator[int | None, None, None]:
    """`Retry-After`, or None, of call after call; they count, though most are refused for their arguments."""
    slack.reset()
    slack.settings(rates="real" if row.per >= 60 else {row.method: [row.limit, 60.0]})  # a second is soon over
    place = urlsplit(slack.api_url)
    token = slack.app_token if row.method.startswith("apps.") else slack.bot_token
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with closing(HTTPConnection(place.hostname or "", place.port, timeout=5)) as connection:
        while True:
            connection.request("POST", f"{place.path}{row.method}", "{}", headers)
            answer = connection.getresponse()
            said = json.loads(answer.read())
            assert (answer.status == 429) == (said.get("error") == row.error)
            yield int(answer.headers["Retry-After"]) if answer.status == 429 else None


VIEWS: dict[str, Callable[[int], Json]] = {
    "view size": sized_view,
    "view.blocks": lambda n: modal(blocks=[{"type": "divider"}] * n),
    "view.title": lambda n: modal(title=plain("x" * n)),
    "view.submit": lambda n: modal(submit=plain("x" * n)),
    "view.close": lambda n: modal(close=plain("x" * n)),
    "view.private_metadata": lambda n: modal(private_metadata="x" * n),
    "view.callback_id": lambda n: modal(callback_id="x" * n),
    "view.external_id": lambda n: modal(external_id="x" * n),
}


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
    "markdown_text": lambda s, n: outcome(lambda: client(s).chat_postMessage(channel=GENERAL, markdown_text="x" * n)),
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
    "conversations page": lambda s, n: outcome(lambda: client(s).users_conversations(limit=n)),
    "people of a group DM": conversation_with,
    "stream task text": streamed_task,
    "session title": session_title,
    "prompts": prompts,
    "response_url uses": response_url_uses,
    "view stack": stacked,
}


def attempt(slack: SlackStandin, row: Limit, size: int) -> str:
    if row.subject in VIEWS:
        return opened(slack, VIEWS[row.subject](size))
    if row.subject in CALLS:
        return CALLS[row.subject](slack, size)
    blocks = BLOCKS[row.subject](size)
    return outcome(lambda: client(slack).chat_postMessage(channel=GENERAL, text="x", blocks=blocks))


@pytest.mark.parametrize("row", [row for row in LIMITS if row.unit == "calls"], ids=lambda row: row.method)
def test_as_many_calls_as_the_tier_has_pass_and_one_more_is_put_off(slack: SlackStandin, row: Limit) -> None:
    with closing(called(slack, row)) as answers:
        assert [next(answers) for _ in range(row.limit)] == [None] * row.limit
        retry_after = next(answers)
    assert retry_after is not None
    assert 1 <= retry_after <= 60


@pytest.mark.parametrize("row", [row for row in LIMITS if row.unit != "calls"], ids=lambda row: row.subject)
def test_the_limit_passes_and_one_more_is_refused(slack: SlackStandin, row: Limit) -> None:
    assert attempt(slack, row, row.limit) == "ok"
    if row.subject == "sockets":  # those of the first attempt are closed, but perhaps not yet noticed
        assert slack.state()["sockets"] == [] or slack.wait_for("socket.closed", lambda e: e["open"] == 0)
    assert attempt(slack, row, row.limit + 1) == row.error


def test_no_limit_stands_twice_in_the_table() -> None:
    subjects = [row.subject for row in LIMITS if row.unit != "calls"]
    assert sorted(subjects) == sorted({*BLOCKS, *CALLS, *VIEWS})
    rated = [row.method for row in LIMITS if row.unit == "calls"]
    assert len(rated) == len(set(rated))
    assert set(rated) <= set(METHODS)


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
        [{"type": "input", "label": plain("x")}],
        actions({"type": "plain_text_input"}),
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
