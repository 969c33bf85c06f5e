"""A bot to talk to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.ports import Clock, Ids
from tests.bot.doubles import Bot


@pytest.fixture
def bot(clock: Clock, ids: Ids) -> Iterator[Bot]:
    bot = Bot(clock, ids)
    yield bot
    for app in bot.apps:
        app.listener_runner.listener_executor.shutdown(wait=True)
