"""What a log line looks like, and what never stands in one."""

from __future__ import annotations

import io
import logging

import pytest

from everthread.logs import PlainLines, to_stderr


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    heard = io.StringIO()
    monkeypatch.setattr("sys.stderr", heard)
    before = logging.root.handlers[:], logging.root.level
    to_stderr("info", ["hunter2"])
    yield heard
    logging.root.handlers[:], logging.root.level = before[0], before[1]


@pytest.mark.clause("SEC-1")
def test_a_secret_never_stands_in_a_line_nor_in_a_traceback(lines: io.StringIO) -> None:
    try:
        raise ValueError("wrong password: hunter2")
    except ValueError:
        logging.getLogger("worker.x").exception("failed url=%s", "redis://:hunter2@h")
    assert "hunter2" not in lines.getvalue()
    assert "redis://:***@h" in lines.getvalue()


def test_a_line_says_level_origin_process_and_message(lines: io.StringIO) -> None:
    logging.getLogger("worker.x").info("freed thread=%s", "T1/C1/1.0")
    said = lines.getvalue()
    assert said.startswith("info worker.x pid=")
    assert said.endswith("freed thread=T1/C1/1.0\n")


def test_libraries_are_heard_only_when_something_is_wrong(lines: io.StringIO) -> None:
    bolt = logging.getLogger("slack_bolt.App")
    bolt.setLevel(logging.DEBUG)
    bolt.info("a whole payload")
    bolt.warning("something is wrong")
    logging.getLogger("slack_sdk.web.base_client").error("said by us")
    assert "payload" not in lines.getvalue()
    assert "something is wrong" in lines.getvalue()
    assert "said by us" not in lines.getvalue()


def test_what_is_too_short_for_a_secret_blanks_nothing() -> None:
    record = logging.makeLogRecord({"msg": "text", "levelname": "INFO", "name": "x"})
    assert PlainLines(["", "x"]).format(record).startswith("info x")


@pytest.mark.clause("SEC-2")
def test_a_secret_that_is_no_setting_of_ours_stands_in_no_line_either(lines: io.StringIO) -> None:
    token = "xo" + "xp-123456789-abcdef"
    try:
        raise ValueError(f'{{"password": "swordfish", "token": "{token}"}}')
    except ValueError:
        logging.getLogger("worker.x").exception("refused url=%s", "https://bob:swordfish@db.test/x")
    assert "swordfish" not in lines.getvalue()
    assert token not in lines.getvalue()
    assert "https://bob:***@db.test/x" in lines.getvalue()
