"""A run's posts: one reply, one word at the end, whatever happens to them."""

from __future__ import annotations

import pytest

from playground.simulation.fleet import Member
from store.ports import ReplyError
from tests.crash.conftest import Killer, calls, says
from tests.crash.moments import At, Make, replies
from worker.tools.builtin import builtin_tools
from worker.tools.context import ToolContext
from worker.tools.tool import tool


@pytest.mark.clause("REPLY-1")
@pytest.mark.parametrize(("takes", "posts"), [(5, 0), (70, 1)])
def test_a_run_of_over_a_minute_ends_with_a_post_that_notifies(world: Make, takes: float, posts: int) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = takes

    seen.play("go")

    assert len(replies(seen, "done")) == posts
    assert len(replies(seen)) == 1
    assert len(replies(seen)[0].views) > 1


@pytest.mark.clause("REPLY-1")
def test_the_post_at_the_end_is_adopted_like_the_reply(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 70

    seen.play("go", Killer("post", "after", nth=2))

    assert len(replies(seen, "done")) == 1


@pytest.mark.clause("REPLY-2")
def test_a_reply_that_a_person_deleted_is_posted_once_more(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 10

    def remove(_member: Member) -> None:
        raise ReplyError("message_not_found", kind="gone")

    seen.play("go", At("edit", "before", remove))

    assert [post.views[-1].text for post in replies(seen)][-1] == "done"
    assert len(replies(seen)) == 2


@pytest.mark.clause("REPLY-6")
def test_signs_of_life_follow_the_first_post_are_renewed_and_end_with_the_run(world: Make) -> None:
    seen = world(says("done"))
    seen.fleet.model.takes = 200
    seen.play("go")

    signs = [(sign, view.status) for _, sign, view in seen.fleet.slack.signs]
    lines = [status for sign, status in signs if sign == "line"]
    assert signs[:2] == [("line", "running"), ("session", "running")]
    assert lines.count("running") >= 3, "Slack drops a status after two minutes"
    assert signs[-2:] == [("line", "completed"), ("session", "completed")]


@pytest.mark.clause("REPLY-6")
def test_the_status_line_catches_up_although_nothing_changes_any_more(world: Make) -> None:
    @tool(replay="safe")
    def measure(context: ToolContext) -> str:
        """Measure."""
        seen.fleet.baton.wait_until(lambda: False, 8.0)
        return "42 m"

    seen = world(calls(("measure", {})), says("done"), tools=[measure])
    seen.play("go")

    lines = [view for _, sign, view in seen.fleet.slack.signs if sign == "line" and view.status == "running"]
    assert lines[0].doing != "running measure"
    assert next(view.elapsed for view in lines if view.doing == "running measure") < 5.0


@pytest.mark.clause("REPLY-6")
@pytest.mark.parametrize("call", ["sign line", "sign session"])
def test_a_sign_that_fails_troubles_nobody(world: Make, call: str) -> None:
    seen = world(says("done"))

    def refuse(what: str, side: str) -> None:
        if what == call and side == "before":
            raise ReplyError("internal_error", kind="busy", code="internal_error")

    assert seen.play("go", refuse)["text"] == "done"  # type: ignore[arg-type]
    assert seen.tenures == 1


@pytest.mark.clause("REPLY-1")
@pytest.mark.parametrize(("takes", "first"), [(0.0, "reply"), (2.0, "reply"), (60.0, "ask")])
def test_what_is_asked_stands_below_the_reply_unless_slack_takes_too_long(
    world: Make, takes: float, first: str
) -> None:
    question = {"title": "it", "questions": [{"question": "Which?", "choices": [{"label": "a"}, {"label": "b"}]}]}
    ask_user = next(one for one in builtin_tools() if one.name == "ask_user")
    seen = world(calls(("ask_user", question)), tools=[ask_user])

    def dawdle(member: Member) -> None:
        member.threads.sleep(takes)

    seen.play("go", At("post reply", "before", dawdle))

    posts = [post for post in seen.fleet.slack.posts if not post.deleted]
    assert posts[0].part.partition(".")[0] == first
    assert len(posts) == 2
