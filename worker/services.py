"""What a tenure works with: the store, the seams, the agent and the limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from store.ports import Clock, Ids, Model, Replies, Threads, Usage
from store.protocol import Store
from store.wait import ANYBODY, Answerers
from worker.agent import Agent
from worker.rules import Rules


@dataclass(frozen=True, slots=True)
class Limits:
    """Numbers a tenure obeys. Times in seconds, money in micro-dollars."""

    renewal: float = 4.0
    fruitless: int = 3
    daily_spend: int = 20_000_000
    model_attempts: int = 5
    slack_timeout: float = 8.0
    look_again: float = 30.0
    stop_grace: float = 2.0


def _anyone(_team: str, _user: str, _channel: str) -> bool:
    return True


def _free(_model: str, _usage: Usage) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a tenure needs; only the composition root knows which implementations these are.

    cost: micro-dollars of one call's usage. may_use: whether this person may still act here.
    rules: which tool calls run, and which people decide about. approvers: who says whether a cut-off call happened.
    """

    store: Store
    clock: Clock
    ids: Ids
    threads: Threads
    model: Model
    replies: Replies
    agent: Agent
    limits: Limits = field(default_factory=Limits)
    cost: Callable[[str, Usage], int] = _free
    may_use: Callable[[str, str, str], bool] = _anyone
    rules: Rules = field(default_factory=Rules)
    approvers: Answerers = ANYBODY
