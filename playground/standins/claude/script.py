"""A scenario's model: which turn answers which conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playground.standins.claude.refused import Refused
from playground.standins.claude.transcript import Json, Transcript, step
from playground.standins.claude.turn import Turn
from store.values import form


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
        number = 0
        for at in transcript.answers():
            told = _told(transcript, at, turns[number:], given)
            if told is None:
                raise Refused(_mismatch(transcript, at, turns[number:], number))
            number += told
        if number >= len(turns):
            raise Refused(
                f"transcript does not match the script: it has {len(turns)} turns for {transcript.prompt[:80]!r}, "
                "and all were given"
            )
        return turns[number], number

    def _group(self, prompt: str) -> list[Turn]:
        found = [(prompt.rfind(on), len(on), on) for on in self._groups if on and on in prompt]
        on = max(found)[2] if found else ""
        if on not in self._groups:
            raise Refused(f"transcript does not match the script: nothing in it answers {prompt[:80]!r}")
        return self._groups[on]


def _told(transcript: Transcript, at: int, turns: Sequence[Turn], given: Mapping[str, Given]) -> int | None:
    """How many of the turns this message tells: more than one if they paused and were joined; None: not these."""
    got, said = transcript.messages[at]["content"], transcript.said[at]
    wanted: list[Json] = []
    ids = True
    for count, scripted in enumerate(turns, 1):
        told = given.get(said, Given(scripted))
        content, _ = form(told.turn.content(said))  # what no JSON can hold cannot come back as it was
        said = step(said, "assistant", content)
        wanted += content[:-1] if told.turn.cuts_last_call else content
        ids = ids and not told.ids_damaged
        if _parts(wanted, ids=ids) == _parts(got, ids=ids):
            return count
        if told.turn.stop != "pause_turn":
            return None
    return None


def _mismatch(transcript: Transcript, at: int, turns: Sequence[Turn], number: int) -> str:
    where = f"transcript does not match the script: messages.{at}"
    if not turns:
        return f"{where} is one turn more than it has for {transcript.prompt[:80]!r}"
    wanted = _parts(turns[0].content(transcript.said[at]), ids=True)
    got = _parts(transcript.messages[at]["content"], ids=True)
    differing = next((what for what in wanted if wanted[what] != got[what]), "calls")
    return f"{where} should be turn {number} with {differing} {wanted[differing]!r}, not {got[differing]!r}"


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
