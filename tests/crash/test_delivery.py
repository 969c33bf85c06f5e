"""A run's last words reach Slack whole, whatever their length, whoever dies, and whatever Slack refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from playground.simulation.doubles import Posted
from store.ports import Part, ReplyError
from store.redis.workspace import RATES
from tests.crash.conftest import Killer, World, calls, says
from tests.crash.moments import At, raising
from tests.crash.test_outages import Always

Make = Callable[..., World]

THREE = "\n\n".join(f"Paragraph {n}. " + "word " * 40 + "end." for n in range(130))
LONG = "line of text\n" * 4_000
REFUSED = ReplyError("invalid_blocks", kind="payload", code="invalid_blocks")
PARTS: tuple[Part, ...] = ("reply", "reply.2", "reply.3", "file", "done", "told")


def standing(world: World, *parts: Part) -> dict[Part, list[Posted]]:
    run = world.log[0].run
    return {part: found for part in parts or PARTS if (found := world.fleet.slack.standing(run, part))}


def delivered(world: World) -> tuple[str, str]:
    [record] = [record for record in world.log if record.kind == "delivered"]
    return record.body["how"], record.body["why"]


def shown_once(world: World, *parts: Part) -> None:
    """Each of these parts stands once and no other does, in the order in which it is read."""
    found = standing(world)
    assert {part: len(posts) for part, posts in found.items() if part != "done"} == dict.fromkeys(parts, 1)
    stamps = [found[part][0].ts for part in parts]
    assert stamps == sorted(stamps)


@pytest.mark.clause("REPLY-4")
def test_a_long_text_goes_on_in_numbered_posts_and_a_very_long_one_in_a_file(world: Make) -> None:
    three = world(says(THREE))
    three.play("go")
    shown_once(three, "reply", "reply.2", "reply.3")

    long = world(says(LONG))
    long.play("go")
    shown_once(long, "reply", "file")
    assert list(long.fleet.slack.uploads.values()) == [LONG]
    assert delivered(three) == delivered(long) == ("delivered", "")


THREE_GATES = [
    ("edit reply", "after"),
    ("commit #reply.2.pending", "before"),
    ("commit #reply.2.pending", "after"),
    ("post reply.2", "before"),
    ("post reply.2", "after"),
    ("commit #reply.2.done", "before"),
    ("commit #reply.2.done", "after"),
    ("commit #reply.3.pending", "after"),
    ("post reply.3", "before"),
    ("post reply.3", "after"),
    ("commit #reply.3.done", "before"),
    ("commit #delivered.done", "before"),
    ("commit #delivered.done", "after"),
]


@pytest.mark.clause("REPLY-4", "REPLY-5", "RUN-1")
@pytest.mark.parametrize(("call", "side"), THREE_GATES)
def test_killed_at_any_gate_each_part_stands_once_and_in_order(world: Make, call: str, side: str) -> None:
    seen = world(says(THREE))
    killer = Killer(call, side)
    outcome = seen.play("go", killer)

    assert killer.hit
    shown_once(seen, "reply", "reply.2", "reply.3")
    assert not [post for post in seen.fleet.slack.posts if post.deleted]
    assert outcome["text"] == THREE
    assert len(seen.fleet.model.asked) == 1
    assert delivered(seen) == ("delivered", "")


@pytest.mark.clause("REPLY-4", "REPLY-5")
@pytest.mark.parametrize(
    ("call", "side", "uploads"),
    [
        ("upload", "before", 1),
        ("upload", "after", 2),
        ("commit #file.pending", "before", 2),
        ("commit #file.pending", "after", 1),
        ("post file", "before", 1),
        ("post file", "after", 1),
        ("commit #file.done", "before", 1),
        ("commit #file.done", "after", 1),
    ],
)
def test_killed_at_any_gate_the_file_is_shown_once(world: Make, call: str, side: str, uploads: int) -> None:
    """Only an upload that nobody saw yet is made again."""
    seen = world(says(LONG))
    killer = Killer(call, side)
    seen.play("go", killer)

    assert killer.hit
    shown_once(seen, "reply", "file")
    assert not [post for post in seen.fleet.slack.posts if post.deleted]
    assert len(seen.fleet.slack.uploads) == uploads
    [post] = standing(seen, "file")["file"]
    assert seen.fleet.slack.uploads[post.views[-1].file] == LONG
    assert delivered(seen) == ("delivered", "")


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize("part", ["reply.2", "file"])
def test_a_part_whose_answer_was_lost_is_found_and_not_posted_again(world: Make, part: str) -> None:
    seen = world(says(LONG if part == "file" else THREE))
    seen.play("go", At(f"post {part}", "after", raising(ReplyError("no answer", kind="lost"))))  # type: ignore[arg-type]

    shown_once(seen, *(("reply", "file") if part == "file" else ("reply", "reply.2", "reply.3")))


@pytest.mark.clause("REPLY-4")
def test_an_uploaded_file_that_is_gone_is_uploaded_again(world: Make) -> None:
    seen = world(says(LONG))
    gone = ReplyError("file_not_found", kind="gone", code="file_not_found")
    seen.play("go", Killer("post file", "before"), At("post file", "before", raising(gone)))  # type: ignore[arg-type]

    shown_once(seen, "reply", "file")
    assert standing(seen, "file")["file"][0].views[-1].file == "F2"


@pytest.mark.clause("REPLY-4")
def test_where_posts_come_too_fast_they_wait_under_the_same_lease(world: Make) -> None:
    seen = world(says(THREE))
    busy = ReplyError("ratelimited", kind="busy", retry_after=1.0)
    seen.play("go", At("post reply.2", "before", raising(busy)))  # type: ignore[arg-type]

    shown_once(seen, "reply", "reply.2", "reply.3")
    assert seen.tenures == 1
    assert len(standing(seen, "reply.2")["reply.2"][0].views) == 1


class Refusing:
    """Refuses for good what shows an outcome in one of these forms."""

    def __init__(self, world: World, forms: tuple[str, ...]) -> None:
        self.refused: list[str] = []
        edit = type(world.fleet.slack.seat(world.fleet.host.process)("", "")).edit

        def refuse(reply: Any, ts: str, view: Any, timeout: float, part: Part = "reply") -> None:
            if view.status != "running" and view.form in forms:
                self.refused.append(view.form)
                raise REFUSED
            edit(reply, ts, view, timeout, part)

        self.refuse = refuse


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize(
    ("forms", "form", "behind"),
    [
        (("whole",), "shrunk", ["file"]),
        (("whole", "shrunk"), "plain", ["file"]),
        (("whole", "shrunk", "plain"), "file", ["file"]),
        (("whole", "shrunk", "plain", "file"), "notice", []),
    ],
)
def test_a_permanent_refusal_never_leaves_a_spinner(
    world: Make, monkeypatch: pytest.MonkeyPatch, forms: tuple[str, ...], form: str, behind: list[Part]
) -> None:
    seen = world(says(LONG))
    refusing = Refusing(seen, forms)
    monkeypatch.setattr("playground.simulation.doubles.SeatedReply.edit", refusing.refuse)
    outcome = seen.play("go")

    assert refusing.refused == list(forms)
    shown_once(seen, "reply", *behind)
    last = standing(seen, "reply")["reply"][0].views[-1]
    assert (last.status, last.form) == ("completed", form)
    assert delivered(seen) == ("degraded", "invalid_blocks")
    assert outcome["text"] == LONG


@pytest.mark.clause("REPLY-5")
def test_with_every_form_refused_the_asker_is_told_alone(world: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = world(says("done"))
    refusing = Refusing(seen, ("whole", "shrunk", "plain", "file", "notice"))
    monkeypatch.setattr("playground.simulation.doubles.SeatedReply.edit", refusing.refuse)
    seen.play("go")

    assert delivered(seen) == ("undeliverable", "invalid_blocks")
    assert [post.views[-1].text for post in standing(seen, "told")["told"]] == ["done"]


@pytest.mark.clause("REPLY-4")
def test_a_later_part_that_is_refused_takes_the_text_into_a_file_and_leaves_no_half(world: Make) -> None:
    seen = world(says(THREE))
    seen.play("go", Always("post reply.3", REFUSED, lambda: True))  # type: ignore[arg-type]

    shown_once(seen, "reply", "file")
    assert standing(seen, "reply")["reply"][0].views[-1].form == "shrunk"
    assert delivered(seen)[0] == "degraded"


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize("call", ["upload", "post file"])
def test_where_no_file_may_be_had_the_reply_says_how_much_is_missing(world: Make, call: str) -> None:
    seen = world(says(LONG))
    seen.play("go", Always(call, ReplyError("missing_scope", kind="payload", code="missing_scope"), lambda: True))  # type: ignore[arg-type]

    shown_once(seen, "reply")
    last = standing(seen, "reply")["reply"][0].views[-1]
    assert (last.form, last.fileless) == ("whole", True)
    assert delivered(seen)[0] == "degraded"


CLOSED = ReplyError("is_archived", kind="closed", code="is_archived")


@pytest.mark.clause("REPLY-5")
@pytest.mark.parametrize(("call", "side"), [("", ""), ("post told", "before"), ("post told", "after")])
def test_where_the_place_is_closed_the_outcome_stays_and_the_asker_is_told_once(
    world: Make, call: str, side: str
) -> None:
    seen = world(says("done"))
    closed = Always("reply", CLOSED, lambda: True)

    class Both(Killer):
        def __call__(self, what: str, when: str) -> None:
            if what.startswith(("post", "edit")):
                closed(what, when)
            super().__call__(what, when)

    gates = [Both(call, side), Both("nothing", "")]
    outcome = seen.play("go", *gates)

    assert gates[0].hit == bool(call)
    assert (outcome["status"], outcome["text"]) == ("completed", "done")
    assert delivered(seen) == ("undeliverable", "is_archived")
    [told] = standing(seen)["told"]
    assert told.views[-1].text == "done"
    assert len(seen.fleet.model.asked) == 1


@pytest.mark.clause("REPLY-5")
def test_an_asker_who_cannot_be_told_holds_nothing_up(world: Make) -> None:
    seen = world(says("done"))

    class Closed(Killer):
        def __call__(self, what: str, when: str) -> None:
            if when == "before" and what.startswith(("post", "edit")):
                raise CLOSED

    seen.play("go", Closed("", ""))

    assert standing(seen) == {}
    assert delivered(seen) == ("undeliverable", "is_archived")


@pytest.mark.clause("REPLY-5")
def test_final_texts_are_owed_until_they_are_there_and_the_run_is_not_run_again(world: Make) -> None:
    """A 200 `ratelimited`, then a 429 for 30 s, then the worker dies."""
    effects: list[str] = []
    seen = world(calls(("act", {})), says("done"), tools=[_acting(effects)])

    class Spoiled(Killer):
        def __call__(self, what: str, when: str) -> None:
            if what == "edit reply" and when == "before" and seen.log[-1].kind in ("settled", "reply"):
                raise ReplyError("ratelimited", kind="busy", retry_after=30.0 if self.nth == 1 else None)
            super().__call__(what, when)

    gates = [Spoiled("nothing", "", nth=2), Spoiled("nothing", ""), Killer("edit reply", "before")]
    outcome = seen.play("go", *gates)

    assert gates[2].hit
    assert outcome["text"] == "done"
    assert (len(effects), len(seen.fleet.model.asked)) == (1, 2)
    shown_once(seen, "reply")
    assert delivered(seen) == ("delivered", "")


@pytest.mark.clause("REPLY-5")
def test_final_texts_count_in_the_workspaces_budget_and_wait_for_it(world: Make) -> None:
    seen = world(says("done"))

    def spend(_member: Any) -> None:
        for n in range(RATES["edit"].most):
            seen.fleet.host.store.workspace.take_turn("T1", "edit", f"o{n}", urgent=True)

    began = seen.fleet.baton.time
    seen.play("go", At("commit #settled.done", "after", spend))  # type: ignore[arg-type]

    assert seen.fleet.baton.time - began >= 55
    assert delivered(seen) == ("delivered", "")


def _acting(effects: list[str]) -> Any:
    from worker.tools.tool import tool

    @tool(replay="unsafe")
    def act(context: Any) -> str:
        """Act."""
        effects.append(context.key)
        return "acted"

    return act
