"""What the local Claude takes for a request, where nobody wrote it a script."""

from __future__ import annotations

import pytest

from playground.standins.claude.repertoire import improvise
from playground.standins.claude.transcript import Transcript


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("what time is it?", ["current_time"]),
        ("hello, what's the time?", ["current_time"]),
        ("please note that we ship on Friday", ["append_note"]),
        ("What have people asked you to remember?", ["read_notes"]),
        ("could you read this thread?", ["read_thread"]),
        ("post to https://example.com/hook", ["http_post"]),
        ("charge 5", ["http_post"]),
        ("fetch https://example.com", ["fetch_url"]),
        ("Can you ask me something?", ["ask_user"]),
        ("ask me a question", ["ask_user"]),
        ("make a plan for the release", ["present_plan"]),
        ("then plan the release", ["present_plan"]),
        ("that is a good question", []),
        ("I have a question about the release", []),
        ("what was the question again?", []),
        ("is there a charge for that?", []),
        ("as I said in my last post, it works", []),
        ("the plan did not survive the first day", []),
        ("on that note: is the code of the table any good?", []),
        ("do you remember the script of last week?", []),
        ("what is the time complexity of a sort?", []),
        ("they call all their customers before three", []),
        ("see https://example.com for more", []),
        ("this did not help", []),
    ],
)
def test_the_repertoire_does_what_it_is_asked_for_and_takes_no_ordinary_sentence_for_a_request(
    said: str, calls: list[str]
) -> None:
    names = "read_thread read_notes append_note update_ticket current_time fetch_url http_post ask_user present_plan"
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    tools = [{"name": name, "description": "x", "input_schema": schema} for name in names.split()]
    asked = {"role": "user", "content": f"[now] <@U1>: <@U0BOT> {said}"}
    body = {"model": "m", "max_tokens": 100, "tools": tools, "messages": [asked]}

    turn = improvise(Transcript.read(body))

    assert [call.name for call in turn.calls] == calls
    if not calls:
        assert "You said" in turn.text
