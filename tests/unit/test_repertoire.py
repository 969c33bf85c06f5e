"""What the local Claude takes for a request, where nobody wrote it a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from playground.demo_tools import demo_tools
from playground.standins.claude.repertoire import improvise
from playground.standins.claude.transcript import Transcript
from playground.standins.claude.turn import Turn
from store.wait import ANYBODY, Answer, Given, Question
from worker.tools.builtin import ask_user, present_plan
from worker.tools.tool import Tool

TOOLS = [*demo_tools(), ask_user.ask_user_tool(ANYBODY, 0), *present_plan.plan_tools(ANYBODY, 0)]


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


def tool_named(name: str) -> Tool:
    return next(tool for tool in TOOLS if tool.name == name)


class Talk:
    """A conversation with the local Claude, who has the playground's tools."""

    def __init__(self, said: str) -> None:
        self._messages: list[dict[str, Any]] = [{"role": "user", "content": f"[now] <@U1>: <@U0BOT> {said}"}]
        self.turn = self._ask()

    def answer(self, *results: str, failed: bool = False) -> Turn:
        """Give its calls these results, in order; what it says then."""
        said = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": result, "is_error": failed}
            for call, result in zip(self._calls(), results, strict=True)
        ]
        self._messages.append({"role": "user", "content": said})
        self.turn = self._ask()
        return self.turn

    def inputs(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Its calls, with the arguments as the tools themselves take them."""
        found = [(call.name, tool_named(call.name).validate(call.input)) for call in self.turn.calls]
        assert [given for _, given in found if isinstance(given, str)] == []
        return [(name, given) for name, given in found if not isinstance(given, str)]

    def questions(self) -> tuple[Question, ...]:
        """What its only call asks people."""
        [(_, asked)] = self.inputs()
        return tuple(ask_user.Asked.model_validate(one).as_question() for one in asked["questions"])

    def _ask(self) -> Turn:
        body = {"model": "m", "max_tokens": 100, "tools": [tool.spec for tool in TOOLS], "messages": self._messages}
        transcript = Transcript.read(body)
        turn = improvise(transcript)
        assert improvise(Transcript.read(body)) == turn
        self._messages.append({"role": "assistant", "content": turn.content(transcript.said[-1])})
        return turn

    def _calls(self) -> list[dict[str, Any]]:
        return [block for block in self._messages[-1]["content"] if block["type"] == "tool_use"]


@pytest.mark.parametrize(
    ("said", "count", "minutes"),
    [
        ("ask me something", 1, 0),
        ("ask me a question", 1, 0),
        ("please ask me two questions", 2, 0),
        ("ask me 3 short questions within 2 minutes", 3, 2),
        ("ask me five questions within an hour", 5, 60),
        ("ask me 9 questions", 5, 0),
    ],
)
def test_it_asks_as_many_questions_as_are_wished_for_with_choices_that_say_what_they_mean(
    said: str, count: int, minutes: float
) -> None:
    talk = Talk(said)

    [(name, asked)] = talk.inputs()
    first, *others = talk.questions()
    assert (name, asked.get("minutes", 0)) == ("ask_user", minutes)
    assert len(others) == count - 1
    assert [choice.label for choice in first.choices] == ["To everyone", "Canary first", "Not today"]
    assert all(choice.description for choice in first.choices)
    assert first.words


def test_it_asks_for_one_thing_in_words() -> None:
    asked = Talk("ask me for the name of the release").questions()

    assert asked == (Question("What is the name of the release?", words=True),)


def test_it_says_what_it_heard() -> None:
    talk = Talk("ask me two questions")
    given = (Given(("Not today",), "rain | storm"), Given(("checkout", "mail")))

    turn = talk.answer(ask_user.worded(talk.questions(), Answer("w1", "U1", 0.0, "button", given)))

    assert turn.calls == ()
    assert "Thank you. I go on with this:" in turn.text
    assert "| How shall I release v413? | Not today; rain \\| storm |" in turn.text
    assert "| Which services does it concern? | checkout; mail |" in turn.text


def test_it_goes_on_with_the_defaults_where_nobody_answered() -> None:
    talk = Talk("ask me something within one minute")

    turn = talk.answer(ask_user.worded(talk.questions(), Answer("w1", "", 0.0, "deadline")))

    assert "Nobody answered in time" in turn.text
    assert "Not today (the default)" in turn.text


def test_it_leaves_open_what_was_set_aside() -> None:
    turn = Talk("ask me something").answer(ask_user.worded((), Answer("w1", "U1", 0.0, "aside")))

    assert turn.calls == ()
    assert turn.text.startswith("Then I leave that open")


def test_a_plan_is_followed_step_by_step_once_it_is_approved() -> None:
    talk = Talk("make a plan to find the slow release.")
    [(name, plan)] = talk.inputs()
    assert (name, plan["title"], len(plan["steps"])) == ("present_plan", "Find the slow release", 4)

    talk.answer(present_plan.worded(Answer("w1", "U1", 0.0, "button", verdict="approve")))
    shown = []
    while talk.turn.calls:
        calls = talk.inputs()
        shown.append([(name, given.get("done"), given.get("doing")) for name, given in calls])
        talk.answer(*["shown" if name == "plan_progress" else "v412 at 09:14" for name, _ in calls])

    assert [calls[0] for calls in shown] == [
        ("plan_progress", list(range(1, step)), step if step < 5 else 0) for step in (1, 2, 3, 4, 5)
    ]
    assert [name for calls in shown for name, *_ in calls[1:]] == ["recent_releases", "read_metrics", "search_logs"]
    assert talk.turn.text.startswith("All 4 steps are done.")


def test_a_plan_is_changed_as_people_wish_and_left_where_they_reject_it() -> None:
    talk = Talk("make a plan to find the slow release")

    talk.answer(present_plan.worded(Answer("w1", "U1", 0.0, "button", verdict="change", words="ask Bob first")))
    [(name, plan)] = talk.inputs()
    assert name == "present_plan"
    assert "As you wished: ask Bob first" in plan["steps"]

    turn = talk.answer(present_plan.worded(Answer("w2", "U1", 0.0, "button", verdict="reject")))
    assert turn.calls == ()
    assert "nothing of it" in turn.text


def test_it_charges_what_it_was_told_and_takes_a_denial_for_an_answer() -> None:
    talk = Talk("charge 40")
    assert talk.inputs() == [("charge", {"amount": 40})]

    turn = talk.answer("Not run: <@U2> denied it: too much", failed=True)

    assert turn.calls == ()
    assert turn.text == "I did not do it: somebody denied it: too much"
