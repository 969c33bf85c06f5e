"""The three long-running processes. Each answers its exit code (`everthread.exits`)."""

from __future__ import annotations

import logging

from everthread.agent import agent_of
from everthread.compose import Composition, cannot_start, clock, threads
from everthread.health import HealthServer, worker_seen
from everthread.settings import Settings
from store.ports import ReplyError
from worker.model.claude import Claude
from worker.process.signals import watch

log = logging.getLogger(__name__)


def run_bot(settings: Settings) -> int:
    """Slack's side: takes what people say and click, until it is asked to end."""
    parts = Composition(settings)
    parts.check_redis()
    me = parts.identity()
    store = parts.bot_store()
    sockets = parts.sockets(me, store)
    stop = threads.event()
    watch(threads, stop.set)
    health = None
    if settings.port is not None:
        checks = {
            "slack": lambda: "" if sockets.connected else "not connected to Slack",
            "workers": worker_seen(store.inventory, me.team, clock),
        }
        health = HealthServer(settings.bind, settings.port, checks)
        health.start(threads)
    try:
        sockets.start()
    except ReplyError as error:
        raise cannot_start(error) from error
    log.info("bot is connected team=%s", me.team)
    stop.wait()
    log.info("bot ends")
    sockets.stop()
    if health is not None:
        health.stop()
    return 0


def run_worker(settings: Settings) -> int:
    """The pool: worker processes, their sweep, and the supervisor that this process becomes."""
    parts = Composition(settings)
    parts.check_redis()
    me = parts.identity()
    agent_of(settings)  # a tool that cannot be loaded is said here, once
    Claude.prepare()
    return parts.pool(me).run()


def run_recovery(settings: Settings) -> int:
    """The sweep alone, in this process."""
    parts = Composition(settings)
    parts.check_redis()
    return parts.recovery().sweep_alone()
