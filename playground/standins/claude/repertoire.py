"""What the stand-in says when nobody wrote it a script: enough for a good first impression.

It picks the tools it needs by their names from those the request declares, and says what it saw in their results.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from playground.standins.claude import prose
from playground.standins.claude.arguments import arguments, words
from playground.standins.claude.planning import follow, plan
from playground.standins.claude.questions import heard, questions
from playground.standins.claude.transcript import Json, Transcript
from playground.standins.claude.turn import Call, Turn

SPEED = 45.0  # tokens a second, about as fast as the real service

_TOOLS = {
    "time": r"time|clock|date",
    "note": r"(?:append|add|write|save|make)_note|note|remember|memo",
    "notes": r"(?:read|list|get)_(?:notes|memos)",
    "thread": r"thread|history|conversation",
    "post": r"post|webhook|charge|send",
    "charge": r"charge|pay",
    "fetch": r"fetch|browse|page",
    "ask": r"ask|question",
    "plan": r"plan",
}
"""Words of a tool's name by what it is good for."""
_INSTEAD = {"charge": "post"}
_NESTED: dict[str, tuple[str, Callable[[str], Json]]] = {"ask": ("questions", questions), "plan": ("steps", plan)}
"""Arguments that no schema tells: by what is asked for, a property by which such a tool is known, and all of them."""
_DANGEROUS = re.compile(r"post|webhook|fetch|charge|send|delete|write|pay|deploy|ask|plan", re.I)

# Somebody asks for it: it stands at the beginning of what they say, or behind a word that begins a request. Talking
# about a question, a plan or a charge is no request.
_DO = r"(?:^|[.!?;:,(\n]\s*|\b(?:please|then|and|now|just|(?:can|could|would|will) you|(?:want|like|need) you to)\s+)"

_STORY = r"\b(?:tell|write|give|say)\b.{0,20}\b(?:story|long (?:answer|text|reply)|something long)\b"
_ASKS: list[tuple[str, str]] = [
    (rf"{_DO}(?:run|use|call)\s+(?:[\w']+\s+){{0,3}}tools\b", "batch"),
    (r"\bwhat time is it\b|\bwhat(?:'s| is) the time(?! \w)|\btime is it\b|\bwhat day is (?:it|today)\b", "time"),
    (r"\b(?:your|our|my) notes\b|\byou to remember\b", "notes"),
    (rf"{_DO}(?:note|remember|write down|make a note)\b", "note"),
    (rf"{_DO}(?:read|summari[sz]e)\b.{{0,30}}\b(?:thread|conversation)\b", "thread"),
    (rf"{_DO}charge\b", "charge"),
    (rf"{_DO}(?:post|call the webhook)\b", "post"),
    (rf"{_DO}fetch\b|{_DO}(?:open|get|read|browse|look at|summari[sz]e)\b.{{0,40}}https?://|^<?https?://\S+$", "fetch"),
    (rf"{_DO}ask (?:me|(?:a|another|some) questions?)\b", "ask"),
    (rf"{_DO}(?:make|write|show|present|give|draw up)\b.{{0,15}}\bplan\b|{_DO}plan\b", "plan"),
    (_STORY, "story"),
    (rf"{_DO}(?:show|make|draw|give|write)\b.{{0,15}}\btable\b", "table"),
    (rf"{_DO}(?:show|write|give)\b.{{0,15}}\b(?:code|script|program)\b", "code"),
    (rf"{_DO}(?:hello|hi|hey|help)\b|\bwhat can you do\b", "help"),
]
"""What people ask for, as patterns; the first that is found counts."""


def improvise(transcript: Transcript) -> Turn:
    """The answer to this conversation; the same one whenever the same is asked."""
    turn = _after_tools(transcript) if transcript.results() else _first(transcript)
    return replace(turn, tokens_per_second=turn.tokens_per_second or SPEED, chunk=3)


def _first(transcript: Transcript) -> Turn:
    prompt = words(transcript.asked[-1])
    asked = next((name for pattern, name in _ASKS if re.search(pattern, prompt, re.I)), "")
    if asked in _SAYINGS:
        return _SAYINGS[asked](prompt)
    tools = [tool for tool in transcript.tools if "input_schema" in tool]
    if asked == "batch":
        return _batch(tools, prompt)
    if asked in _TOOLS:
        return _with_tool(asked, tools, prompt)
    return Turn(thinking=prose.PONDERING, text=prose.echo(prompt, [tool["name"] for tool in tools]))


def _with_tool(asked: str, tools: list[Json], prompt: str) -> Turn:
    named = re.compile(rf"(?:^|_)(?:{_TOOLS[asked]})(?:_|$)", re.I)
    chosen = next((tool for tool in tools if named.search(tool["name"])), None)
    if chosen is None:
        if asked in _INSTEAD:
            return _with_tool(_INSTEAD[asked], tools, prompt)
        return Turn(text=prose.no_tool(asked, [tool["name"] for tool in tools]))
    call = Call(chosen["name"], _arguments(asked, chosen["input_schema"], prompt))
    return Turn(thinking=f"`{chosen['name']}` can tell. One call is enough.", text=prose.BEFORE[asked], calls=(call,))


def _arguments(asked: str, schema: Json, prompt: str) -> Json:
    has, make = _NESTED.get(asked, ("", plan))
    return make(prompt) if has and has in (schema.get("properties") or {}) else arguments(schema, prompt)


def _batch(tools: list[Json], prompt: str) -> Turn:
    harmless = [tool for tool in tools if not _DANGEROUS.search(tool["name"])] or tools
    if not harmless:
        return Turn(text=prose.no_tool("batch", []))
    harmless = _named(harmless, prompt) or harmless
    chosen = [harmless[at % len(harmless)] for at in range(3)]
    calls = tuple(
        Call(tool["name"], arguments(tool["input_schema"], prompt, at // len(harmless)))
        for at, tool in enumerate(chosen)
    )
    return Turn(thinking="They do not depend on each other.", text=prose.BEFORE["batch"], calls=calls)


def _named(tools: list[Json], prompt: str) -> list[Json]:
    """The tools of whose name the prompt has a word, such as `read_metrics` where it says metrics."""
    said = {word for word in re.findall(r"[a-z]+", prompt.lower()) if word not in ("read", "run", "tool", "tools")}
    return [tool for tool in tools if said & set(tool["name"].lower().split("_"))]


def _after_tools(transcript: Transcript) -> Turn:
    called = {
        block["id"]: block["name"]
        for message in transcript.messages
        for block in message["content"]
        if block["type"] == "tool_use"
    }
    results = [
        (called.get(str(result["tool_use_id"]), "tool"), _said(result), bool(result.get("is_error")))
        for result in transcript.results()
    ]
    prompt = words(transcript.asked[-1])
    said = "\n".join(text for _, text, _ in results)
    if (turn := follow(transcript, prompt, said)) is not None:
        return turn
    if any(name == "ask_user" for name, _, _ in results) and (text := heard(said)):
        return Turn(text=text)
    if re.search(_STORY, prompt, re.I):
        return replace(_SAYINGS["story"](""), thinking=None, text=f"{prose.rows(results)}\n\n{prose.STORY}")
    return Turn(text=prose.report(results))


def _said(result: Json) -> str:
    content: Any = result.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", f"({block.get('type')})")) for block in content)


_SAYINGS: dict[str, Callable[[str], Turn]] = {
    "story": lambda _: Turn(thinking=prose.PONDERING, text=prose.STORY, tokens_per_second=25.0),
    "table": lambda _: Turn(text=prose.TABLE),
    "code": lambda _: Turn(text=prose.CODE),
    "help": lambda _: Turn(text=prose.HELP),
}
