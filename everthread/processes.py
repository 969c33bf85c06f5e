"""The three long-running processes. Each answers its exit code (`everthread.exits`)."""

from __future__ import annotations

import logging

from bot.identity import Identity
from bot.reachable import Reachable
from bot.request_url import LARGEST_BODY, PATH
from everthread.agent import agent_of
from everthread.compose import Composition, cannot_start, clock, threads
from everthread.settings import Settings
from everthread.web import Application
from store.ports import Event, ReplyError
from store.protocol import Store
from worker.process.signals import watch

LOOK_AGAIN = 60.0
"""Seconds after which a bot that found others on its app token looks again: a deploy is over by then."""

log = logging.getLogger(__name__)


def run_bot(settings: Settings) -> int:
    """Slack's side: takes what people say and click, over a socket or over HTTP, until it is asked to end."""
    parts = Composition(settings)
    parts.check_redis()
    me = parts.identity()
    store = parts.bot_store()
    stop = threads.event()
    watch(threads, stop.set)
    over = _over_a_socket if settings.slack_app_token is not None else _over_http
    return over(parts, me, store, stop)


def _over_a_socket(parts: Composition, me: Identity, store: Store, stop: Event) -> int:
    catch_up = parts.catch_up(me, store)
    sockets = parts.sockets(me, store, catch_up)
    web = None
    if parts.settings.port is not None:
        slack = lambda: "" if sockets.connected else "not connected to Slack"  # noqa: E731
        web = parts.web(parts.health(me, store, slack).routes)
        web.start(threads)
    try:
        sockets.start()
    except ReplyError as error:
        raise cannot_start(error) from error
    log.info("bot is connected team=%s", me.team)
    catch_up.start(lambda: sockets.greeted if sockets.connected else 0)
    if not stop.wait(LOOK_AGAIN):
        sockets.look_again()
        stop.wait()
    log.info("bot ends")
    catch_up.stop()
    sockets.stop()
    if web is not None:
        web.stop()
    return 0


def _over_http(parts: Composition, me: Identity, store: Store, stop: Event) -> int:
    catch_up = parts.catch_up(me, store)
    request_url = parts.request_url(me, store, catch_up)
    routes: dict[str, Application] = {
        **parts.health(me, store, Reachable(parts.slack, clock)).routes,
        PATH: request_url,
    }
    web = parts.web(routes, LARGEST_BODY)
    web.start(threads)
    log.info("bot listens for Slack team=%s port=%d path=%s", me.team, web.port, PATH)
    catch_up.start(lambda: 1)
    stop.wait()
    log.info("bot ends")
    catch_up.stop()
    web.stop()
    request_url.stop()
    return 0


def run_worker(settings: Settings) -> int:
    """The pool: worker processes, their sweep, and the supervisor that this process becomes."""
    parts = Composition(settings)
    parts.check_redis()
    me = parts.identity()
    agent_of(settings)  # a tool that cannot be loaded is said here, once
    from worker.model.claude import Claude  # here, so that workers are forked with it and nothing else pays for it

    Claude.prepare()
    return parts.pool(me).run()


def run_recovery(settings: Settings) -> int:
    """The sweep alone, in this process."""
    parts = Composition(settings)
    parts.check_redis()
    return parts.recovery().sweep_alone()
