"""The real SDK against the Claude stand-in: each proves the other."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx2
import psutil
import pytest

from playground.standins.claude.client import ClaudeStandin
from store.ports import Cut, Delta, Json, ModelAnswer, ModelError, ModelRequest, Usage
from worker.model.claude import Claude

MODEL = "claude-opus-5-5"
TOOLS: list[Json] = [
    {"name": "clock", "description": "The time.", "input_schema": {"type": "object", "properties": {}}},
    {
        "name": "note",
        "description": "Writes a line down.",
        "input_schema": {"type": "object", "properties": {"line": {"type": "string"}}, "required": ["line"]},
    },
]


@pytest.fixture(scope="module")
def process() -> Iterator[ClaudeStandin]:
    with ClaudeStandin.start() as standin:
        yield standin


@pytest.fixture
def standin(process: ClaudeStandin) -> ClaudeStandin:
    process.reset()
    process.script([{"text": "Good morning to all of you."}])
    return process


@pytest.fixture
def claude(standin: ClaudeStandin) -> Iterator[Claude]:
    claude = Claude("key", standin.url, read_timeout=5.0)
    yield claude
    claude.close()


@pytest.fixture
def elsewhere() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def asking(*messages: Json, system: str = "You are brief.", effort: str | None = None) -> ModelRequest:
    return ModelRequest(MODEL, 1000, system, TOOLS, messages or (user("hello"),), effort)


def user(content: Any) -> Json:
    return {"role": "user", "content": content}


def assistant(content: Any) -> Json:
    return {"role": "assistant", "content": content}


def result(call: Json, said: str = "done") -> Json:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": said}


def quiet(_: Delta) -> None:
    pass


def failure(claude: Claude, request: ModelRequest | None = None, cut: Cut | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        claude.ask(request or asking(), quiet, cut or Cut())
    return caught.value


# --- an answer, whole -------------------------------------------------------------------------------------


def test_an_answer_comes_whole_and_is_heard_as_it_grows(claude: Claude, standin: ClaudeStandin) -> None:
    call = {"name": "note", "input": {"line": "a “line”\nand another"}, "id": "toolu_given"}
    standin.script([{"thinking": "Let me note that.", "text": "I'll write it down.", "calls": [call]}])
    heard: list[Delta] = []

    answer = claude.ask(asking(), heard.append, Cut())

    assert answer.stop_reason == "tool_use"
    assert answer.model == MODEL
    assert answer.request_id == "req_000001"
    thinking, text, called = answer.content
    assert thinking["thinking"] == "Let me note that."
    assert thinking["signature"]
    assert text == {"type": "text", "text": "I'll write it down."}
    assert called == {"type": "tool_use", **call}
    assert "".join(delta.text for delta in heard if delta.kind == "thinking") == "Let me note that."
    assert "".join(delta.text for delta in heard if delta.kind == "text") == "I'll write it down."
    assert heard[-1] == Delta("call", "note")


def test_blocks_and_fields_nobody_knows_come_and_go_untouched(claude: Claude, standin: ClaudeStandin) -> None:
    blocks: list[Json] = [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"encrypted_content": "=="}]},
        {"type": "hologram", "depth": {"of": [1, 2, None]}},
        {"type": "tool_use", "id": "toolu_1", "name": "clock", "input": {}, "caller": {"type": "direct"}},
    ]
    turns: list[Json] = [{"blocks": blocks, "stop_reason": "tool_use"}, {"text": "Low tide."}]
    standin.script(turns)

    first = claude.ask(asking(), quiet, Cut())
    again = [user("hello"), assistant(first.content), user([result(blocks[-1])])]
    second = claude.ask(asking(*again), quiet, Cut())

    assert first.content == blocks
    assert standin.calls()[1]["request"]["messages"][1]["content"] == blocks
    assert second.content == [{"type": "text", "text": "Low tide."}]


@pytest.mark.parametrize("stop_reason", ["end_turn", "max_tokens", "stop_sequence", "model_context_window_exceeded"])
def test_every_stop_reason_is_passed_on(claude: Claude, standin: ClaudeStandin, stop_reason: str) -> None:
    standin.fault("stop", stop_reason=stop_reason)

    assert claude.ask(asking(), quiet, Cut()).stop_reason == stop_reason


def test_a_refusal_says_why(claude: Claude, standin: ClaudeStandin) -> None:
    why = {"type": "refusal", "category": "cyber", "explanation": "No."}
    standin.fault("stop", stop_reason="refusal", stop_details=why)

    answer = claude.ask(asking(), quiet, Cut())

    assert (answer.stop_reason, answer.stop_details) == ("refusal", why)


def test_a_paused_answer_goes_on_when_it_is_sent_back_as_it_is(claude: Claude, standin: ClaudeStandin) -> None:
    standin.script([{"thinking": "", "text": "Searching.", "stop_reason": "pause_turn"}, {"text": "Found."}])

    paused = claude.ask(asking(), quiet, Cut())
    answer = claude.ask(asking(user("hello"), assistant(paused.content)), quiet, Cut())

    assert paused.stop_reason == "pause_turn"
    assert answer.content == [{"type": "text", "text": "Found."}]


def test_paused_answers_may_be_joined_into_one_message(claude: Claude, standin: ClaudeStandin) -> None:
    paused = {"thinking": "First …", "text": "Searching.", "stop_reason": "pause_turn"}
    standin.script([paused, {"thinking": "Then …", "calls": [{"name": "clock"}]}, {"text": "Noon."}])

    first = claude.ask(asking(), quiet, Cut()).content
    second = claude.ask(asking(user("hello"), assistant(first)), quiet, Cut()).content
    joined = [user("hello"), assistant([*first, *second]), user([result(second[-1])])]

    assert claude.ask(asking(*joined), quiet, Cut()).content == [{"type": "text", "text": "Noon."}]


@pytest.mark.parametrize("how", ["duplicate", "empty"])
def test_tool_ids_come_through_as_bad_as_they_are(claude: Claude, standin: ClaudeStandin, how: str) -> None:
    standin.script([{"calls": [{"name": "clock"}, {"name": "clock"}]}, {"text": "Noon."}])
    standin.fault("ids", how=how)

    calls = claude.ask(asking(), quiet, Cut()).content
    mended = [{**call, "id": f"mended_{n}"} for n, call in enumerate(calls)]
    answer = claude.ask(asking(user("hello"), assistant(mended), user([result(call) for call in mended])), quiet, Cut())

    assert len({call["id"] for call in calls}) == 1
    assert answer.stop_reason == "end_turn"


@pytest.mark.clause("USAGE-1")
def test_usage_is_what_was_billed_cache_and_all(claude: Claude, standin: ClaudeStandin) -> None:
    standin.script([{"text": "One."}, {"text": "Two.", "on": "second"}])

    first = claude.ask(asking(), quiet, Cut())
    second = claude.ask(asking(user("hello"), assistant(first.content), user("second")), quiet, Cut())

    billed = standin.state()["calls"]
    for answer, call in zip((first, second), billed, strict=True):
        assert answer.usage == Usage(
            input=call["billed"]["input_tokens"],
            output=call["billed"]["output_tokens"],
            cache_read=call["billed"]["cache_read_input_tokens"],
            cache_write=call["billed"]["cache_creation_input_tokens"],
        )
    assert first.usage.cache_write == second.usage.cache_read > 0


def test_one_cache_marker_is_added_on_the_way_out_and_nowhere_else(claude: Claude, standin: ClaudeStandin) -> None:
    messages = (user("hello"),)
    claude.ask(asking(*messages, effort="low"), quiet, Cut())

    sent = standin.calls()[0]["request"]
    assert json.dumps(sent).count("cache_control") == 1
    assert sent["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    assert sent["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert sent["output_config"] == {"effort": "low"}
    assert messages == (user("hello"),)


def test_a_connection_is_used_again_and_its_process_is_known(claude: Claude, standin: ClaudeStandin) -> None:
    claude.ask(asking(), quiet, Cut())
    placed = standin.wait("call.placed")
    claude.ask(asking(), quiet, Cut())

    assert placed["pid"] == os.getpid()
    assert standin.state()["calls"][1]["pid"] == os.getpid()
    with pytest.raises(TimeoutError, match=r"saw no call\.placed"):
        standin.wait("call.placed", since=placed["seq"], timeout=0)


# --- thinking ---------------------------------------------------------------------------------------------


def test_thinking_comes_back_as_it_was_also_when_empty(claude: Claude, standin: ClaudeStandin) -> None:
    turns: list[Json] = [
        {"thinking": "", "calls": [{"name": "clock"}]},
        {"thinking": "Now I know.", "redacted": "secret", "calls": [{"name": "note", "input": {"line": "x"}}]},
        {"text": "Done."},
    ]
    standin.script(turns)
    messages = [user("hello")]

    for _ in turns:
        answer = claude.ask(asking(*messages), quiet, Cut())
        calls = [block for block in answer.content if block["type"] == "tool_use"]
        messages += [assistant(answer.content), user([result(call) for call in calls])]

    assert messages[5] == assistant([{"type": "text", "text": "Done."}])
    assert messages[1]["content"][0]["thinking"] == ""
    assert messages[3]["content"][1]["type"] == "redacted_thinking"
    assert standin.state()["violations"] == []


Damage = Callable[[list[Json]], object]


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda m: m[1]["content"][0].update(thinking="other"), "bound to a different conversation"),
        (lambda m: m[1]["content"][0].update(signature="x"), "bound to a different conversation"),
        (lambda m: m[0].update(content="hullo"), "bound to a different conversation"),
        (lambda m: m[2]["content"][0].update(content="other"), "bound to a different conversation"),
        (lambda m: m[3]["content"].pop(0), "is missing"),
    ],
    ids=["content", "signature", "prompt", "result", "gap"],
)
def test_damaged_thinking_is_refused(claude: Claude, standin: ClaudeStandin, damage: Damage, complaint: str) -> None:
    standin.script([{"thinking": f"{n}", "calls": [{"name": "clock"}]} for n in range(4)])
    messages = [user("hello")]
    for _ in range(3):
        answer = claude.ask(asking(*messages), quiet, Cut())
        messages += [assistant(answer.content), user([result(answer.content[-1])])]
    damage(messages)

    error = failure(claude, asking(*messages))

    assert error.kind == "invalid"
    assert complaint in str(error)


def test_thinking_is_bound_to_the_system_text_and_may_be_left_out_from_the_start(
    claude: Claude, standin: ClaudeStandin
) -> None:
    standin.script([{"thinking": "Hm.", "text": "One."}, {"text": "Two.", "on": "second"}])
    first = claude.ask(asking(), quiet, Cut())
    going_on = [user("hello"), assistant(first.content), user("second")]

    error = failure(claude, asking(*going_on, system="You are verbose."))
    going_on[1] = assistant(first.content[1:])
    answer = claude.ask(asking(*going_on, system="You are verbose."), quiet, Cut())

    assert "bound to a different conversation" in str(error)
    assert answer.content[0]["text"] == "Two."


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid"),
        (401, "credentials"),
        (402, "billing"),
        (403, "credentials"),
        (404, "invalid"),
        (413, "invalid"),
        (422, "invalid"),
        (408, "busy"),
        (429, "busy"),
        (500, "busy"),
        (503, "busy"),
        (529, "busy"),
    ],
)
@pytest.mark.clause("USAGE-1")
def test_a_refusal_is_sorted_by_what_helps_and_costs_nothing(
    claude: Claude, standin: ClaudeStandin, status: int, kind: str
) -> None:
    standin.fault("refuse", status=status, message="No.")

    error = failure(claude)

    assert (error.kind, error.status, error.usage, error.retry_after) == (kind, status, Usage(), None)
    assert "No." in str(error)
    assert len(standin.calls()) == 1, "the SDK retried on its own"


def test_retry_after_is_handed_on_and_never_slept(claude: Claude, standin: ClaudeStandin) -> None:
    standin.fault("refuse", status=429, retry_after=3600)
    started = time.perf_counter()

    assert failure(claude).retry_after == 3600.0
    assert time.perf_counter() - started < 2


def test_an_empty_balance_is_billing_though_it_comes_as_a_bad_request(claude: Claude, standin: ClaudeStandin) -> None:
    standin.fault("refuse", status=400, message="Your credit balance is too low to access the Anthropic API.")

    assert failure(claude).kind == "billing"


def test_a_service_that_is_not_there_is_a_network_fault() -> None:
    error = failure(Claude("key", "http://127.0.0.1:9"))

    assert (error.kind, error.retryable, error.usage) == ("network", True, Usage())


# --- streams that break -----------------------------------------------------------------------------------


@pytest.mark.clause("STREAM-2", "USAGE-1")
@pytest.mark.parametrize("how", ["clean", "drop", "reset"])
def test_a_stream_that_breaks_is_no_answer(claude: Claude, standin: ClaudeStandin, how: str) -> None:
    standin.fault("cut", how=how, after=3)

    error = failure(claude)

    assert (error.kind, error.retryable) == ("network", True)
    assert error.partial
    assert "Good morning to all of you.".startswith(error.partial)
    assert error.usage is not None
    assert error.usage.estimated
    assert error.usage.output > 0
    assert error.usage.cache_write == standin.state()["calls"][0]["billed"]["cache_creation_input_tokens"]


@pytest.mark.clause("TOOL-8", "STREAM-2")
@pytest.mark.parametrize("how", ["clean", "drop", "reset"])
def test_a_tool_call_cut_in_its_input_never_comes_out(claude: Claude, standin: ClaudeStandin, how: str) -> None:
    standin.script([{"calls": [{"name": "note", "input": {"line": "/data/abcdefghijklmnopqrstuvw"}}]}])
    standin.fault("cut", how=how, after=3)
    heard: list[Delta] = []

    with pytest.raises(ModelError) as caught:
        claude.ask(asking(), heard.append, Cut())

    assert caught.value.kind == "network"
    assert heard == [Delta("call", "note")]


@pytest.mark.clause("TOOL-8")
def test_a_tool_call_cut_by_max_tokens_is_left_out(claude: Claude, standin: ClaudeStandin) -> None:
    calls = [{"name": "clock"}, {"name": "note", "input": {"line": "/data/abcdefghijkl"}}]
    standin.script([{"text": "Both.", "calls": calls, "stop_reason": "max_tokens"}])

    answer = claude.ask(asking(), quiet, Cut())

    assert answer.stop_reason == "max_tokens"
    assert [block.get("name", "text") for block in answer.content] == ["text", "clock"]


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        ("overloaded_error", "busy"),
        ("api_error", "busy"),
        ("rate_limit_error", "busy"),
        ("invalid_request_error", "invalid"),
        ("authentication_error", "credentials"),
        ("billing_error", "billing"),
        ("news_error", "busy"),
    ],
)
@pytest.mark.clause("STREAM-2", "USAGE-1")
def test_an_error_inside_a_stream_is_sorted_by_its_type(
    claude: Claude, standin: ClaudeStandin, type_: str, kind: str
) -> None:
    standin.fault("error", type=type_, after=2)

    error = failure(claude)

    assert (error.kind, error.code, error.status) == (kind, type_, 200)
    assert error.usage is not None
    assert error.usage.estimated
    assert error.partial


@pytest.mark.clause("STREAM-2")
def test_a_stream_that_ends_before_message_stop_is_no_answer(
    claude: Claude, standin: ClaudeStandin, elsewhere: ThreadPoolExecutor
) -> None:
    standin.hold("end")
    asked = elsewhere.submit(claude.ask, asking(), quiet, Cut())
    held = standin.wait("call.held")

    assert not asked.done()
    assert standin.state()["calls"][0]["ended"] == ""
    standin.release()
    assert asked.result(5).content == [{"type": "text", "text": "Good morning to all of you."}]
    assert standin.wait("call.ended", since=held["seq"])["ended"] == "complete"


@pytest.mark.clause("USAGE-1")
def test_a_service_that_says_nothing_is_given_up(standin: ClaudeStandin) -> None:
    claude = Claude("key", standin.url, read_timeout=0.2)
    standin.fault("silent", after=2)

    error = failure(claude)

    assert (error.kind, error.code) == ("network", "ReadTimeout")
    assert error.usage is not None
    assert error.usage.estimated
    standin.release()


def test_a_service_that_only_pings_is_given_up(standin: ClaudeStandin) -> None:
    seconds = iter(range(0, 1_000_000, 6))
    claude = Claude("key", standin.url, read_timeout=5.0, stopwatch=lambda: next(seconds))
    standin.fault("silent", pings=0.01)

    assert failure(claude).code == "silent"
    standin.release()


# --- cutting ----------------------------------------------------------------------------------------------


def cut_within(seconds: float, cut: Cut, asked: Future[ModelAnswer]) -> ModelError:
    started = time.perf_counter()
    cut.fire()
    error = asked.exception(timeout=10)
    assert time.perf_counter() - started < seconds
    assert isinstance(error, ModelError)
    assert error.kind == "cut"
    return error


@pytest.mark.clause("STOP-1", "USAGE-1")
def test_a_silent_stream_can_be_cut(claude: Claude, standin: ClaudeStandin, elsewhere: ThreadPoolExecutor) -> None:
    standin.fault("silent", after=3)
    cut = Cut()
    asked = elsewhere.submit(claude.ask, asking(), quiet, cut)
    held = standin.wait("call.held")

    error = cut_within(0.5, cut, asked)

    assert error.partial
    assert "Good morning to all of you.".startswith(error.partial)
    assert error.usage is not None
    assert error.usage.estimated
    assert standin.wait("call.ended", since=held["seq"])["ended"] == "cut"


@pytest.mark.clause("STOP-1", "USAGE-1")
@pytest.mark.parametrize("warm", [False, True], ids=["first call", "reused connection"])
def test_a_call_can_be_cut_before_its_headers_came(
    claude: Claude, standin: ClaudeStandin, elsewhere: ThreadPoolExecutor, warm: bool
) -> None:
    if warm:
        claude.ask(asking(), quiet, Cut())
    standin.hold("start")
    cut = Cut()
    asked = elsewhere.submit(claude.ask, asking(), quiet, cut)
    held = standin.wait("call.held")

    error = cut_within(0.5, cut, asked)

    assert error.partial == ""
    assert error.usage is not None
    assert error.usage.input > 0
    assert error.usage.estimated
    assert standin.wait("call.ended", since=held["seq"])["ended"] == "cut"


@pytest.mark.clause("STOP-1")
def test_a_cut_that_came_first_keeps_the_call_at_home(claude: Claude, standin: ClaudeStandin) -> None:
    cut = Cut()
    cut.fire()

    error = failure(claude, cut=cut)

    assert (error.kind, error.usage) == ("cut", Usage())
    assert standin.calls() == []


@pytest.mark.clause("STOP-1")
def test_a_cut_in_the_middle_of_hearing_ends_the_call_and_not_the_next_one(
    claude: Claude, standin: ClaudeStandin
) -> None:
    standin.script([{"text": "word " * 2000, "chunk": 1, "tokens_per_second": 1000}])
    cut = Cut()
    heard = 0

    def hear(_: Delta) -> None:
        nonlocal heard
        heard += 1
        if heard == 5:
            cut.fire()

    with pytest.raises(ModelError) as caught:
        claude.ask(asking(), hear, cut)
    standin.script([{"text": "Good morning."}])

    assert caught.value.kind == "cut"
    assert heard < 2000
    assert claude.ask(asking(), quiet, Cut()).content == [{"type": "text", "text": "Good morning."}]


@pytest.mark.clause("STOP-1")
def test_a_cut_after_the_answer_ended_takes_nothing_from_it(claude: Claude, standin: ClaudeStandin) -> None:
    cut = Cut()
    answer = claude.ask(asking(), quiet, cut)
    cut.fire()

    assert answer.stop_reason == "end_turn"
    assert claude.ask(asking(), quiet, Cut()).stop_reason == "end_turn"
    assert [call["ended"] for call in standin.state()["calls"]] == ["complete", "complete"]


def test_what_the_hearer_raises_comes_through_and_hangs_up(claude: Claude, standin: ClaudeStandin) -> None:
    standin.hold("end")

    def hear(_: Delta) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        claude.ask(asking(), hear, Cut())
    assert standin.wait("call.ended")["ended"] == "cut"


# --- what the stand-in refuses ------------------------------------------------------------------------------

CALL: Json = {"type": "tool_use", "id": "toolu_1", "name": "clock", "input": {}}
WRONG: dict[str, tuple[list[Json], str]] = {
    "first is assistant": ([assistant("hi"), user("hello")], "first message must use the user role"),
    "two users": ([user("a"), user("b")], "roles must alternate"),
    "prefill": ([user("a"), assistant("b")], "prefill"),
    "no result": (
        [user("a"), assistant([CALL]), user("b")],
        "without `tool_result` blocks immediately after: toolu_1",
    ),
    "wrong id": ([user("a"), assistant([CALL]), user([result({"id": "toolu_2"})])], "without `tool_result`"),
    "extra result": (
        [user("a"), assistant([CALL]), user([result(CALL), result({"id": "toolu_2"})])],
        "unexpected `tool_use_id`",
    ),
    "result twice": ([user("a"), assistant([CALL]), user([result(CALL)] * 2)], "must have a single result"),
    "text first": (
        [user("a"), assistant([CALL]), user([{"type": "text", "text": "b"}, result(CALL)])],
        "must come first",
    ),
    "same id twice": ([user("a"), assistant([CALL, CALL]), user([result(CALL)])], "ids must be unique"),
    "empty id": ([user("a"), assistant([{**CALL, "id": ""}]), user("b")], "should match pattern"),
    "empty text": ([user([{"type": "text", "text": " "}])], "non-whitespace"),
    "nothing": ([], "at least one message"),
}


@pytest.mark.parametrize(("messages", "complaint"), WRONG.values(), ids=WRONG.keys())
def test_a_transcript_the_service_would_refuse_is_refused(
    standin: ClaudeStandin, messages: list[Json], complaint: str
) -> None:
    said = post(standin, messages=messages)

    assert said["error"]["type"] == "invalid_request_error"
    assert complaint in said["error"]["message"]
    assert complaint in standin.state()["violations"][0]["message"]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"temperature": 1.0}, "temperature: Extra inputs"),
        ({"top_p": 1.0}, "top_p: Extra inputs"),
        ({"max_tokens": None}, "max_tokens: Field required"),
        ({"max_tokens": 0}, "greater than or equal to 1"),
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, "adaptively"),
        ({"thinking": {"type": "disabled"}}, "adaptively"),
        ({"output_config": {"effort": "huge"}}, "effort"),
        ({"tools": [TOOLS[0], TOOLS[0]]}, "must be unique"),
        ({"model": "gpt"}, "model: gpt"),
        ({"surprise": 1}, "surprise: Extra inputs"),
        (
            {"system": [{"type": "text", "text": f"{n}", "cache_control": {"type": "ephemeral"}} for n in range(5)]},
            "maximum of 4",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_fields_the_service_would_refuse_are_refused(standin: ClaudeStandin, fields: Json, complaint: str) -> None:
    assert complaint in post(standin, **fields)["error"]["message"]


def test_a_key_and_a_version_are_needed_and_the_body_must_be_unicode(standin: ClaudeStandin) -> None:
    assert post(standin, headers={"anthropic-version": "2026-10-21"})["error"]["type"] == "authentication_error"
    assert "anthropic-version" in post(standin, headers={"authorization": "Bearer k"})["error"]["message"]
    assert "surrogate" in post(standin, messages=[user("\ud83d")])["error"]["message"]


def test_without_streaming_the_same_answer_comes_at_once_and_tokens_can_be_counted(standin: ClaudeStandin) -> None:
    said = post(standin)

    assert said["content"] == [{"type": "text", "text": "Good morning to all of you."}]
    assert said["stop_reason"] == "end_turn"
    assert post(standin, path="/v1/messages/count_tokens")["input_tokens"] == said["usage"]["input_tokens"]


def post(standin: ClaudeStandin, path: str = "/v1/messages", headers: Json | None = None, **fields: Any) -> Json:
    body = {"model": MODEL, "max_tokens": 100, "messages": [user("hello")], **fields}
    sent = {name: value for name, value in body.items() if value is not None}
    keys = headers or {"authorization": "Bearer k", "anthropic-version": "2026-10-21"}
    answer = httpx2.post(standin.url + path, content=json.dumps(sent), headers=keys)
    return dict(answer.json())


# --- the script, the counting, the levers -------------------------------------------------------------------


def test_answers_follow_the_content_and_not_the_order_of_calls(claude: Claude, standin: ClaudeStandin) -> None:
    standin.script(
        [
            {"calls": [{"name": "clock"}]},
            {"text": "Noon."},
            {"on": "charge", "calls": [{"name": "note", "input": {"line": "5"}}]},
            {"text": "Charged."},
        ]
    )

    first = claude.ask(asking(), quiet, Cut())
    charge = claude.ask(asking(user("charge 5")), quiet, Cut())
    again = claude.ask(asking(), quiet, Cut())
    noon = claude.ask(asking(user("hello"), assistant(first.content), user([result(first.content[0])])), quiet, Cut())
    done = claude.ask(
        asking(user("charge 5"), assistant(charge.content), user([result(charge.content[0])])), quiet, Cut()
    )

    assert again.content == first.content
    assert (noon.content[0]["text"], done.content[0]["text"]) == ("Noon.", "Charged.")
    state = standin.state()
    assert [call["turn"] for call in state["calls"]] == [0, 0, 0, 1, 1]
    assert state["asked_twice"] == [state["calls"][0]["digest"]]
    assert state["billed"]["calls"] == 5


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "Morning!"}, CALL],
        [{**CALL, "id": "toolu_other"}],
        [{**CALL, "input": {"zone": "CET"}}],
        [{"type": "text", "text": "Good morning to all of you."}],
    ],
    ids=["other text", "other id", "other input", "no call"],
)
def test_a_history_the_script_never_told_is_refused(
    claude: Claude, standin: ClaudeStandin, content: list[Json]
) -> None:
    standin.script([{"calls": [{"name": "clock", "id": "toolu_1"}]}, {"text": "Noon."}])
    results = [result(block) for block in content if block["type"] == "tool_use"]
    news = {"type": "text", "text": "<news>it is noon</news>"}

    error = failure(claude, asking(user("hello"), assistant(content), user([*results, news])))

    assert "transcript does not match the script" in str(error)
    assert len(standin.state()["violations"]) == 1


def test_a_script_that_is_over_or_says_nothing_to_a_prompt_shows_it(claude: Claude, standin: ClaudeStandin) -> None:
    standin.script([{"on": "charge", "text": "Charged."}])

    assert "nothing in it answers" in str(failure(claude))
    over = [user("charge 5"), assistant("Charged."), user("<news>a deploy</news>")]
    assert "all were given" in str(failure(claude, asking(*over)))


def test_a_script_or_fault_with_a_wrong_key_is_refused(standin: ClaudeStandin) -> None:
    with pytest.raises(ValueError, match="a turn has no says"):
        standin.script([{"says": "hi"}])
    with pytest.raises(ValueError, match="kind is one of"):
        standin.fault("flood")
    with pytest.raises(ValueError, match="how is one of clean, drop, reset"):
        standin.fault("cut", how="nicely")


def test_a_call_is_held_after_exactly_so_many_tokens_and_shows_who_asks(
    claude: Claude, standin: ClaudeStandin, elsewhere: ThreadPoolExecutor
) -> None:
    standin.hold(after=3, on="hello")
    heard: list[Delta] = []
    asked = elsewhere.submit(claude.ask, asking(), heard.append, Cut())

    held = standin.wait("call.held")
    placed = standin.wait("call.placed")
    standin.release()
    answer = asked.result(5)

    assert held["tokens"] == 3
    assert placed["pid"] is not None
    assert answer.content[0]["text"] == "".join(delta.text for delta in heard)


def test_happenings_are_told_as_they_come(claude: Claude, standin: ClaudeStandin) -> None:
    since = standin.state()["seq"]
    claude.ask(asking(), quiet, Cut())

    with httpx2.stream("GET", f"{standin.url}/control/events?since={since}", timeout=5) as events:
        kinds = []
        for line in events.iter_lines():
            if line.startswith("event: "):
                kinds.append(line.removeprefix("event: "))
            if "call.ended" in kinds:
                break

    assert [kind for kind in kinds if kind != "call.placed"] == ["call.started", "call.streamed", "call.ended"]


def test_a_fault_for_all_calls_lasts_until_reset(claude: Claude, standin: ClaudeStandin) -> None:
    standin.fault("refuse", status=529, times=0)
    assert [failure(claude).status for _ in range(3)] == [529, 529, 529]

    standin.reset()
    assert claude.ask(asking(), quiet, Cut()).stop_reason == "end_turn"
    assert len(standin.calls()) == 1


def test_it_ends_with_whoever_started_it() -> None:
    starter = (
        "from playground.standins.claude.client import ClaudeStandin; print(ClaudeStandin.start().pid, flush=True)"
    )
    started = subprocess.run([sys.executable, "-c", starter + "; import os; os._exit(9)"], capture_output=True)

    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(int(started.stdout)).wait(timeout=5)
    assert not psutil.pid_exists(int(started.stdout))


# --- the repertoire -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "calls"),
    [
        ("what time is it?", ["clock"]),
        ("please note that we ship on Friday", ["note"]),
        ("run three tools", ["clock", "note", "clock"]),
        ("post to https://example.com/hook", []),
        ("what can you do?", []),
    ],
)
def test_without_a_script_it_uses_the_tools_it_was_given(
    claude: Claude, standin: ClaudeStandin, prompt: str, calls: list[str]
) -> None:
    standin.script(None)
    standin.fault("slow", tokens_per_second=100_000, times=0)

    answer = claude.ask(asking(user(prompt)), quiet, Cut())

    made = [block for block in answer.content if block["type"] == "tool_use"]
    assert [call["name"] for call in made] == calls
    if made:
        messages = [user(prompt), assistant(answer.content), user([result(call, "forty-two") for call in made])]
        assert "forty-two" in claude.ask(asking(*messages), quiet, Cut()).content[-1]["text"]
    else:
        assert answer.content[-1]["text"]
    assert standin.state()["violations"] == []


def test_a_note_is_what_was_to_be_noted(claude: Claude, standin: ClaudeStandin) -> None:
    standin.script(None)

    prompt = "[2026-11-29 13:00 UTC] <@U1>: <@U0BOT> please note that we ship on Friday"
    answer = claude.ask(asking(user(prompt)), quiet, Cut())

    assert answer.content[-1]["input"] == {"line": "we ship on Friday"}


def test_a_batch_prefers_the_tools_the_prompt_names_and_a_story_follows_where_one_was_asked_for(
    claude: Claude, standin: ClaudeStandin
) -> None:
    standin.script(None)
    standin.fault("slow", tokens_per_second=100_000, times=0)
    prompt = "run three tools: clock only, then tell me a long story"

    answer = claude.ask(asking(user(prompt)), quiet, Cut())
    calls = [block for block in answer.content if block["type"] == "tool_use"]
    messages = [user(prompt), assistant(answer.content), user([result(call, "noon") for call in calls])]
    told = claude.ask(asking(*messages), quiet, Cut()).content[-1]["text"]

    assert {call["name"] for call in calls} == {"clock"}
    assert "| `clock` | done | noon |" in told
    assert "The lighthouse that never went dark" in told
