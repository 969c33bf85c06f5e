"""A wake is data, and its loss is nobody's trouble."""

from __future__ import annotations

import json
import zlib

import fakeredis
import pytest

from worker.process.wake import Wake


@pytest.mark.clause("SEC-4", "WORK-2")
def test_a_wake_is_json_that_names_a_thread_and_nothing_else() -> None:
    redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())

    assert Wake(redis).ring("T1/C1/1.0")

    (job,) = redis.lrange("rq:queue:everthread", 0, -1)
    data = redis.hget(b"rq:job:" + job, "data")
    assert json.loads(zlib.decompress(data)) == ["worker.process.job.work", None, ["T1/C1/1.0"], {}]


@pytest.mark.clause("WORK-2")
def test_a_wake_that_cannot_be_left_is_said_and_raises_nothing(caplog: pytest.LogCaptureFixture) -> None:
    server = fakeredis.FakeServer()
    server.connected = False

    assert not Wake(fakeredis.FakeRedis(server=server)).ring("T1/C1/1.0")
    assert "wake not left thread=T1/C1/1.0" in caplog.text
