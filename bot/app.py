"""The Bolt app, put together from what it is given."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import App
from slack_sdk import WebClient

from bot.access import Access, AccessPolicy
from bot.admission import Admission
from bot.belonging import Belonging
from bot.groups import Groups
from bot.identity import Identity
from bot.listeners import register
from bot.listeners.run_buttons import RunButtons, Stopper
from bot.listeners.unmatched import Unmatched, acknowledge_unknown
from bot.people import People
from bot.request_url import name
from bot.whisper import Whispers
from store.errors import StoreUnavailableError
from store.ports import Clock, Ids, ReplyError
from store.protocol import Store

__all__ = ["App", "build", "tell_operator"]

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
) -> App:
    """An app that admits what is said to `me`, takes clicks, and acknowledges everything else.

    ring: wakes a worker for a thread, and never raises. Calls `auth.test` once; `BoltError` when Slack refuses
    the token.
    """
    app = App(name="everthread", client=client)
    whispers = Whispers(client)
    access = Access(policy, People(client, me, store.workspace), Groups(client, clock))
    admission = Admission(me=me, store=store, access=access, ring=ring, clock=clock, ids=ids)
    app.error(tell_operator)
    app.middleware(Belonging(me).check)
    app.middleware(acknowledge_unknown)
    app.middleware(admission.before_ack)
    register(
        app,
        RunButtons(me=me, store=store, access=access, whispers=whispers, ring=ring, stopper=stopper),
        Unmatched(me=me, workspace=store.workspace, whispers=whispers),
    )
    return app


def tell_operator(error: Exception, body: Mapping[str, Any]) -> None:
    """Logs why a payload failed; Bolt leaves it unacknowledged, so that Slack delivers an event again."""
    if isinstance(error, (StoreUnavailableError, ReplyError)):
        log.warning("a payload of Slack was left for later: %s: %s", name(body), error)
    else:
        log.error("a payload of Slack could not be handled: %s (%r)", name(body), error, exc_info=error)
