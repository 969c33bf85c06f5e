"""The lines of a log."""

from __future__ import annotations

import json

import pytest

from store.errors import EvidenceError, RecordTooLargeError, UnknownFormatError
from store.record import MAX_RECORD, Record, read_log, stored
from store.stepkey import StepKey
from store.values import digest
from worker.state import fold

KEY = StepKey("r1", 0, "t1")


def raw(**changes: object) -> str:
    body = {"v": 1, "kind": "tool", "key": "r1:0:t1:0", "state": "done", "at": 1.0}
    return json.dumps(body | changes)


@pytest.mark.clause("LOG-6")
def test_a_record_is_read_back_whole_under_the_digest_it_was_stored_with() -> None:
    named, line = stored(Record("tool", KEY, "done", 1.0, {"output": "é", "extra": [1]}))

    (found,) = read_log("T", [line])

    assert found == named
    assert found.digest == digest(line)


@pytest.mark.clause("LOG-6")
def test_fields_that_this_build_does_not_know_are_kept() -> None:
    line = raw(newer={"a": [1, 2]})

    (found,) = read_log("T", [line])

    assert found.body == {"newer": {"a": [1, 2]}}
    assert found.digest == digest(line)


@pytest.mark.clause("LOG-2")
@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_record_of_an_unknown_format_is_refused(version: object) -> None:
    with pytest.raises(UnknownFormatError, match="deploy the build that wrote it"):
        read_log("T", [raw(), raw(v=version)])


@pytest.mark.clause("LOG-6")
@pytest.mark.parametrize("line", ["", "{", "[]", "1", "{}", raw(key="r1:0:t1"), raw(key=None), '{"v": 1}'])
def test_a_damaged_record_is_refused_and_nothing_is_guessed(line: str) -> None:
    with pytest.raises(EvidenceError, match="T holds a"):
        read_log("T", [line])


def test_a_record_over_the_limit_is_refused_before_it_is_stored() -> None:
    with pytest.raises(RecordTooLargeError, match="is the limit"):
        stored(Record("tool", KEY, "done", 1.0, {"output": "x" * MAX_RECORD}))


def start() -> Record:
    return stored(Record("start", StepKey("r1", 0, "#start"), "done", 1.0, {"definition": {}}))[0]


@pytest.mark.clause("LOG-6", "RUN-2")
def test_a_turn_that_builds_on_an_altered_record_is_refused() -> None:
    model = Record("model", StepKey("r1", 0, "model"), "done", 1.0, {"content": []})
    altered, _ = stored(Record("model", model.key, "done", 1.0, {"content": ["another"]}))
    turn = Record("turn", StepKey("r1", 0, "#turn"), "done", 1.0, {"model": stored(model)[0].digest, "results": []})

    assert len(fold([start(), stored(model)[0], turn])["r1"].turns) == 1
    for records in ([start(), altered, turn], [start(), turn]):
        with pytest.raises(EvidenceError, match="builds on"):
            fold(records)


@pytest.mark.clause("LOG-6")
def test_a_record_of_a_run_that_never_started_is_refused() -> None:
    with pytest.raises(EvidenceError, match="no start"):
        fold([Record("tool", KEY, "done", 1.0)])
    with pytest.raises(EvidenceError, match="starts twice"):
        fold([start(), start()])
