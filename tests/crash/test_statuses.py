"""A run only ever becomes what the table says may follow."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import fakeredis
import pytest

from playground.simulation.fleet import Member
from store.lifecycle import may_follow
from store.ports import ModelError
from store.redis.keyspace import thread_keys
from tests.crash.conftest import THREAD, Killer, World, calls, says
from tests.crash.moments import At, Both, Make, stop
from worker.services import Limits
from worker.tools.context import ToolContext
from worker.tools.tool import tool


@tool(replay="safe")
def act(context: ToolContext) -> str:
    """Act."""
    return "acted"


class Watch:
    """Notes the thread's status after each call that leaves a process."""

    def __init__(self, world: World) -> None:
        self._redis = fakeredis.FakeRedis(server=world.fleet.server, decode_responses=True)
        self.member: Member | None = None
        self.seen: list[str] = ["queued"]

    def __call__(self, call: str, side: str) -> None:
        (head,) = thread_keys(THREAD, "head")
        status = self._redis.hget(head, "status")
        if side == "after" and status and status != self.seen[-1]:
            self.seen.append(str(status))


def deploy(member: Member) -> None:
    member.drain.begin()


@pytest.mark.clause("RUN-10")
@pytest.mark.parametrize(
    ("what", "seen"),
    [
        ("nothing", "queued running completed"),
        ("a crash", "queued running completed"),
        ("a deploy", "queued running suspended running completed"),
        ("an outage", "queued running suspended running completed"),
        ("a stop", "queued running aborted"),
        ("a limit", "queued running failed"),
        ("a refusal", "queued running failed"),
        ("the spending stop", "queued running parked"),
    ],
)
def test_each_way_of_a_run_follows_the_table(world: Make, what: str, seen: str) -> None:
    answers: list[Any] = [calls(("act", {})), says("done")]
    more: dict[str, Any] = {"tools": [act]}
    match what:
        case "an outage":
            answers = [[ModelError("down", kind="network"), says("done")]]
            more |= {"limits": Limits(model_attempts=1, look_again=1)}
        case "a refusal":
            answers = [says("no", stop="refusal")]
        case "a limit":
            more |= {"max_turns": 1}
        case "the spending stop":
            more |= {"limits": Limits(daily_spend=1)}
    play = world(*answers, **more)
    events: dict[str, Any] = {
        "a crash": Killer("model", "before", nth=2),
        "a deploy": At("commit model.done", "after", deploy),
        "a stop": At("commit model.done", "after", lambda _member: stop(play)()),
    }
    watch = Watch(play)
    play.play("go", Both(watch, events[what]) if what in events else watch, *[watch] * 5)

    assert " ".join(watch.seen) == seen
    assert [(before, after) for before, after in pairwise(watch.seen) if not may_follow(before, after)] == []  # type: ignore[arg-type]
