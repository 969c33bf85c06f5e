"""The stand-in's Web API, through the real slack_sdk client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from playground.standins.slack.client import SlackStandin, StandinError

GENERAL, RANDOM = "C0GENERAL1", "C0RANDOM01"
BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Go"}, "action_id": "go", "value": "1"}
BUTTONS = [{"type": "actions", "elements": [BUTTON]}]
MARK = {"event_type": "agent_run", "event_payload": {"run": "r1", "part": 1}}


@pytest.fixture(scope="module")
def running() -> Iterator[SlackStandin]:
    with SlackStandin.start() as standin:
        yield standin


@pytest.fixture
def slack(running: SlackStandin) -> SlackStandin:
    running.reset()
    return running


@pytest.fixture
def web(slack: SlackStandin) -> WebClient:
    return WebClient(slack.bot_token, base_url=slack.api_url)


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(SlackApiError) as caught:
        call()
    return str(caught.value.response["error"])


def test_the_token_says_who_calls(slack: SlackStandin) -> None:
    def test_with(token: str | None) -> Any:
        return WebClient(token, base_url=slack.api_url).auth_test()

    assert test_with(slack.bot_token)["user_id"] == slack.state()["bot_user"]
    assert refusal(lambda: test_with(None)) == "not_authed"
    assert refusal(lambda: test_with("nonsense")) == "invalid_auth"
    assert refusal(lambda: test_with(slack.app_token)) == "not_allowed_token_type"
    assert (
        refusal(lambda: WebClient(base_url=slack.api_url).apps_connections_open(app_token=slack.bot_token))
        == "not_allowed_token_type"
    )
    slack.revoke_token()
    assert refusal(lambda: test_with(slack.bot_token)) == "token_revoked"


def test_an_unknown_method_is_a_violation(slack: SlackStandin, web: WebClient) -> None:
    assert refusal(lambda: web.api_call("chat.shout", json={"channel": GENERAL})) == "unknown_method"
    assert [v["what"] for v in slack.violations()] == ["unknown method chat.shout"]


def test_an_update_is_a_new_version_and_text_alone_removes_the_blocks(slack: SlackStandin, web: WebClient) -> None:
    ts = web.chat_postMessage(channel=GENERAL, text="a", blocks=BUTTONS, metadata=MARK)["ts"]
    web.chat_update(channel=GENERAL, ts=ts, text="b & c")
    [message] = slack.messages("general")
    assert [v["text"] for v in message["versions"]] == ["a", "b &amp; c"]
    assert [bool(v["blocks"]) for v in message["versions"]] == [True, False]
    assert message["metadata"] == MARK, "metadata stays when it is not given"
    assert message["edited"], "text alone is marked as edited"
    assert [v["call"] for v in message["versions"]] == [1, 2]
    web.chat_update(channel=GENERAL, ts=ts, text="c", metadata={})
    assert slack.messages("general")[0]["metadata"] == {}


def test_markdown_text_may_be_longer_than_an_updates_text_but_stands_alone(web: WebClient) -> None:
    ts = web.chat_postMessage(channel=GENERAL, text="a")["ts"]
    web.chat_update(channel=GENERAL, ts=ts, markdown_text="x" * 12_000)
    both = {"channel": GENERAL, "ts": ts, "text": "a", "markdown_text": "b"}
    assert refusal(lambda: web.api_call("chat.update", json=both)) == "markdown_text_conflict"


def test_a_button_for_some_is_not_seen_by_others(slack: SlackStandin, web: WebClient) -> None:
    hidden = [{"type": "actions", "elements": [{**BUTTON, "visible_to_user_ids": ["U0ADA00001"]}]}]
    ts = web.chat_postMessage(channel=GENERAL, text="a", blocks=hidden)["ts"]
    with pytest.raises(StandinError, match="does not see"):
        slack.click("ann", "go", ts)
    assert slack.click("ada", "go", ts, wait=False)["ts"] == ts


def test_an_update_with_blocks_is_not_marked_as_edited(slack: SlackStandin, web: WebClient) -> None:
    ts = web.chat_postMessage(channel=GENERAL, text="a")["ts"]
    web.chat_update(channel=GENERAL, ts=ts, text="b", blocks=BUTTONS)
    assert slack.messages("general")[0]["edited"] is None


def test_what_is_not_there_or_not_ours_is_refused(slack: SlackStandin, web: WebClient) -> None:
    said = slack.say("ann", "general", "mine")
    assert refusal(lambda: web.chat_update(channel=GENERAL, ts=said, text="x")) == "cant_update_message"
    assert refusal(lambda: web.chat_delete(channel=GENERAL, ts=said)) == "cant_delete_message"
    assert refusal(lambda: web.chat_update(channel=GENERAL, ts="1.0", text="x")) == "message_not_found"
    assert refusal(lambda: web.chat_postMessage(channel="C0NOWHERE", text="x")) == "channel_not_found"
    assert refusal(lambda: web.chat_postMessage(channel=RANDOM, text="x")) == "not_in_channel"
    assert refusal(lambda: web.api_call("chat.postMessage", json={"channel": GENERAL})) == "no_text"
    assert (
        refusal(lambda: web.chat_postMessage(channel=GENERAL, text="x", thread_ts="1.0")) == "cannot_reply_to_message"
    )
    assert (
        refusal(lambda: web.chat_postMessage(channel=GENERAL, text="x", metadata={"event_type": "a"}))
        == "invalid_metadata_format"
    )
    slack.archive("general")
    assert refusal(lambda: web.chat_postMessage(channel=GENERAL, text="x")) == "is_archived"


def test_a_deleted_message_is_marked_and_kept(slack: SlackStandin, web: WebClient) -> None:
    ts = web.chat_postMessage(channel=GENERAL, text="a")["ts"]
    web.chat_delete(channel=GENERAL, ts=ts)
    [message] = slack.messages("general")
    assert message["deleted"]
    assert message["text"] == "a"
    assert refusal(lambda: web.chat_delete(channel=GENERAL, ts=ts)) == "message_not_found"
    assert web.conversations_history(channel=GENERAL)["messages"] == []


def test_replies_come_in_pages_each_with_the_root(slack: SlackStandin, web: WebClient) -> None:
    root = slack.say("ann", "general", "root")
    replies = [
        web.chat_postMessage(channel=GENERAL, text=f"{n}", thread_ts=root, metadata=MARK)["ts"] for n in range(5)
    ]
    seen, cursor = [], None
    while cursor != "":
        page = web.conversations_replies(
            channel=GENERAL, ts=root, oldest=replies[0], limit=2, cursor=cursor, include_all_metadata=True
        )
        assert page["messages"][0]["ts"] == root
        seen += page["messages"][1:]
        cursor = page["response_metadata"]["next_cursor"]
    assert [m["ts"] for m in seen] == replies[1:], "oldest is exclusive"
    assert {m["metadata"]["event_payload"]["run"] for m in seen} == {"r1"}
    plain = web.conversations_replies(channel=GENERAL, ts=root)["messages"]
    assert plain[0]["reply_count"] == 5
    assert not any("metadata" in m for m in plain)
    assert refusal(lambda: web.conversations_replies(channel=GENERAL, ts="1.0")) == "thread_not_found"


def test_history_has_no_replies_and_starts_with_the_newest(slack: SlackStandin, web: WebClient) -> None:
    first, second = slack.say("ann", "general", "1"), slack.say("bob", "general", "2")
    slack.say("bob", "general", "reply", first)
    history = web.conversations_history(channel=GENERAL)["messages"]
    assert [m["ts"] for m in history] == [second, first]


def test_people_and_channels_are_described(web: WebClient) -> None:
    gus = web.users_info(user="U0GUS00001")["user"]
    eve = web.users_info(user="U0EVE00001")["user"]
    assert gus["is_restricted"]
    assert eve["is_stranger"]
    assert eve["team_id"] != gus["team_id"]
    names: list[str] = []
    for page in web.users_list(limit=2):
        names += [member["name"] for member in page["members"]]
    assert names == ["ann", "bob", "ada", "gus", "everthread"]
    assert web.conversations_info(channel="D0ANN00001")["channel"]["user"] == "U0ANN00001"
    assert web.conversations_info(channel="C0OPS00001")["channel"]["is_ext_shared"]
    assert "U0EVE00001" not in web.conversations_members(channel=GENERAL)["members"]
    assert refusal(lambda: web.users_info(user="U0NOBODY")) == "user_not_found"


def test_reactions_are_there_once(slack: SlackStandin, web: WebClient) -> None:
    ts = slack.say("ann", "general", "hello")
    web.reactions_add(channel=GENERAL, timestamp=ts, name="eyes")
    assert refusal(lambda: web.reactions_add(channel=GENERAL, timestamp=ts, name="eyes")) == "already_reacted"
    assert slack.messages("general")[0]["reactions"] == {"eyes": [slack.state()["bot_user"]]}
    web.reactions_remove(channel=GENERAL, timestamp=ts, name="eyes")
    assert refusal(lambda: web.reactions_remove(channel=GENERAL, timestamp=ts, name="eyes")) == "no_reaction"


def test_a_status_goes_with_the_next_reply(slack: SlackStandin, web: WebClient) -> None:
    ts = slack.say("ann", "general", "hello")
    web.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="is thinking…")

    def thread() -> Any:
        return next(c for c in slack.state()["channels"] if c["name"] == "general")["threads"][0]

    assert thread()["status"] == "is thinking…"
    web.chat_postMessage(channel=GENERAL, thread_ts=ts, text="done")
    assert thread()["status"] == ""
    assert [s["status"] for s in thread()["statuses"]] == ["is thinking…"]


def test_an_ephemeral_leaves_no_message(slack: SlackStandin, web: WebClient) -> None:
    web.chat_postEphemeral(channel=GENERAL, user="U0ANN00001", text="psst")
    assert slack.messages("general") == []
    assert [e["text"] for e in slack.state()["ephemerals"]] == ["psst"]


def test_a_permalink_names_the_thread(slack: SlackStandin, web: WebClient) -> None:
    root = slack.say("ann", "general", "root")
    ts = slack.say("bob", "general", "reply", root)
    link = web.chat_getPermalink(channel=GENERAL, message_ts=ts)["permalink"]
    assert link.endswith(f"/{GENERAL}/p{ts.replace('.', '')}?thread_ts={root}&cid={GENERAL}")


def test_who_would_be_rung_is_seen_in_text_and_blocks(slack: SlackStandin, web: WebClient) -> None:
    blocks = [{"type": "markdown", "text": "hello <!channel>"}]
    web.chat_postMessage(channel=GENERAL, text="<@U0ANN00001> &lt;!here&gt;", blocks=blocks)
    assert slack.messages("general")[0]["notifies"] == ["@U0ANN00001", "!channel"]


def test_a_reply_as_thread_ts_is_a_violation(slack: SlackStandin, web: WebClient) -> None:
    root = slack.say("ann", "general", "root")
    reply = slack.say("bob", "general", "reply", root)
    web.chat_postMessage(channel=GENERAL, text="x", thread_ts=reply)
    assert slack.messages("general")[-1]["thread_ts"] == root
    assert len(slack.violations()) == 1


def test_rate_tiers_answer_429_when_they_are_on(slack: SlackStandin, web: WebClient) -> None:
    slack.settings(rates={"auth.test": [2, 60]})
    web.auth_test()
    web.auth_test()
    with pytest.raises(SlackApiError) as caught:
        web.auth_test()
    assert caught.value.response.status_code == 429
    assert caught.value.response["error"] == "ratelimited"
    assert 1 <= int(caught.value.response.headers["Retry-After"]) <= 60
    assert [c["outcome"] for c in slack.calls("auth.test")] == ["ok", "ok", "ratelimited"]


def test_the_log_of_calls_has_no_token(slack: SlackStandin, web: WebClient) -> None:
    WebClient(base_url=slack.api_url).apps_connections_open(app_token=slack.app_token)
    web.chat_postMessage(channel=GENERAL, text="x")
    assert slack.bot_token not in str(slack.calls())
    assert slack.app_token not in str(slack.calls())
    assert slack.calls("chat.postMessage")[0]["message"]["text"] == "x"


def test_a_response_url_ends_after_five_uses(slack: SlackStandin, web: WebClient) -> None:
    ts = web.chat_postMessage(channel=GENERAL, text="a", blocks=BUTTONS)["ts"]
    hook = WebhookClient(slack.click("ann", "go", ts, wait=False)["response_url"])
    assert hook.send_dict({"markdown_text": "no"}).status_code == 400
    assert hook.send(text="gone", replace_original=True).body == "ok"
    assert [hook.send(text=f"{n}").status_code for n in range(5)] == [200, 200, 200, 200, 404]
    assert slack.messages("general")[0]["text"] == "gone"
    assert len(slack.state()["ephemerals"]) == 4


def test_people_are_told_in_words_what_they_cannot_do(slack: SlackStandin, web: WebClient) -> None:
    ts = web.chat_postMessage(channel=GENERAL, text="a", blocks=BUTTONS)["ts"]
    for act in (
        lambda: slack.say("mallory", "general", "hi"),
        lambda: slack.say("eve", "general", "hi"),
        lambda: slack.say("ann", "attic", "hi"),
        lambda: slack.click("ann", "stop", ts),
        lambda: slack.click("eve", "go", ts),
        lambda: slack.edit(ts, "not mine"),
        lambda: slack.fault("flood"),
        lambda: slack.settings(colour="red"),
    ):
        with pytest.raises(StandinError):
            act()


def test_a_reset_empties_the_workspace_and_numbers_go_on(slack: SlackStandin, web: WebClient) -> None:
    web.chat_postMessage(channel=GENERAL, text="a")
    slack.settings(ack_timeout=9)
    slack.revoke_token()
    before = slack.last()
    slack.reset()
    assert slack.messages("general") == []
    assert slack.calls() == []
    assert [e["kind"] for e in slack.events(before)] == ["reset"]
    assert web.auth_test()["ok"]
