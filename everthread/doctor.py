"""`everthread doctor`: what a deployment stands on, one plain line each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal

import httpx2

from bot.failure import slack_call
from everthread.compose import Composition, cannot_start
from everthread.exits import EVICTING_REDIS, NO_REDIS, NO_SERVICE, SETTINGS, TOKEN, CannotStart
from everthread.settings import Settings, unknown
from store.errors import EverthreadError
from store.ports import ReplyError
from store.redis.check import check
from store.redis.connection import address

CLAUDE = "https://api.anthropic.com"
API_VERSION = "2026-10-21"
"""The version anthropic 2.x sends."""

Finding = tuple[Literal["ok", "warning", "fault"], str, int]
"""How bad, the line, and the exit code that a start would have."""


def findings(settings: Settings) -> Iterator[Finding]:
    """Everything that can be looked at without changing anything; ends within half a minute."""
    for line in unknown(os.environ):
        yield "warning", line, 0
    parts = Composition(settings)
    yield from _redis(parts)
    yield from _slack(parts)
    yield _app_token(parts)
    yield _claude(parts)


def _redis(parts: Composition) -> Iterator[Finding]:
    verdicts = check(parts.redis_url, verify=parts.settings.verify_tls)
    for verdict in verdicts:
        if verdict.fatal:
            yield "fault", verdict.line, NO_REDIS if verdict.kind == "unreachable" else EVICTING_REDIS
        else:
            yield "warning", verdict.line, 0
    if any(verdict.fatal for verdict in verdicts):
        return
    yield "ok", f"Redis at {address(parts.redis_url)} answers and never evicts", 0
    yield "ok", f"{parts.workers()} workers fit into its connections", 0


def _slack(parts: Composition) -> Iterator[Finding]:
    try:
        me = parts.identity()
        yield "ok", f"Slack takes the bot token: {me.user} in workspace {me.team}", 0
        seen = parts.bot_store().inventory.last_worker(me.team)
        if seen is None:
            yield "warning", "no worker was ever seen in this workspace: start one with `everthread worker`", 0
        else:
            yield "ok", f"a worker was seen {seen:.0f} s ago", 0
    except CannotStart as no:
        yield "fault", str(no), no.code
    except EverthreadError as error:
        yield "fault", str(error), NO_REDIS


def _app_token(parts: Composition) -> Finding:
    """Whether a socket could be opened; none is."""
    token = parts.settings.slack_app_token
    try:
        with slack_call("asking for a socket (apps.connections.open)"):
            parts.slack.apps_connections_open(app_token=token.get_secret_value() if token else "")
    except ReplyError as error:
        no = cannot_start(error)
        return "fault", str(no), no.code
    return "ok", "Slack takes the app token", 0


def _claude(parts: Composition) -> Finding:
    """Whether the key and the model are taken, by counting the tokens of a word, which costs nothing."""
    settings = parts.settings
    key = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else ""
    where = (settings.anthropic_base_url or CLAUDE).rstrip("/")
    try:
        answer = httpx2.post(
            f"{where}/v1/messages/count_tokens",
            headers={"authorization": f"Bearer {key}", "anthropic-version": API_VERSION},
            json={"model": settings.model, "messages": [{"role": "user", "content": "hello"}]},
            timeout=10.0,
        )
    except httpx2.HTTPError as error:
        return "fault", f"Claude at {where} cannot be reached: {error}", NO_SERVICE
    match answer.status_code:
        case 200:
            return "ok", f"Claude takes the key and knows {settings.model}", 0
        case 401 | 403:
            return "fault", "Claude refuses ANTHROPIC_API_KEY: make a new one in the Claude Console", TOKEN
        case 404:
            return "fault", f"Claude knows no model {settings.model}: see EVERTHREAD_MODEL", SETTINGS
        case code:
            return "warning", f"Claude answers HTTP {code} just now", 0
