"""An answer is put together from its events without losing a field."""

from __future__ import annotations

import pytest

from store.ports import Delta, Json, ModelError, Usage
from worker.model.blocks import GrowingAnswer


def grown(*events: Json, stop_reason: str = "end_turn") -> tuple[GrowingAnswer, list[Delta]]:
    heard: list[Delta] = []
    answer = GrowingAnswer(heard.append)
    answer.take({"type": "message_start", "message": {"model": "claude-opus-5-5", "usage": {"input_tokens": 7}}})
    for event in events:
        answer.take(event)
    answer.take({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": {"output_tokens": 3}})
    answer.take({"type": "message_stop"})
    return answer, heard


def start(block: Json, index: int = 0) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int = 0, **fields: object) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": fields}


@pytest.mark.clause("STREAM-2")
def test_an_answer_has_ended_only_with_message_stop_and_a_stop_reason() -> None:
    answer, _ = grown(start({"type": "text", "text": "all of it"}))
    assert answer.ended

    reasonless = GrowingAnswer(lambda _heard: None)
    reasonless.take(start({"type": "text", "text": "some of it"}))
    reasonless.take({"type": "message_delta", "delta": {"stop_reason": None}})
    reasonless.take({"type": "message_stop"})
    assert not reasonless.ended

    unstopped = GrowingAnswer(lambda _heard: None)
    unstopped.take({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})
    assert not unstopped.ended


def test_citations_are_collected_on_their_text() -> None:
    answer, _ = grown(
        start({"type": "text", "text": "", "citations": None}),
        delta(type="text_delta", text="so it is"),
        delta(type="citations_delta", citation={"cited_text": "a"}),
        delta(type="citations_delta", citation={"cited_text": "b"}),
    )

    assert answer.whole("").content == [
        {"type": "text", "text": "so it is", "citations": [{"cited_text": "a"}, {"cited_text": "b"}]}
    ]


def test_a_delta_nobody_knows_lands_in_its_block() -> None:
    answer, heard = grown(
        start({"type": "compaction", "content": None}),
        delta(type="compaction_delta", content="the gist", encrypted_content="=="),
        start({"type": "hologram", "light": "a"}, 1),
        delta(1, type="hologram_delta", light="b", depth=[3]),
    )

    assert answer.whole("").content == [
        {"type": "compaction", "content": "the gist", "encrypted_content": "=="},
        {"type": "hologram", "light": "ab", "depth": [3]},
    ]
    assert heard == []


def test_an_event_nobody_knows_changes_nothing() -> None:
    answer, _ = grown({"type": "weather", "index": 0}, start({"type": "text", "text": "fine"}))

    assert answer.whole("").content == [{"type": "text", "text": "fine"}]


@pytest.mark.clause("TOOL-8")
@pytest.mark.parametrize("written", ['{"path": "/data/ab', "[1]", "nonsense"])
def test_a_call_whose_input_is_not_whole_is_left_out_of_a_cut_answer(written: str) -> None:
    answer, heard = grown(
        start({"type": "text", "text": "I'll delete it."}),
        start({"type": "tool_use", "id": "t1", "name": "delete", "input": {}}, 1),
        delta(1, type="input_json_delta", partial_json=written),
        stop_reason="max_tokens",
    )

    whole = answer.whole("")
    assert [block["type"] for block in whole.content] == ["text"]
    assert whole.stop_reason == "max_tokens"
    assert heard == [Delta("text", "I'll delete it."), Delta("call", "delete")]


@pytest.mark.clause("TOOL-8")
def test_a_broken_input_in_an_answer_that_claims_to_be_whole_is_asked_for_again() -> None:
    answer, _ = grown(
        start({"type": "tool_use", "id": "t1", "name": "delete", "input": {}}),
        delta(type="input_json_delta", partial_json='{"path": '),
        stop_reason="tool_use",
    )

    with pytest.raises(ModelError, match="delete") as caught:
        answer.whole("")
    assert caught.value.retryable
    assert caught.value.usage == Usage(input=7, output=3)


@pytest.mark.clause("USAGE-1")
def test_usage_is_the_last_the_service_said_and_estimated_until_it_ended() -> None:
    answer = GrowingAnswer(lambda _: None)
    assert answer.usage(sent=0) == Usage()
    assert answer.usage(sent=350) == Usage(input=100, estimated=True)

    counted = {"input_tokens": 7, "cache_read_input_tokens": 50, "output_tokens": 1}
    answer.take({"type": "message_start", "message": {"usage": counted}})
    answer.take(start({"type": "text", "text": ""}))
    answer.take(delta(type="text_delta", text="x" * 70))
    assert answer.usage(sent=350) == Usage(input=7, output=20, cache_read=50, estimated=True)

    ending = {"cache_read_input_tokens": 60, "output_tokens": 22, "input_tokens": None}
    answer.take({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": ending})
    answer.take({"type": "message_stop"})
    assert answer.usage(sent=350) == Usage(input=7, output=22, cache_read=60)
