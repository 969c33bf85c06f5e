"""The Bolt app, put together from what it is given."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from slack_bolt import App
from slack_sdk import WebClient

from bot.access import Access, AccessPolicy
from bot.admins import Admins
from bot.admission import Admission
from bot.aftermath import Courtesies
from bot.belonging import Belonging
from bot.dispatch import dispatch, is_done
from bot.entitled import Entitled
from bot.features import Features
from bot.groups import Groups
from bot.identity import Identity
from bot.listeners import register
from bot.listeners.agent_session import AgentSession
from bot.listeners.answers import Answers
from bot.listeners.aside import Aside
from bot.listeners.command import Command
from bot.listeners.deciding import Deciding
from bot.listeners.home import HomeTab
from bot.listeners.run_buttons import RunButtons, Stopper
from bot.listeners.settings import SettingsWindow
from bot.listeners.shortcuts import Shortcuts
from bot.listeners.unmatched import Unmatched, acknowledge_unknown
from bot.listeners.windows import Windows
from bot.listening import Listening
from bot.operators import Operators, Rights
from bot.people import People
from bot.places import Places
from bot.redraw import Redraws
from bot.shape import name
from bot.steering import STOP_WORDS, Steering
from bot.whisper import Whispers
from store.errors import StoreUnavailableError
from store.ports import Clock, Ids, ReplyError
from store.protocol import Store

__all__ = ["App", "build", "deliver", "tell_operator"]

log = logging.getLogger(__name__)


def build(
    client: WebClient,
    *,
    me: Identity,
    store: Store,
    ring: Callable[[str], None],
    clock: Clock,
    ids: Ids,
    policy: AccessPolicy,
    stopper: Stopper = "anyone",
    stop_words: Collection[str] = STOP_WORDS,
    listening: Listening | None = None,
    missed: Callable[[], None] = lambda: None,
    operators: Operators | None = None,
    redraws: Redraws | None = None,
) -> App:
    """An app that admits what is said to `me`, takes clicks, and acknowledges everything else.

    ring: wakes a worker for a thread, and never raises. missed: called where something could not be taken because of
    the store or Slack. operators: without them there is no command, no shortcut and no home tab. redraws: in place of
    those over the network. Calls `auth.test` once; `BoltError` when Slack refuses the token.
    """
    with _no_environment():
        app = App(name="everthread", client=client)
    whispers = Whispers(client)
    groups = Groups(client, clock)
    access = Access(policy, People(client, me, store.workspace), groups)
    entitled, redraws = Entitled(groups), redraws or Redraws()
    listening = listening or Listening()
    steering = Steering(store=store, entitled=entitled, clock=clock, stopper=stopper, stop_words=stop_words)
    admission = Admission(
        me=me, store=store, access=access, ring=ring, clock=clock, ids=ids, listening=listening, steering=steering
    )
    session = AgentSession(
        me=me,
        store=store,
        access=access,
        whispers=whispers,
        features=Features(client),
        ring=ring,
        stopper=stopper,
    )
    courtesies = Courtesies(client, me, store, whispers)

    def failed(error: Exception, body: Mapping[str, Any]) -> None:
        if isinstance(error, (StoreUnavailableError, ReplyError)):
            missed()
        tell_operator(error, body)

    app.error(failed)
    app.middleware(Belonging(me).check)
    app.middleware(acknowledge_unknown)
    app.middleware(admission.before_ack)
    app.middleware(session.before_ack)
    if operators is not None:
        desk = operators.desk
        rights = Rights(desk, access, Admins(client, me, clock, operators.admins))
        settings = SettingsWindow(desk=desk, rights=rights, whispers=whispers)
        settings.register(app)
        Command(me=me, desk=desk, rights=rights, settings=settings).register(app)
        Shortcuts(me=me, desk=desk, rights=rights, whispers=whispers, stopper=stopper).register(app)
        home = HomeTab(client, me=me, operators=operators, rights=rights, groups=groups, places=Places(client, clock))
        home.register(app)
    deciding = Deciding(me=me, store=store, access=access, entitled=entitled)
    answers = Answers(me=me, deciding=deciding, whispers=whispers, redraws=redraws, ring=ring, clock=clock)
    register(
        app,
        session,
        RunButtons(
            me=me, store=store, access=access, whispers=whispers, courtesies=courtesies, ring=ring, stopper=stopper
        ),
        answers,
        Windows(me=me, deciding=deciding, whispers=whispers, answers=answers, clock=clock),
        Aside(me=me, store=store, access=access, whispers=whispers, redraws=redraws, ring=ring, clock=clock),
        Unmatched(me=me, courtesies=courtesies, whispers=whispers),
    )
    return app


@contextmanager
def _no_environment() -> Iterator[None]:
    """Bolt reads variables of its own choice: of some it warns, and with SLACK_CLIENT_ID it refuses our token."""
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("SLACK_")}
    try:
        yield
    finally:
        os.environ.update(hidden)


def deliver(app: App, body: Mapping[str, Any]) -> bool:
    """Hand a payload to the app's listeners as if Slack had sent it; whether that need not be done again."""
    return is_done(dispatch(app, body))


def tell_operator(error: Exception, body: Mapping[str, Any]) -> None:
    """Logs why a payload failed; Bolt leaves it unacknowledged, so that Slack delivers an event again."""
    if isinstance(error, (StoreUnavailableError, ReplyError)):
        log.warning("a payload of Slack was left for later: %s: %s", name(body), error)
    else:
        log.error("a payload of Slack could not be handled: %s (%r)", name(body), error, exc_info=error)
