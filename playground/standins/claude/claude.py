"""The model behind the stand-in: from a request to the answer it gets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from playground.standins.claude import checks
from playground.standins.claude.faults import Fault
from playground.standins.claude.order import check_order
from playground.standins.claude.refused import Refused
from playground.standins.claude.repertoire import improvise
from playground.standins.claude.script import Given, Script
from playground.standins.claude.signing import broken, sign
from playground.standins.claude.stream import Answer, usage_of
from playground.standins.claude.transcript import Json, Transcript
from playground.standins.claude.turn import Turn

MAX_PROMPT = 1_000_000  # tokens, of every current model


class StandinClaude:
    """Answers by what is asked alone; remembers only which answers went out damaged or paused, and the cache."""

    def __init__(self) -> None:
        self._script: Script | None = None
        self.forget()

    def forget(self) -> None:
        self._given: dict[str, Given] = {}
        self._paused: set[str] = set()
        self._cached: set[str] = set()

    def follow(self, turns: Iterable[Mapping[str, Any]] | None) -> None:
        """Answer from this script; None is the repertoire."""
        self._script = None if turns is None else Script(turns)

    @property
    def scripted(self) -> bool:
        return self._script is not None

    def read(self, body: Json) -> Transcript:
        """The conversation of a request that the real service would take, or `Refused`."""
        checks.check_body(body)
        transcript = Transcript.read(body)
        check_order(transcript, lambda n: transcript.cached[n] in self._paused)
        if wrong := broken(transcript):
            raise Refused(wrong)
        return transcript

    def turn(self, transcript: Transcript) -> tuple[Turn, int]:
        """What comes now and its number since the prompt, or `Refused` where the script has nothing."""
        if self._script is None:
            return improvise(transcript), len(transcript.answers())
        return self._script.next(transcript, self._given)

    def answer(self, body: Json, transcript: Transcript, turn: Turn, faults: Mapping[str, Fault]) -> Answer:
        """The turn as an answer to this request, damaged as the faults want it."""
        if stop := faults.get("stop"):
            turn = replace(turn, stop_reason=stop.stop_reason, stop_details=stop.stop_details)
        summarized = (body.get("thinking") or {}).get("display") == "summarized"
        content = sign(transcript, turn.content(transcript.said[-1], summarized=summarized))
        if ids := faults.get("ids"):
            content = _with_damaged_ids(content, empty=ids.how == "empty")
        if stop or ids:
            self._given[transcript.said[-1]] = Given(turn, ids_damaged=ids is not None)
        if turn.stop == "pause_turn":
            said = {"role": "assistant", "content": content}
            self._paused.add(replace(transcript, messages=[*transcript.messages, said]).cached[-1])
        usage = usage_of(transcript, content, _marked(body), self._cached)
        if sum(usage[key] for key in usage if key != "output_tokens") > MAX_PROMPT:
            raise Refused(f"prompt is too long: it has more than {MAX_PROMPT} tokens")
        return Answer(
            id=f"msg_{transcript.digest[:24]}",
            model=body["model"],
            content=content,
            stop_reason=turn.stop,
            stop_details=turn.stop_details,
            usage=usage,
            chunk=1 if any(fault.after for fault in faults.values()) else turn.chunk,
            cut_last_call=turn.cuts_last_call,
        )

    def count(self, transcript: Transcript) -> int:
        usage = usage_of(transcript, [], False, set())
        return int(usage["input_tokens"])


def _with_damaged_ids(content: list[Json], *, empty: bool) -> list[Json]:
    calls = [block for block in content if block["type"] == "tool_use"]
    damaged = "" if empty or not calls else calls[0]["id"]
    return [{**block, "id": damaged} if block["type"] == "tool_use" else block for block in content]


def _marked(body: Json) -> bool:
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    return any("cache_control" in block for content in contents for block in content)
