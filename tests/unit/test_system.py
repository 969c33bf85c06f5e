"""The real clock, ids and threads."""

from __future__ import annotations

import os
import re

from store.system import SystemClock, SystemIds


def test_an_id_is_the_kinds_letter_and_twelve_characters() -> None:
    ids = SystemIds()
    assert re.fullmatch("r[a-z0-9]{12}", ids.new("run"))
    assert len({ids.new("run") for _ in range(1000)}) == 1000


def test_a_fork_does_not_copy_the_ids_to_come() -> None:
    ids = SystemIds()
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, ids.new("run").encode())
        os._exit(0)
    os.wait()
    assert os.read(reader, 100).decode() != ids.new("run")
    os.close(reader)
    os.close(writer)


def test_boottime_passes() -> None:
    clock = SystemClock()
    before = clock.boottime()
    assert clock.boottime() >= before > 0
    assert clock.now() > 1_700_000_000
