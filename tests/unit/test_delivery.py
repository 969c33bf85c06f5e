"""What a refusal of Slack's means for what is owed to it."""

from __future__ import annotations

from typing import Any

import pytest

from store.errors import RunSuspended
from store.ports import ReplyError
from worker.delivery import CREDENTIALS_PAUSE, refused_for_good


@pytest.mark.clause("RUN-17", "REPLY-5")
@pytest.mark.parametrize(
    ("kind", "asked", "seconds"),
    [("busy", 7.0, 7.0), ("busy", None, 30.0), ("lost", None, 30.0), ("credentials", None, CREDENTIALS_PAUSE)],
)
def test_what_slack_may_take_later_stays_owed_until_then(kind: Any, asked: float | None, seconds: float) -> None:
    with pytest.raises(RunSuspended) as pause:
        refused_for_good(ReplyError("no", kind=kind, retry_after=asked), look_again=30.0)

    assert pause.value.look_again == seconds


@pytest.mark.clause("REPLY-4")
@pytest.mark.parametrize("kind", ["gone", "closed", "payload"])
def test_what_slack_never_takes_is_owed_no_longer(kind: Any) -> None:
    assert refused_for_good(ReplyError("never", kind=kind), look_again=30.0) == "never"
