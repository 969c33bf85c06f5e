"""A run's posts: one reply, one word at the end, whatever happens to them."""

from __future__ import annotations

import pytest

from playground.simulation.fleet import Member
from store.ports import ReplyError
from tests.crash.conftest import Killer, says
from tests.crash.moments import At, Make, replies


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
