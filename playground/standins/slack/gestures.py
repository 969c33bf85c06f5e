"""What people do with Slack's own controls: commands, shortcuts, modals, the home tab, the native Stop."""

from __future__ import annotations

from playground.standins.slack.acts import channel, hand, message, person
from playground.standins.slack.blocks import check_blocks
from playground.standins.slack.errors import ControlError, SlackError
from playground.standins.slack.events import payload, wanted
from playground.standins.slack.filled import filled, used
from playground.standins.slack.interactions import need_element
from playground.standins.slack.message import Json
from playground.standins.slack.outbox import Delivery
from playground.standins.slack.people import BOT_USER, Channel
from playground.standins.slack.response_url import show_ephemeral
from playground.standins.slack.standin import Standin
from playground.standins.slack.text import escape
from playground.standins.slack.views import View, check_view


async def slash(slack: Standin, user: str, where: str, command: str, text: str, thread: str | None) -> Json:
    """Type a command and wait for what the person then sees; in a thread Slack itself refuses it."""
    place = channel(slack, where)
    if thread is not None:
        said = f"{command} is not supported in threads. Sorry!"
        _slackbot(slack, place, user, said, thread)
        return {"delivered": False, "shown": said}
    body = slack.interactions.slash(hand(slack, user), command, text, place)
    delivery = slack.outbox.send("slash_commands", body, event="slash_command", command=command, channel=place.id)
    await delivery.over.wait()
    shown = _answered(slack, user, place, command, delivery)
    return {**delivery.dump(), "delivered": True, "shown": shown}


def _answered(slack: Standin, user: str, place: Channel, command: str, delivery: Delivery) -> str:
    if not delivery.acked:
        said = f"{command} failed with the error “operation_timeout”"
        _slackbot(slack, place, user, said, None)
        return said
    answer = delivery.answer or {}
    text, blocks = str(answer.get("text") or ""), answer.get("blocks") or []
    if not text and not blocks:
        return ""
    try:
        checked = check_blocks(blocks) if blocks else []
    except SlackError as error:
        slack.violate(f"the answer to {command} has {error.code}: {'; '.join(error.messages)}")
        checked = []
    if answer.get("response_type") == "in_channel":
        draft = {"text": escape(text), "blocks": tuple(checked)}
        slack.world.post(place, BOT_USER, draft, from_app=True)
    else:
        show_ephemeral(slack, place.id, person(slack, user).id, escape(text), checked, None)
    return text


def _slackbot(slack: Standin, place: Channel, user: str, text: str, thread: str | None) -> None:
    slack.journal.add("command.refused", user=user, channel=place.id, text=text)
    show_ephemeral(slack, place.id, person(slack, user).id, text, [], thread)


def shortcut(slack: Standin, user: str, callback_id: str, ts: str | None) -> Delivery:
    """Use a global shortcut, or a message's if `ts` is given."""
    by = hand(slack, user)
    if ts is None:
        body = slack.interactions.shortcut(by, callback_id)
    else:
        body = slack.interactions.message_action(by, callback_id, message(slack, ts))
    return slack.outbox.send("interactive", body, event=body["type"], callback_id=callback_id)


def press_in_view(slack: Standin, user: str, action_id: str, view_id: str | None, values: Json) -> Delivery:
    by, view = hand(slack, user), view_of(slack, user, view_id)
    blocks = view.now["blocks"]
    state = filled(blocks, values)
    element = used(need_element(f"view {view.id}", blocks, action_id), state)
    body = slack.interactions.click_in_view(by, view, element, state)
    return slack.outbox.send("interactive", body, event="block_actions", view=view.id, action_id=action_id)


async def submit_view(slack: Standin, user: str, values: Json, view_id: str | None) -> Json:
    """Submit a modal; what the app answers decides whether it closes, changes, or shows errors."""
    view = view_of(slack, user, view_id)
    delivery = send_view(slack, user, view, values)
    await delivery.over.wait()
    return respond(slack, user, view, delivery)


def send_view(slack: Standin, user: str, view: View, values: Json) -> Delivery:
    """A modal on its way to the app."""
    body = slack.interactions.submit(hand(slack, user), view, filled(view.now["blocks"], values))
    return slack.outbox.send("interactive", body, event="view_submission", view=view.id)


def respond(slack: Standin, user: str, view: View, delivery: Delivery) -> Json:
    """What becomes of a modal that was sent, once the app answered or had its time."""
    if not delivery.acked:
        return {**delivery.dump(), "outcome": "failed", "errors": {}}
    answer = delivery.answer or {}
    try:
        outcome = _respond(slack, user, view, answer)
    except SlackError as error:
        slack.violate(f"the answer to view_submission has {error.code}: {'; '.join(error.messages)}")
        outcome = "failed"
    return {**delivery.dump(), "outcome": outcome, "errors": answer.get("errors") or {}}


def _respond(slack: Standin, user: str, view: View, answer: Json) -> str:
    """`closed`, `cleared`, `updated`, `pushed`, `errors`."""
    views = slack.world.views
    match answer.get("response_action"):
        case None:
            slack.closed(view)
            return "closed"
        case "clear":
            slack.closed(view, whole_stack=True)
            return "cleared"
        case "update":
            views.change(view, check_view(answer.get("view"), "modal"))
            slack.viewed(view, "updated")
            return "updated"
        case "push":
            pushed = views.open(person(slack, user).id, check_view(answer.get("view"), "modal"), view)
            slack.viewed(pushed, "opened")
            return "pushed"
        case "errors":
            inputs = {b["block_id"] for b in view.now["blocks"] if b["type"] == "input"}
            if not isinstance(errors := answer.get("errors"), dict) or not set(errors) <= inputs:
                raise SlackError("invalid_arguments", f"errors must name input blocks of {sorted(inputs)}")
            return "errors"
        case other:
            raise SlackError("invalid_arguments", f"no response_action {other!r}")


def close_view(slack: Standin, user: str, view_id: str | None, *, clear: bool) -> Delivery | None:
    """Close a modal, or its whole stack; the app hears of it only if it asked to."""
    by, view = hand(slack, user), view_of(slack, user, view_id)
    slack.closed(view, whole_stack=clear)
    if not view.now.get("notify_on_close"):
        return None
    body = slack.interactions.close(by, view, is_cleared=clear)
    return slack.outbox.send("interactive", body, event="view_closed", view=view.id)


def open_home(slack: Standin, user: str, tab: str) -> Delivery | None:
    """Open the app's `home` or `messages` tab."""
    who = person(slack, user)
    if tab not in ("home", "messages"):
        raise ControlError(f"the app has the tabs home and messages, not {tab!r}")
    home = slack.world.views.home(who.id)
    view = {"view": home.shown()} if home is not None and tab == "home" else {}
    place, ts = channel(slack, who.id), slack.world.stamp()
    event = {"type": "app_home_opened", "user": who.id, "channel": place.id, "tab": tab, "event_ts": ts, **view}
    return tell(slack, event, place)


def stop_session(slack: Standin, user: str, where: str, thread: str) -> Delivery | None:
    """Press Slack's own Stop: its streams end at once, and the app is told, if it subscribed."""
    who, place = person(slack, user), channel(slack, where)
    session = slack.world.sessions.by_thread.get((place.id, thread))
    if session is None or session.status != "processing":
        raise ControlError(f"no session works in thread {thread} of {place.name}: Slack shows no Stop")
    if not wanted("agent_session_stopped", slack.settings):
        raise ControlError("the app does not subscribe to agent_session_stopped: Slack shows no Stop")
    stopped = []
    for found in slack.world.thread(place.id, thread):
        if found.stream is not None and found.stream.state == "streaming":
            found.stream.ended = "stopped_by_user"
            stopped.append(found.ts)
    ts = slack.world.stamp()
    session.stops.append({"user": who.id, "ts": ts})
    slack.journal.add("session.stopped", user=who.key, channel=place.id, thread_ts=thread)
    return tell(
        slack,
        {
            "type": "agent_session_stopped",
            "channel": place.id,
            "thread_ts": thread,
            "user": who.id,
            "streaming_message_ts": stopped,
            "event_ts": ts,
        },
        place,
    )


def tell(slack: Standin, event: Json, place: Channel) -> Delivery | None:
    """Deliver an event that is about no message; None where the app did not subscribe."""
    if not wanted(event["type"], slack.settings):
        return None
    outer = payload(slack.world, event, place)
    return slack.outbox.send("events_api", outer, event=event["type"], channel=place.id)


def view_of(slack: Standin, user: str, view_id: str | None) -> View:
    """The view that this person has open on top, or this one of theirs."""
    who = person(slack, user)
    view = slack.world.views.by_id.get(view_id) if view_id else slack.world.views.top(who.id)
    if view is None or not view.open or view.user != who.id:
        raise ControlError(f"{who.key} has no such view open")
    return view
