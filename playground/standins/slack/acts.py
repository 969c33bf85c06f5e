"""What people do: say, edit, delete, click, react. They are refused in plain words, not in Slack's codes."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Literal

from playground.standins.slack.errors import ControlError
from playground.standins.slack.events import payload
from playground.standins.slack.files import file_json
from playground.standins.slack.filled import filled, used
from playground.standins.slack.interactions import Hand, find_element, need_element
from playground.standins.slack.message import Json, Message
from playground.standins.slack.outbox import Delivery
from playground.standins.slack.people import BOT_USER, Channel, Person
from playground.standins.slack.standin import Standin
from playground.standins.slack.text import rich_text, typed

_numbers = count(1)


def person(slack: Standin, name: str) -> Person:
    found = slack.world.person(name)
    if found is None or found.id == BOT_USER:
        there = ", ".join(p.key for p in slack.world.people.values() if p.id != BOT_USER)
        raise ControlError(f"nobody is called {name!r}; there are {there}")
    return found


def hand(slack: Standin, name: str) -> Hand:
    return Hand(slack.world, slack.settings, slack.url, person(slack, name))


def channel(slack: Standin, name: str) -> Channel:
    """By id or name; `dm:ann` or a person's name is their DM with the bot."""
    found = slack.world.channel(name.removeprefix("dm:"))
    if found is None:
        there = ", ".join(c.name for c in slack.world.channels.values())
        raise ControlError(f"no channel {name!r}; there are {there}")
    return found


def message(slack: Standin, ts: str, where: str | None = None) -> Message:
    """The standing message with this ts, in `where` or anywhere."""
    place = channel(slack, where).id if where else None
    for (channel_id, at), found in slack.world.messages.items():
        if at == ts and place in (None, channel_id) and not found.deleted:
            return found
    raise ControlError(f"no message {ts} stands{' in ' + where if where else ''}")


def say(
    slack: Standin,
    user: str,
    where: str,
    text: str,
    thread_ts: str | None = None,
    order: Literal["mention_first", "message_first"] | None = None,
    files: list[tuple[str, bytes]] | None = None,
    *,
    broadcast: bool = False,
) -> Message:
    """Post as a person; `order` of a mention's two events overrides the setting for this message.

    files: name and content of each. broadcast: a reply that is shown in the channel too.
    """
    who, place = person(slack, user), channel(slack, where)
    if who.id not in place.members:
        homes = ", ".join(c.name for c in slack.world.channels.values() if who.id in c.members)
        raise ControlError(f"{who.key} is not in {place.name}, but in {homes}")
    if place.archived:
        raise ControlError(f"{place.name} is archived")
    if thread_ts is not None and (place.id, thread_ts) not in slack.world.messages:
        raise ControlError(f"no message {thread_ts} in {place.name} to reply to")
    settings = slack.settings
    if order is not None:
        slack.settings = replace(settings, mention_order=order)
    try:
        stored = typed(text)
        shared = [slack.world.files.add(name, content, who.id) for name, content in files or ()]
        said = slack.world.post(
            place,
            who.id,
            {"text": stored, "blocks": (rich_text(stored),) if stored else ()},
            thread_ts=thread_ts,
            client_msg_id=f"00000000-0000-4000-8000-{next(_numbers):012d}",
            files=tuple(file_json(file, slack.url) for file in shared),
            subtype="file_share" if shared else ("thread_broadcast" if broadcast and thread_ts else None),
            broadcast=broadcast,
        )
        for file in shared:
            file.shares.setdefault(place.id, []).append(said.ts)
        return said
    finally:
        slack.settings = settings


def edit(slack: Standin, ts: str, text: str, where: str | None = None) -> Message:
    found = message(slack, ts, where)
    if found.from_app:
        raise ControlError(f"{ts} is the app's message; people edit their own")
    stored = typed(text)
    slack.world.edit(found, found.user, {"text": stored, "blocks": (rich_text(stored),)}, mark=True)
    return found


def delete(slack: Standin, ts: str, user: str | None = None, where: str | None = None) -> Message:
    found = message(slack, ts, where)
    slack.world.delete(found, person(slack, user).id if user else found.user)
    return found


def click(
    slack: Standin,
    user: str,
    action_id: str,
    ts: str,
    where: str | None = None,
    *,
    stale: bool = False,
    values: Json | None = None,
) -> Delivery:
    """Press a button, with these inputs filled in (`filled.py`).

    stale: one that an edit has since removed, as a slow client does.
    """
    who = person(slack, user)
    ephemeral = next((e for e in slack.world.ephemerals if e["ts"] == ts and e["user"] == who.id), None)
    if ephemeral is not None:
        return _click_ephemeral(slack, user, action_id, ephemeral, values or {})
    found = message(slack, ts, where)
    if who.id not in slack.world.channels[found.channel].members:
        raise ControlError(f"{who.key} does not see {ts}")
    element, blocks = find_element(found, action_id, stale=stale)
    allowed = element.pop("visible_to_user_ids", None)
    if allowed and who.id not in allowed:
        raise ControlError(f"{who.key} does not see {action_id!r}")
    state = filled(blocks, values or {})
    body = slack.interactions.click(hand(slack, user), found, used(element, state), state)
    return _clicked(slack, who, action_id, found.channel, ts, body)


def _click_ephemeral(slack: Standin, user: str, action_id: str, ephemeral: Json, values: Json) -> Delivery:
    ts, where = ephemeral["ts"], ephemeral["channel"]
    if ephemeral.get("deleted"):
        raise ControlError(f"what {user} saw at {ts} is gone")
    element = need_element(f"the whisper at {ts}", ephemeral["blocks"], action_id)
    state = filled(ephemeral["blocks"], values)
    body = slack.interactions.click_ephemeral(hand(slack, user), ephemeral, used(element, state), state)
    return _clicked(slack, person(slack, user), action_id, where, ts, body)


def _clicked(slack: Standin, who: Person, action_id: str, where: str, ts: str, body: Json) -> Delivery:
    slack.journal.add("button.clicked", user=who.key, action_id=action_id, ts=ts, channel=where)
    return slack.outbox.send(
        "interactive",
        body,
        event="block_actions",
        channel=where,
        ts=ts,
        action_id=action_id,
        response_url=body["response_url"],
    )


def redeliver(slack: Standin, ts: str, *, event: str | None, times: int, fresh: bool) -> list[Delivery]:
    """Deliver events of a message again: as retries of the same event_id, or `fresh` ones with new ids."""
    sent = [d for d in slack.outbox.deliveries if d.about.get("ts") == ts and d.kind == "events_api"]
    chosen = {d.event_id: d for d in sent if event in (None, d.about.get("event"))}
    if not chosen:
        raise ControlError(f"no event of {ts} was delivered")
    again = []
    for number in range(1, times + 1):
        for delivery in chosen.values():
            body = delivery.payload
            if fresh:
                place = slack.world.channels[body["event"]["channel"]]
                body = payload(slack.world, body["event"], place)
            again.append(slack.outbox.send("events_api", body, first_attempt=0 if fresh else number, **delivery.about))
    return again


def dump(slack: Standin) -> Json:
    """The whole state: channels → threads → messages with every version, and what else can be asked."""
    world = slack.world
    return {
        "url": slack.url,
        "bot_user": BOT_USER,
        "people": [
            {
                "key": p.key,
                "id": p.id,
                "name": p.real_name,
                "admin": p.is_admin,
                "guest": p.is_guest,
                "team": p.team,
            }
            for p in world.people.values()
        ],
        "channels": [_channel_dump(slack, c) for c in world.channels.values()],
        "ephemerals": world.ephemerals,
        "views": [view.dump() for view in world.views.by_id.values()],
        "sessions": [session.dump() for session in world.sessions.by_thread.values()],
        "prompts": world.sessions.prompts,
        "files": [file_json(file, slack.url) | {"shares": file.shares} for file in world.files.by_id.values()],
        "sockets": [socket.dump() for socket in slack.sockets.open],
        "deliveries": [delivery.dump() for delivery in slack.outbox.deliveries],
        "faults": [fault.dump() for fault in slack.faults.faults],
        "holds": [hold.dump() for hold in slack.faults.holds.values()],
        "violations": slack.violations,
        "token_revoked": slack.token_revoked,
        "calls": len(slack.calls.log),
        "last_event": slack.journal.last,
    }


def _channel_dump(slack: Standin, place: Channel) -> Json:
    world = slack.world
    roots: dict[str, list[Message]] = {}
    for found in sorted((m for m in world.messages.values() if m.channel == place.id), key=lambda m: m.ts):
        roots.setdefault(found.thread_ts or found.ts, []).append(found)
    threads = []
    for root, messages in roots.items():
        status = world.statuses.get((place.id, root))
        threads.append(
            {
                "ts": root,
                "messages": [m.dump() for m in messages],
                "status": world.status_now(status, slack.settings.status_life) if status else "",
                "statuses": status.values if status else [],
            }
        )
    return {
        "id": place.id,
        "name": place.name,
        "kind": place.kind,
        "archived": place.archived,
        "members": place.members,
        "bot_is_member": world.bot_sees(place),
        "threads": threads,
    }
