"""A scenario's model: which turn answers which conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from playground.standins.claude.refused import Refused
from playground.standins.claude.transcript import Json, Transcript
from playground.standins.claude.turn import Turn


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that a fault made differ from its turn, so that its coming back is no surprise."""

    turn: Turn
    ids_damaged: bool = False


class Script:
    """Groups of turns; the group whose `on` stands last in the prompt answers it, else the one without."""

    def __init__(self, turns: Iterable[Mapping[str, Any]]) -> None:
        self._groups: dict[str, list[Turn]] = {}
        group = ""
        for given in turns:
            turn = Turn.parse(given)
            group = turn.on or group
            self._groups.setdefault(group, []).append(turn)

    def next(self, transcript: Transcript, given: Mapping[str, Given]) -> tuple[Turn, int]:
        """The turn that comes now and its number in its group, or `Refused`.

        given: by what was said before them, the answers that went out other than scripted.
        """
        turns = self._group(transcript.prompt)
        answers = transcript.answers()
        for number, at in enumerate(answers):
            if number >= len(turns):
                break
            altered = given.get(transcript.said[at])
            expected = altered or Given(turns[number])
            if difference := _difference(transcript, at, expected):
                raise Refused(f"transcript does not match the script: turn {number} (messages.{at}) {difference}")
        if len(answers) >= len(turns):
            raise Refused(
                f"transcript does not match the script: it has {len(turns)} turns for {transcript.prompt[:80]!r}, "
                f"and {len(answers)} were given"
            )
        return turns[len(answers)], len(answers)

    def _group(self, prompt: str) -> list[Turn]:
        found = [(prompt.rfind(on), len(on), on) for on in self._groups if on and on in prompt]
        on = max(found)[2] if found else ""
        if on not in self._groups:
            raise Refused(f"transcript does not match the script: nothing in it answers {prompt[:80]!r}")
        return self._groups[on]


def _difference(transcript: Transcript, at: int, expected: Given) -> str:
    turn, content = expected.turn, transcript.messages[at]["content"]
    for what, wanted in _parts(turn.content(transcript, at), ids=not expected.ids_damaged).items():
        if turn.cuts_last_call and what == "calls":
            wanted = wanted[:-1]
        got = _parts(content, ids=not expected.ids_damaged)[what]
        if got != wanted:
            return f"should have {what} {wanted!r}, not {got!r}"
    return ""


def _parts(content: list[Json], *, ids: bool) -> dict[str, Any]:
    kinds = ("thinking", "redacted_thinking", "text", "tool_use")
    return {
        "thinking": [block["type"] for block in content if block["type"] in kinds[:2]],
        "text": "".join(block["text"] for block in content if block["type"] == "text"),
        "blocks": [block for block in content if block["type"] not in kinds],
        "calls": [
            {key: block[key] for key in (("id", "name", "input") if ids else ("name", "input"))}
            for block in content
            if block["type"] == "tool_use"
        ],
    }
