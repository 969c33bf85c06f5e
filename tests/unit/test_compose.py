"""Where bot, worker and store meet."""

from __future__ import annotations

from typing import Any

import pytest

from everthread.compose import Composition
from everthread.settings import Settings
from store.protocol import Store
from tests.bot.doubles import ME, FakeSlack
from tests.conftest import FakeClock


@pytest.mark.clause("REPLY-3")
def test_a_bot_that_catches_up_reads_out_of_the_budget_of_the_whole_workspace(
    store: Store, redis: Any, clock: FakeClock
) -> None:
    parts, slack = Composition(Settings.model_validate({})), FakeSlack()
    parts.slack = slack
    slack.answer("users.conversations", {"channels": [{"id": "C1"}, {"id": "C2"}]})
    store.workspace.catch_up_to(ME.team, clock.now())

    parts.catch_up(ME, store).look(1)

    assert [call.method for call in slack.calls] == ["users.conversations", *["conversations.history"] * 2]
    assert redis.zcard("everthread:{T0TEAM}:calls:read") == 3
