"""Modals, commands, shortcuts, whispers, streams, sessions, files and places of the stand-in, without an app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from playground.standins.slack.client import SlackStandin, StandinError
from playground.standins.slack.settings import of_manifest

GENERAL, OPS, ANN = "C0GENERAL1", "C0OPS00001", "U0ANN00001"
RECIPIENT = {"recipient_team_id": "T0EVERTHRD", "recipient_user_id": ANN}
Json = dict[str, Any]


@pytest.fixture(scope="module")
def running() -> Iterator[SlackStandin]:
    with SlackStandin.start(retry_delays=[]) as standin:
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


def downloaded(url: str, token: str) -> str:
    place = urlsplit(url)
    with closing(HTTPConnection(place.hostname or "", place.port, timeout=5)) as connection:
        connection.request("GET", place.path, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.read().decode()


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def button(action_id: str = "go") -> list[Json]:
    return [{"type": "actions", "elements": [{"type": "button", "text": plain("Go"), "action_id": action_id}]}]


def form(**fields: Any) -> Json:
    element = {"type": "plain_text_input", "action_id": "answer"}
    blocks = [{"type": "input", "block_id": "asked", "label": plain("Why?"), "element": element}]
    return {"type": "modal", "title": plain("Tell me"), "submit": plain("Send"), "blocks": blocks, **fields}


def a_trigger(slack: SlackStandin) -> str:
    return str(slack.shortcut("ann", "ask", wait=False)["trigger_id"])


def test_a_modal_is_opened_once_with_a_trigger_that_lives_for_seconds(slack: SlackStandin, web: WebClient) -> None:
    trigger = a_trigger(slack)
    view = web.views_open(trigger_id=trigger, view=form(private_metadata="q1"))["view"]
    assert (view["private_metadata"], view["root_view_id"]) == ("q1", view["id"])
    assert refusal(lambda: web.views_open(trigger_id=trigger, view=form())) == "exchanged_trigger_id"
    slack.settings(trigger_life=-1.0)
    assert refusal(lambda: web.views_open(trigger_id=a_trigger(slack), view=form())) == "expired_trigger_id"
    assert refusal(lambda: web.views_open(trigger_id="made up", view=form())) == "invalid_trigger_id"


def test_who_looks_on_hears_of_every_window_that_is_opened_and_closed(slack: SlackStandin, web: WebClient) -> None:
    since = slack.last()
    first = web.views_open(trigger_id=a_trigger(slack), view=form())["view"]
    web.views_update(view_id=first["id"], view=form(title=plain("Again")))
    slack.close_view("ann")

    heard = slack.events(since, kinds=["view.opened", "view.updated", "view.closed"])
    assert [(e["kind"], e["open"], e["shown"]["title"]["text"]) for e in heard] == [
        ("view.opened", True, "Tell me"),
        ("view.updated", True, "Again"),
        ("view.closed", False, "Again"),
    ]


def test_a_view_is_changed_only_from_the_state_the_app_knows(slack: SlackStandin, web: WebClient) -> None:
    first = web.views_open(trigger_id=a_trigger(slack), view=form(external_id="e1"))["view"]
    assert refusal(lambda: web.views_open(trigger_id=a_trigger(slack), view=form(external_id="e1"))) == (
        "duplicate_external_id"
    )
    web.views_update(external_id="e1", view=form(title=plain("Again")), hash=first["hash"])
    assert refusal(lambda: web.views_update(view_id=first["id"], view=form(), hash=first["hash"])) == "hash_conflict"
    assert refusal(lambda: web.views_update(view_id="V0NONE", view=form())) == "not_found"
    assert refusal(lambda: web.views_open(trigger_id=a_trigger(slack), view={**form(), "submit": None})) == (
        "invalid_arguments"
    )


def test_the_home_tab_is_published_for_one_person(slack: SlackStandin, web: WebClient) -> None:
    home = {"type": "home", "blocks": button()}
    first = web.views_publish(user_id=ANN, view=home)["view"]
    assert web.views_publish(user_id=ANN, view=home)["view"]["id"] == first["id"]
    assert refusal(lambda: web.views_publish(user_id="U0NOBODY", view=home)) == "user_not_found"
    assert refusal(lambda: web.views_publish(user_id=ANN, view=form())) == "invalid_arguments"
    assert slack.press_in_view("ann", "go", view=first["id"], wait=False)["delivered"]


def test_a_command_in_a_thread_is_refused_by_slack_itself(slack: SlackStandin) -> None:
    ts = slack.say("ann", "general", "hello")
    since = slack.last()
    shown = slack.slash("ann", "general", "/everthread", "runs", thread=ts)["shown"]
    assert shown == "/everthread is not supported in threads. Sorry!"
    assert slack.events(since, kinds=["event.delivered"]) == []
    assert slack.state()["ephemerals"][0]["text"] == shown


def test_a_whisper_is_clicked_replaced_and_deleted_by_response_url(slack: SlackStandin, web: WebClient) -> None:
    ts = web.chat_postEphemeral(channel=GENERAL, user=ANN, text="psst", blocks=button())["message_ts"]
    with pytest.raises(StandinError):
        slack.click("bob", "go", ts)
    url = WebhookClient(slack.click("ann", "go", ts, wait=False)["response_url"])
    assert url.send(text="taken", replace_original=True).body == "ok"
    assert slack.state()["ephemerals"][0]["text"] == "taken"
    assert url.send_dict({"markdown_text": "**x**"}).status_code == 400
    assert url.send(delete_original=True).body == "ok"
    assert slack.state()["ephemerals"][0]["deleted"]
    assert refusal(lambda: web.chat_update(channel=GENERAL, ts=ts, text="x")) == "message_not_found"


def test_a_stream_grows_refuses_edits_and_ends(slack: SlackStandin, web: WebClient) -> None:
    root = slack.say("ann", "general", "@everthread go")
    assert refusal(lambda: web.chat_startStream(channel=GENERAL, thread_ts=root)) == "missing_recipient_team_id"
    assert refusal(lambda: web.chat_startStream(channel=GENERAL, thread_ts="1.0", **RECIPIENT)) == "invalid_thread_ts"
    ts = web.chat_startStream(channel=GENERAL, thread_ts=root, markdown_text="one ", **RECIPIENT)["ts"]
    task = {"type": "task_update", "id": "t", "title": "look", "status": "in_progress"}
    web.chat_appendStream(channel=GENERAL, ts=ts, chunks=[task, {"type": "markdown_text", "text": "two "}])
    assert refusal(lambda: web.chat_update(channel=GENERAL, ts=ts, text="x")) == "streaming_state_conflict"
    assert refusal(lambda: web.chat_appendStream(channel=GENERAL, ts=ts)) == "no_text"
    metadata = {"event_type": "run", "event_payload": {"run": "r1"}}
    web.chat_stopStream(channel=GENERAL, ts=ts, markdown_text="three", metadata=metadata)
    assert refusal(lambda: web.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="x")) == (
        "message_not_in_streaming_state"
    )
    [message] = [m for m in slack.messages("general", root) if m["ts"] == ts]
    assert (message["text"], message["stream"], message["metadata"]) == ("one two three", "stopped", metadata)
    assert message["blocks"][0]["type"] == "plan"
    web.chat_update(channel=GENERAL, ts=ts, text="edited")


def test_a_stream_that_outlived_itself_can_only_be_edited(slack: SlackStandin, web: WebClient) -> None:
    root = slack.say("ann", "dm:ann", "go")
    ts = web.chat_startStream(channel="D0ANN00001", thread_ts=root, markdown_text="one")["ts"]
    slack.close_stream(ts)
    for call in (web.chat_appendStream, web.chat_stopStream):
        said = refusal(lambda call=call: call(channel="D0ANN00001", ts=ts, markdown_text="x"))  # type: ignore[misc]
        assert said == "message_not_in_streaming_state"
    web.chat_update(channel="D0ANN00001", ts=ts, text="one and the rest")


def test_slacks_own_stop_ends_the_streams_and_leaves_the_status_to_the_app(slack: SlackStandin, web: WebClient) -> None:
    root = slack.say("ann", "general", "@everthread go")
    with pytest.raises(StandinError, match="no session works"):
        slack.stop_session("ann", "general", root)
    said = web.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=root, status="processing", title="Go")
    assert "warning" not in said.data
    ts = web.chat_startStream(channel=GENERAL, thread_ts=root, markdown_text="one", **RECIPIENT)["ts"]
    since = slack.last()
    assert slack.stop_session("ann", "general", root)["delivered"]
    assert slack.events(since, kinds=["event.unacked"])[0]["event"] == "agent_session_stopped"
    assert refusal(lambda: web.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="x")) == "stopped_by_user"
    [session] = slack.state()["sessions"]
    assert (session["status"], session["title"], len(session["stops"])) == ("processing", "Go", 1)
    web.agents_sessions_rename(channel_id=GENERAL, thread_ts=root, title="Went")
    slack.settings(subscriptions=["app_mention"])
    said = web.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=root, status="processing")
    assert said["warning"] == "missing_agent_session_stopped_event_subscription"
    slack.settings(agent=False)
    again = lambda: web.agents_sessions_setStatus(channel_id=GENERAL, thread_ts=root, status="active")  # noqa: E731
    assert refusal(again) == "feature_not_enabled"


def test_prompts_and_titles_are_for_direct_messages(slack: SlackStandin, web: WebClient) -> None:
    ts = slack.say("ann", "dm:ann", "hi")
    web.assistant_threads_setSuggestedPrompts(channel_id="D0ANN00001", prompts=[{"title": "a", "message": "b"}])
    web.assistant_threads_setTitle(channel_id="D0ANN00001", thread_ts=ts, title="t")
    assert slack.state()["prompts"][0]["prompts"] == [{"title": "a", "message": "b"}]
    missing = refusal(lambda: web.assistant_threads_setSuggestedPrompts(channel_id="D0ANN00001", prompts=[]))
    assert missing == "invalid_arguments"


def test_a_file_goes_up_in_three_steps_and_comes_down_with_the_token(slack: SlackStandin, web: WebClient) -> None:
    root = slack.say("ann", "general", "the log, please")
    done = web.files_upload_v2(content="one\ntwo", filename="log.txt", channel=GENERAL, thread_ts=root)
    file = web.files_info(file=done["file"]["id"])["file"]
    [share] = file["shares"]["public"][GENERAL]
    assert share["thread_ts"] == root
    [message] = [m for m in slack.messages("general", root) if m["ts"] == share["ts"]]
    assert (message["subtype"], message["files"][0]["name"]) == ("file_share", "log.txt")
    assert downloaded(file["url_private"], slack.bot_token) == "one\ntwo"
    assert "Sign in" in downloaded(file["url_private"], ""), "Slack shows its login page, with status 200"
    again = lambda: web.files_completeUploadExternal(files=[{"id": file["id"]}])  # noqa: E731
    assert refusal(again) == "file_already_completed"
    web.files_delete(file=file["id"])
    assert refusal(lambda: web.files_info(file=file["id"])) == "file_deleted"


def test_a_file_that_did_not_arrive_whole_cannot_be_completed(slack: SlackStandin, web: WebClient) -> None:
    asked = web.files_getUploadURLExternal(filename="a.txt", length=5)
    assert WebhookClient(asked["upload_url"]).send(text="longer").status_code == 400
    never = lambda: web.files_completeUploadExternal(files=[{"id": asked["file_id"]}])  # noqa: E731
    assert refusal(never) == "file_not_found"


def test_a_file_of_a_person_is_told_with_their_message(slack: SlackStandin, web: WebClient) -> None:
    ts = slack.say("ann", "general", "look", files={"a.csv": "1,2", "b.bin": b"\x00\x01"})
    [message] = [m for m in slack.messages("general") if m["ts"] == ts]
    assert message["subtype"] == "file_share"
    assert [(f["name"], f["filetype"], f["size"]) for f in message["files"]] == [
        ("a.csv", "csv", 3),
        ("b.bin", "bin", 2),
    ]
    slack.settings(scopes=["chat:write"])
    assert refusal(lambda: web.files_info(file=message["files"][0]["id"])) == "missing_scope"


def test_conversations_of_every_kind_are_listed_opened_and_told_apart(slack: SlackStandin, web: WebClient) -> None:
    kinds = "public_channel,private_channel,mpim,im"
    own = web.users_conversations(types=kinds)["channels"]
    assert {c["name"] for c in own if "name" in c} == {
        "general",
        "ops",
        "backstage",
        "mpdm-ann--bob--everthread-1",
    }
    assert [c["name"] for c in web.conversations_list()["channels"]] == ["general", "ops", "random"]
    group = web.conversations_open(users=[ANN, "U0ADA00001"])["channel"]["id"]
    assert web.conversations_open(users=["U0ADA00001", ANN])["channel"]["id"] == group
    assert web.conversations_info(channel=group)["channel"]["is_mpim"]
    assert web.conversations_open(users=[ANN])["channel"]["id"] == "D0ANN00001"
    assert refusal(lambda: web.conversations_open(users=["U0NOBODY"])) == "user_not_found"
    assert web.usergroups_users_list(usergroup="S0ONCALL01")["users"] == ["U0BOB00001", "U0ADA00001"]
    assert refusal(lambda: web.usergroups_users_list(usergroup="S0NONE")) == "no_such_subteam"


def test_a_bot_that_is_removed_hears_so_and_then_nothing(slack: SlackStandin, web: WebClient) -> None:
    since = slack.last()
    slack.leave("general")
    slack.say("ann", "general", "@everthread are you there?")
    told = [e["event"] for e in slack.events(since, timeout=2.0, kinds=["event.unacked", "event.lost"])]
    assert set(told) == {"channel_left"}
    assert refusal(lambda: web.chat_postMessage(channel=GENERAL, text="x")) == "not_in_channel"
    slack.join("general", "everthread")
    slack.archive("general")
    assert refusal(lambda: web.chat_postMessage(channel=GENERAL, text="x")) == "is_archived"
    kinds = {d["event"] for d in slack.state()["deliveries"]}
    assert {"channel_left", "member_joined_channel", "channel_archive"} <= kinds


def test_a_token_can_do_what_its_manifest_asked_for(slack: SlackStandin, web: WebClient) -> None:
    manifest = {
        "features": {"agent_view": {}},
        "oauth_config": {"scopes": {"bot": ["chat:write", "channels:history"]}},
        "settings": {"event_subscriptions": {"bot_events": ["app_mention"]}},
    }
    slack.settings(**of_manifest(manifest))
    web.chat_postMessage(channel=GENERAL, text="x")
    with pytest.raises(SlackApiError) as caught:
        web.users_info(user=ANN)
    assert (caught.value.response["error"], caught.value.response["needed"]) == ("missing_scope", "users:read")
    since = slack.last()
    slack.say("ann", "general", "@everthread hi")
    assert slack.events(since, kinds=["event.unacked"]) == [], "app_mentions:read was not granted"
    slack.settings(scopes=[], lacking=["views.open"])
    assert refusal(lambda: web.views_open(trigger_id=a_trigger(slack), view=form())) == "feature_not_enabled"
    assert slack.violations() == []
