"""views.*: modals, opened by a trigger that lives for seconds, and the home tab."""

from __future__ import annotations

from playground.standins.slack.errors import SlackError
from playground.standins.slack.interactions import Trigger
from playground.standins.slack.message import Json
from playground.standins.slack.people import BOT_USER
from playground.standins.slack.standin import Standin
from playground.standins.slack.views import View, check_view
from playground.standins.slack.web_api.args import Args


def open_view(slack: Standin, args: Args) -> Json:
    trigger = _trigger(slack, args)
    given = _view(args, "modal")
    view = slack.world.views.open(trigger.user, given)
    trigger.used = True
    return _answer(slack, view, "opened")


def push(slack: Standin, args: Args) -> Json:
    """Only from an interaction within a modal, and three deep at most."""
    trigger = _trigger(slack, args)
    above = slack.world.views.by_id.get(trigger.view)
    if above is None or not above.open:
        raise SlackError("view_not_found")
    view = slack.world.views.open(trigger.user, _view(args, "modal"), above)
    trigger.used = True
    return _answer(slack, view, "opened")


def update(slack: Standin, args: Args) -> Json:
    view = slack.world.views.find(args.text("view_id"), args.text("external_id"))
    slack.world.views.change(view, _view(args, view.now["type"]), args.text("hash"))
    return _answer(slack, view, "updated")


def publish(slack: Standin, args: Args) -> Json:
    user = args.need("user_id")
    if user not in slack.world.people or user == BOT_USER:
        raise SlackError("user_not_found")
    view = slack.world.views.publish(user, _view(args, "home"), args.text("hash"))
    return _answer(slack, view, "published")


def _trigger(slack: Standin, args: Args) -> Trigger:
    trigger = slack.interactions.triggers.get(args.need("trigger_id"))
    if trigger is None:
        raise SlackError("invalid_trigger_id")
    if refusal := trigger.refusal():
        raise SlackError(refusal)
    return trigger


def _view(args: Args, *kinds: str) -> Json:
    return check_view(args.json("view", "invalid_arguments"), *kinds)


def _answer(slack: Standin, view: View, how: str) -> Json:
    slack.viewed(view, how)
    return {"view": view.shown()}
