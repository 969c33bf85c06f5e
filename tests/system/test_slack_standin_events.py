"""What the stand-in delivers over Socket Mode, to the real Bolt with its real socket handler."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable, Iterator
from typing import Any

import aiohttp
import pytest
from slack_bolt import App, BoltResponse
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

from playground.standins.slack.client import SlackStandin

GENERAL = "C0GENERAL1"
Json = dict[str, Any]
BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Go"}, "action_id": "go", "value": "1"}
BUTTONS = [{"type": "actions", "elements": [BUTTON]}]


class Bolt:
    """A real app that keeps every payload it gets, own messages included, and acknowledges while told to."""

    def __init__(self, slack: SlackStandin) -> None:
        self.got: queue.Queue[Json] = queue.Queue()
        self.acknowledge = True
        self.web = WebClient(slack.bot_token, base_url=slack.api_url)
        app = App(client=self.web, ignoring_self_events_enabled=False)

        @app.middleware
        def keep(body: Json, req: Any, next: Callable[[], Any]) -> Any:
            self.got.put({**body, "retry": req.headers.get("x-slack-retry-num")})
            return next() if self.acknowledge else BoltResponse(status=500)

        app.event("app_mention")(lambda ack: ack())
        app.event("message")(lambda ack: ack())
        app.event("reaction_added")(lambda ack: ack())
        app.action("go")(lambda ack: ack())
        self.handler = SocketModeHandler(app, slack.app_token, ping_interval=0.5)
        since = slack.last()
        self.handler.connect()
        self.socket: int = slack.wait_for("socket.connected", since=since)["socket"]
        self.slack = slack

    def close(self) -> None:
        """End it; without the server's close the client would wait out its 3 s read."""
        self.handler.client.auto_reconnect_enabled = False
        self.slack.close_sockets(sockets=[self.socket])
        self.handler.close()

    def next(self, timeout: float = 5.0) -> Json:
        return self.got.get(timeout=timeout)

    def next_event(self) -> Json:
        event: Json = self.next()["event"]
        return event


@pytest.fixture(scope="module")
def running() -> Iterator[SlackStandin]:
    with SlackStandin.start(ack_timeout=2.0, retry_delays=[0.0, 0.1, 0.2]) as standin:
        yield standin


@pytest.fixture
def slack(running: SlackStandin) -> SlackStandin:
    running.reset()
    return running


@pytest.fixture(scope="module")
def shared(running: SlackStandin) -> Iterator[Bolt]:
    """Starting and closing a Bolt app costs half a second: most tests use this one."""
    bolt = Bolt(running)
    yield bolt
    bolt.close()


@pytest.fixture
def bolt(slack: SlackStandin, shared: Bolt) -> Bolt:
    shared.acknowledge = True
    while not shared.got.empty():
        shared.got.get()
    return shared


@pytest.mark.parametrize(
    ("order", "types"),
    [("mention_first", ["app_mention", "message"]), ("message_first", ["message", "app_mention"])],
)
def test_a_mention_is_two_events_of_one_message(slack: SlackStandin, bolt: Bolt, order: str, types: list[str]) -> None:
    since = slack.last()
    ts = slack.say("ann", "general", "@everthread charge 5", order=order)
    first, second = bolt.next(), bolt.next()
    assert first["event_id"] != second["event_id"]
    for body in (first, second):
        assert (body["team_id"], body["event"]["channel"], body["event"]["ts"]) == ("T0EVERTHRD", GENERAL, ts)
        assert body["event"]["text"] == "<@U0EVERTHRD> charge 5"
        assert body["authorizations"][0]["user_id"] == "U0EVERTHRD"
    assert first["event"]["client_msg_id"] == second["event"]["client_msg_id"]
    sent = [e["event"] for e in slack.events(since, kinds=["event.delivered"])]
    assert sent == types


def test_several_sockets_share_the_events_and_none_gets_one_twice(slack: SlackStandin, bolt: Bolt) -> None:
    other = Bolt(slack)
    try:
        since = slack.last()
        slack.say("ann", "general", "@everthread hi")
        bolt.next(), other.next()
        delivered = slack.events(since, kinds=["event.delivered"])
        assert len({e["socket"] for e in delivered}) == 2
        assert bolt.got.empty()
        assert other.got.empty()
    finally:
        other.close()


def test_a_dm_is_a_message_of_type_im_and_no_mention(slack: SlackStandin, bolt: Bolt) -> None:
    slack.say("ann", "dm:ann", "@everthread hi")
    event = bolt.next_event()
    assert (event["type"], event["channel_type"], event["channel"]) == ("message", "im", "D0ANN00001")
    assert bolt.got.empty()


def test_own_messages_come_back_as_events_of_the_app(slack: SlackStandin, bolt: Bolt) -> None:
    root = slack.say("ann", "general", "hello")
    bolt.next()
    bolt.web.chat_postMessage(channel=GENERAL, text="hi", thread_ts=root)
    event = bolt.next_event()
    assert (event["bot_id"], event["app_id"], event["user"]) == ("B0EVERTHRD", "A0EVERTHRD", "U0EVERTHRD")
    assert (event["thread_ts"], event["parent_user_id"]) == (root, "U0ANN00001")
    assert "client_msg_id" not in event


def test_edits_and_deletions_are_told_with_the_state_before(slack: SlackStandin, bolt: Bolt) -> None:
    ts = slack.say("ann", "general", "one")
    bolt.next()
    slack.edit(ts, "two")
    changed = bolt.next_event()
    assert changed["subtype"] == "message_changed"
    assert (changed["previous_message"]["text"], changed["message"]["text"]) == ("one", "two")
    assert changed["message"]["edited"]["user"] == "U0ANN00001"
    assert changed["ts"] != ts
    slack.delete(ts)
    deleted = bolt.next_event()
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", ts)
    assert deleted["previous_message"]["text"] == "two"


def test_a_deleted_root_with_replies_becomes_a_tombstone(slack: SlackStandin, bolt: Bolt) -> None:
    root = slack.say("ann", "general", "root")
    slack.say("bob", "general", "reply", root)
    bolt.next(), bolt.next()
    slack.delete(root)
    event = bolt.next_event()
    assert (event["subtype"], event["message"]["subtype"]) == ("message_changed", "tombstone")
    replies = bolt.web.conversations_replies(channel=GENERAL, ts=root)["messages"]
    assert [m.get("subtype") for m in replies] == ["tombstone", None]


def test_a_person_of_another_workspace_is_told_apart(slack: SlackStandin, bolt: Bolt) -> None:
    slack.say("eve", "ops", "@everthread hi")
    body = bolt.next()
    assert body["is_ext_shared_channel"]
    assert body["event"]["user_team"] == "T0ELSEWHRE" != body["team_id"]


def test_nothing_is_heard_from_a_channel_the_bot_is_not_in(slack: SlackStandin, bolt: Bolt) -> None:
    since = slack.last()
    slack.say("ann", "random", "@everthread hi")
    assert [e["kind"] for e in slack.events(since)] == ["message.posted"]
    assert bolt.got.empty()


def test_the_unacknowledged_comes_again_with_the_same_event_id(slack: SlackStandin, bolt: Bolt) -> None:
    slack.settings(ack_timeout=0.05, retry_delays=[0.0, 0.05, 0.05])
    bolt.acknowledge = False
    since = slack.last()
    slack.say("ann", "general", "hi")
    bodies = [bolt.next() for _ in range(4)]
    assert len({body["event_id"] for body in bodies}) == 1
    assert sorted(body["retry"] for body in bodies) == [["0"], ["1"], ["2"], ["3"]]
    lost = slack.wait_for("event.lost", since=since)
    assert (lost["attempts"], lost["acked"]) == (4, False)


def test_an_event_nobody_was_there_for_reaches_whoever_connects_in_time(slack: SlackStandin, bolt: Bolt) -> None:
    slack.settings(retry_delays=[0.0, 5.0])
    since = slack.last()
    slack.fault("error", "apps.connections.open", times=None)  # or the app would be back at once
    slack.close_sockets()
    slack.wait_for("socket.closed", since=since)
    ts = slack.say("ann", "general", "anybody?")
    slack.wait_for("event.unacked", lambda e: e["reason"] == "connection_failed" and e["attempts"] == 2, since)
    slack.no_fault()
    acked = slack.wait_for("event.acked", since=since)
    assert (acked["ts"], acked["attempts"]) == (ts, 3)
    bolt.socket = acked["socket"]


def test_a_disconnect_frame_moves_the_app_to_a_new_socket(slack: SlackStandin, bolt: Bolt) -> None:
    since = slack.last()
    assert slack.close_sockets("refresh_requested", grace=1.0) == 1
    opened = slack.wait_for("socket.connected", since=since)
    closed = slack.wait_for("socket.closed", since=since)
    assert opened["seq"] < closed["seq"], "the new one is there before the old one goes"
    slack.say("ann", "general", "still there?")
    assert bolt.next_event()["text"] == "still there?"
    bolt.socket = opened["socket"]


def test_a_click_brings_its_message_its_thread_and_a_way_to_answer(slack: SlackStandin, bolt: Bolt) -> None:
    root = slack.say("ann", "general", "root")
    ts = bolt.web.chat_postMessage(channel=GENERAL, text="?", blocks=BUTTONS, thread_ts=root)["ts"]
    bolt.next(), bolt.next()
    assert slack.click("bob", "go", ts)["acked"]
    body = bolt.next()
    assert (body["type"], body["user"]["id"]) == ("block_actions", "U0BOB00001")
    assert body["container"]["message_ts"] == body["message"]["ts"] == ts
    assert body["container"]["thread_ts"] == root
    [action] = body["actions"]
    assert (action["action_id"], action["value"], action["type"]) == ("go", "1", "button")
    assert body["response_url"].startswith(f"{slack.url}/response/")
    assert body["trigger_id"]
    bolt.web.chat_update(channel=GENERAL, ts=ts, text="answered")
    assert slack.click("bob", "go", ts, stale=True)["acked"], "a slow client presses what it still sees"


def test_a_click_is_delivered_once_and_its_failure_is_seen(slack: SlackStandin, bolt: Bolt) -> None:
    ts = bolt.web.chat_postMessage(channel=GENERAL, text="?", blocks=BUTTONS)["ts"]
    bolt.next()
    bolt.acknowledge = False
    slack.settings(ack_timeout=0.05)
    pressed = slack.click("bob", "go", ts)
    assert (pressed["acked"], pressed["attempts"]) == (False, 1)


def test_an_event_can_be_delivered_again_with_its_id_or_a_new_one(slack: SlackStandin, bolt: Bolt) -> None:
    ts = slack.say("ann", "general", "hi")
    first = bolt.next()
    assert slack.redeliver(ts) == 1
    again = bolt.next()
    assert (again["event_id"], again["retry"]) == (first["event_id"], ["1"])
    assert slack.redeliver(ts, times=3, fresh=True) == 3
    fresh = [bolt.next() for _ in range(3)]
    assert len({body["event_id"] for body in (first, *fresh)}) == 4
    assert {body["event"]["ts"] for body in fresh} == {ts}
    assert {body["retry"][0] for body in fresh} == {"0"}


def test_reactions_are_told_to_who_subscribed(slack: SlackStandin, bolt: Bolt) -> None:
    ts = slack.say("ann", "general", "hi")
    bolt.next()
    slack.react("bob", ts, "eyes")
    slack.settings(subscriptions=["reaction_added"])
    slack.react("ada", ts, "eyes")
    event = bolt.next_event()
    assert (event["type"], event["user"], event["item"]["ts"]) == ("reaction_added", "U0ADA00001", ts)


def test_the_stream_of_happenings_can_be_joined_at_a_number(slack: SlackStandin) -> None:
    async def first_after(since: int) -> str:
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{slack.url}/control/events", params={"since": since, "kinds": "message.posted"}) as got,
        ):
            assert got.content_type == "text/event-stream"
            return (await got.content.readuntil(b"\n\n")).decode()

    since = slack.last()
    ts = slack.say("ann", "random", "hi")
    line = asyncio.run(first_after(since))
    assert line.startswith("id: ")
    assert ts in line


def test_no_correct_app_ever_causes_a_violation(slack: SlackStandin, bolt: Bolt) -> None:
    slack.say("ann", "general", "@everthread hi")
    bolt.next(), bolt.next()
    assert slack.violations() == []
