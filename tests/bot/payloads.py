"""What Slack really sends, one of each kind: shapes as recorded in public repositories and docs.slack.dev, told anew.

`events()` are Events API payloads, `interactions()` come as a form field `payload`, `commands()` as a form. `SAID`
names the events that carry a request to us, with what was said.
"""

from __future__ import annotations

from typing import Any

TEAM, ELSEWHERE, APP, ME, BOT = "T0TEAM", "T0ELSEWHRE", "A0APP", "U0BOT", "B0BOT"
ANN, BOB, EVE = "U0ANN", "U0BOB", "U0EVE"
GENERAL, SECRET, GROUP, DM = "C0GENERAL", "C0SECRET", "C0GROUPDM", "D0ANN"
TS, ROOT = "1800000000.000100", "1799999990.000100"
Json = dict[str, Any]


def outer(event: Json, **more: Any) -> Json:
    """The envelope of the Events API as it is since 2020: authorizations, context, no authed_users."""
    return {
        "token": "verification-token-of-old",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "context_enterprise_id": None,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": "Ev0PAYLOAD",
        "event_time": 1_800_000_000,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": ME,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": "4-eyJldCI6Im1lc3NhZ2UifQ",
        **more,
    }


def rich(*elements: Json) -> list[Json]:
    return [
        {
            "type": "rich_text",
            "block_id": "Jx3vQ",
            "elements": [{"type": "rich_text_section", "elements": list(elements)}],
        }
    ]


def said(text: str, **more: Any) -> Json:
    """A message as a desktop client posts it."""
    return {
        "user": ANN,
        "type": "message",
        "ts": TS,
        "client_msg_id": "5f2c9f0e-5b0e-4a5e-9d6c-0c8f3a1e7b11",
        "text": text,
        "team": TEAM,
        "blocks": rich({"type": "text", "text": text}),
        "channel": GENERAL,
        "event_ts": TS,
        "channel_type": "channel",
        **more,
    }


def mention(text: str = "charge 5", **more: Any) -> Json:
    shown = rich({"type": "user", "user_id": ME}, {"type": "text", "text": f" {text}"})
    return said(f"<@{ME}> {text}", blocks=shown, **more)


def without(event: Json, *names: str) -> Json:
    return {name: value for name, value in event.items() if name not in names}


def file(**more: Any) -> Json:
    return {
        "id": "F0REPORT",
        "created": 1_799_999_999,
        "timestamp": 1_799_999_999,
        "name": "report.csv",
        "title": "report.csv",
        "mimetype": "text/csv",
        "filetype": "csv",
        "pretty_type": "CSV",
        "user": ANN,
        "user_team": TEAM,
        "editable": True,
        "size": 1_204,
        "mode": "snippet",
        "is_external": False,
        "external_type": "",
        "is_public": False,
        "public_url_shared": False,
        "display_as_bot": False,
        "username": "",
        "url_private": "https://files.slack.com/files-pri/T0TEAM-F0REPORT/report.csv",
        "url_private_download": "https://files.slack.com/files-pri/T0TEAM-F0REPORT/download/report.csv",
        "permalink": "https://team.slack.com/files/U0ANN/F0REPORT/report.csv",
        "preview": "a,b\n1,2",
        "lines": 40,
        "lines_more": 35,
        "preview_is_truncated": True,
        "has_rich_preview": False,
        "file_access": "visible",
        **more,
    }


def about(subtype: str, **more: Any) -> Json:
    """An event about another message, hidden from the channel."""
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": GENERAL,
        "channel_type": "channel",
        "ts": "1800000009.000200",
        "event_ts": "1800000009.000200",
        **more,
    }


def place(kind: str, **more: Any) -> Json:
    return {"type": kind, "channel": GENERAL, "event_ts": "1800000010.000100", **more}


def events() -> dict[str, Json]:
    """By name; the events first that Slack sends most."""
    inner = without(mention(), "channel", "channel_type", "event_ts")
    ours = {
        "bot_id": BOT,
        "app_id": APP,
        "bot_profile": {"id": BOT, "app_id": APP, "user_id": ME, "name": "everthread"},
    }
    edited = {"user": ANN, "ts": "1800000009.000000"}
    unfurled = [{"from_url": "https://example.com/", "id": 1, "fallback": "Example", "title": "Example Domain"}]
    thread = {"thread_ts": ROOT, "parent_user_id": BOB}
    found = {
        "app_mention": without(mention(), "channel_type") | {"type": "app_mention"},
        "mention as message": mention(),
        "mention in a private channel": mention(channel=SECRET, channel_type="group"),
        "mention in a group DM": mention(channel=GROUP, channel_type="mpim"),
        "mention in a thread": mention(**thread),
        "direct message": said("hello there", channel=DM, channel_type="im"),
        "direct message to an agent": said(
            "hello again", channel=DM, channel_type="im", assistant_thread={"action_token": "1.2.abc"}
        ),
        "message among people": said("good morning"),
        "reply among people": said("me too", **thread),
        "reply shown in the channel": mention(subtype="thread_broadcast", root={"text": "root", "ts": ROOT}, **thread),
        "file": said("", subtype="file_share", files=[file()], upload=False, channel=DM, channel_type="im"),
        "file with a mention": mention("read it", subtype="file_share", files=[file()], display_as_bot=False),
        "message of a stranger": mention("hi", user=EVE, team=ELSEWHERE, user_team=ELSEWHERE, source_team=ELSEWHERE),
        "own message": said("working…", user=ME, **ours, **thread),
        "message of another bot": said("deployed", user="U0CI", bot_id="B0CI", app_id="A0CI"),
        "old bot message": without(said("deployed", subtype="bot_message", bot_id="B0CI", username="ci"), "user"),
        "me message": said("waves", subtype="me_message"),
        "system message": said("Your plan changed", user="USLACK", channel=DM, channel_type="im"),
        "join": said(f"<@{BOB}> has joined the channel", subtype="channel_join", user=BOB, inviter=ANN),
        "topic": said("set the topic", subtype="channel_topic", topic="on call"),
        "edit": about("message_changed", message=inner | {"edited": edited}, previous_message=inner),
        "unfurl": about("message_changed", message=inner | {"attachments": unfurled}, previous_message=inner),
        "tombstone": about(
            "message_changed",
            message={"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "ts": TS, "hidden": True}
            | {"text": "This message was deleted.", "thread_ts": TS, "reply_count": 1, "reply_users": [BOB]},
            previous_message=inner,
        ),
        "deletion": about("message_deleted", deleted_ts=TS, previous_message=inner),
        "old reply notice": about("message_replied", message=inner),
        "reaction_added": {
            "type": "reaction_added",
            "user": ANN,
            "reaction": "eyes",
            "item": {"type": "message", "channel": GENERAL, "ts": TS},
            "item_user": BOB,
            "event_ts": TS,
        },
        "app_home_opened": {"type": "app_home_opened", "user": ANN, "channel": DM, "tab": "messages", "event_ts": TS},
        "agent_session_stopped": {
            "type": "agent_session_stopped",
            "channel": GENERAL,
            "thread_ts": ROOT,
            "user": ANN,
            "streaming_message_ts": [TS],
            "event_ts": TS,
        },
        "channel_archive": place("channel_archive", user=ANN, is_moved=0),
        "group_archive": place("group_archive", user=ANN, is_moved=0),
        "channel_left": place("channel_left", actor_id=ANN),
        "channel_rename": {
            "type": "channel_rename",
            "channel": {"id": GENERAL, "name": "all", "name_normalized": "all", "created": 1_700_000_000},
            "event_ts": TS,
        },
        "member_joined_channel": place("member_joined_channel", user=ME, channel_type="C", team=TEAM, inviter=ANN),
        "tokens_revoked": {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [ME]}, "event_ts": TS},
        "app_uninstalled": {"type": "app_uninstalled", "event_ts": TS},
        "file_shared": {"type": "file_shared", "channel_id": GENERAL, "file_id": "F0REPORT", "user_id": ANN}
        | {"file": {"id": "F0REPORT"}, "event_ts": TS},
    }
    shared = {"message of a stranger": {"is_ext_shared_channel": True, "team_id": ELSEWHERE}}
    return {name: outer(event, **shared.get(name, {})) for name, event in found.items()} | {
        "app_rate_limited": {
            "token": "verification-token-of-old",
            "type": "app_rate_limited",
            "team_id": TEAM,
            "minute_rate_limited": 1_800_000_000,
            "api_app_id": APP,
        },
    }


SAID = {
    "app_mention": "charge 5",
    "mention as message": "charge 5",
    "mention in a private channel": "charge 5",
    "mention in a group DM": "charge 5",
    "mention in a thread": "charge 5",
    "direct message": "hello there",
    "direct message to an agent": "hello again",
    "reply shown in the channel": "charge 5",
    "file": "",
    "file with a mention": "read it",
}


def common(kind: str) -> Json:
    return {
        "type": kind,
        "user": {"id": ANN, "username": "ann", "name": "ann", "team_id": TEAM},
        "api_app_id": APP,
        "token": "verification-token-of-old",
        "team": {"id": TEAM, "domain": "team"},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def view(**more: Any) -> Json:
    label, element = {"type": "plain_text", "text": "Why?", "emoji": True}, {"type": "plain_text_input"}
    block = {"type": "input", "block_id": "asked", "label": label, "optional": False, "dispatch_action": False}
    return {
        "id": "V0VIEW",
        "team_id": TEAM,
        "type": "modal",
        "blocks": [block | {"element": element | {"action_id": "answer"}}],
        "private_metadata": "q1",
        "callback_id": "ask",
        "state": {"values": {"asked": {"answer": {"type": "plain_text_input", "value": "because"}}}},
        "hash": "1800000000.aBcDeF",
        "title": {"type": "plain_text", "text": "Tell me", "emoji": True},
        "clear_on_close": False,
        "notify_on_close": True,
        "close": None,
        "submit": {"type": "plain_text", "text": "Send", "emoji": True},
        "previous_view_id": None,
        "root_view_id": "V0VIEW",
        "app_id": APP,
        "external_id": "",
        "app_installed_team_id": TEAM,
        "bot_id": BOT,
        **more,
    }


def pressed(**more: Any) -> Json:
    text = {"type": "plain_text", "text": "Go", "emoji": True}
    return {"action_id": "go", "block_id": "Bq9", "text": text, "value": "1", "type": "button"} | {
        "action_ts": "1800000002.123456",
        **more,
    }


def interactions() -> dict[str, Json]:
    """Everything that comes in a form field called `payload`."""
    trigger = {"trigger_id": "1800000001.1799999999.0123456789abcdef"}
    answer = {"response_url": "https://hooks.slack.com/actions/T0TEAM/1/abc"}
    channel = {"channel": {"id": GENERAL, "name": "general"}}
    message = without(said("Which one?", user=ME, bot_id=BOT, app_id=APP, thread_ts=ROOT), "channel", "event_ts")
    container = {"type": "message", "message_ts": TS, "channel_id": GENERAL, "is_ephemeral": False, "thread_ts": ROOT}
    state: Json = {"state": {"values": {}}}
    chosen = {"text": {"type": "plain_text", "text": "One"}, "value": "1"}
    shown = {"container": container, **trigger, **channel, "message": message, **state, **answer}
    hidden = {"container": container | {"is_ephemeral": True}, **trigger, **channel, **state, **answer}
    in_view = {"container": {"type": "view", "view_id": "V0VIEW"}, **trigger, "view": view()}
    select = pressed(type="static_select", selected_option=chosen)
    ours = {"response_url": "http://127.0.0.1:9/answered"}
    target = f"{TEAM}/{GENERAL}/{ROOT}|r7|w0123456789abcdef"
    filled = {"state": {"values": {"w0123456789abcdef.0.pick": {"everthread_pick": {"selected_option": chosen}}}}}
    window = view(callback_id="everthread_answer", private_metadata=f"{target}|words|http://127.0.0.1:9/answered")
    return {
        "click": common("block_actions") | shown | {"actions": [pressed()]},
        "click on a whisper": common("block_actions") | hidden | {"actions": [pressed()]},
        "click in a modal": common("block_actions") | in_view | {"actions": [pressed()]},
        "choice": common("block_actions") | shown | {"actions": [without(select, "text", "value")]},
        "feedback": common("block_actions") | shown | {"actions": [pressed(type="feedback_buttons", value="good")]},
        "click on a card": common("block_actions")
        | shown
        | ours
        | {"actions": [pressed(action_id="everthread_choose.0", value=target)]},
        "form on a card": common("block_actions")
        | shown
        | ours
        | filled
        | {"actions": [pressed(action_id="everthread_send", value=target)]},
        "words for a card": common("block_actions")
        | shown
        | ours
        | {"actions": [pressed(action_id="everthread_words", value=target)]},
        "setting aside": common("block_actions")
        | hidden
        | ours
        | {"actions": [pressed(action_id="everthread_aside", value=f"{TEAM}/{GENERAL}/{ROOT}|r7|")]},
        "words from a window": common("view_submission") | {**trigger, "view": window, "response_urls": []},
        "submission": common("view_submission") | {**trigger, "view": view(), "response_urls": []},
        "closing": common("view_closed") | {"view": view(), "is_cleared": False},
        "global shortcut": common("shortcut") | {"action_ts": TS, "callback_id": "ask", **trigger},
        "message shortcut": common("message_action")
        | {"callback_id": "ask", "message_ts": TS, "message": message, "action_ts": TS, **channel, **trigger, **answer},
        "options": common("block_suggestion")
        | {"action_id": "who", "block_id": "Bq9", "value": "a", "container": container, **channel, "message": message},
    }


def commands() -> dict[str, Json]:
    """Slash commands: flat forms of strings."""
    command = {
        "token": "verification-token-of-old",
        "team_id": TEAM,
        "team_domain": "team",
        "channel_id": GENERAL,
        "channel_name": "general",
        "user_id": ANN,
        "user_name": "ann",
        "command": "/nobody",
        "text": "runs",
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": "https://hooks.slack.com/commands/T0TEAM/1/abc",
        "trigger_id": "1800000001.1799999999.0123456789abcdef",
    }
    return {
        "command": command,
        "command without text": command | {"text": ""},
        "command that says payload": command | {"text": 'show payload={"type":"block_actions"} & all'},
        "command in a DM": command | {"channel_id": DM, "channel_name": "directmessage"},
    }
