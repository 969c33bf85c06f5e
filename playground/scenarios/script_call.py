"""One call of a script of ours on its way to the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playground.scenarios.commit_words import committed, thread_of
from store.submission import Submission
from store.values import decode


class ScriptCall:
    """nth: its number among the calls of its name, 0 where nobody counts them."""

    __slots__ = ("arguments", "keys", "name", "nth")

    def __init__(self, name: str, words: list[bytes]) -> None:
        count = int(words[2])
        self.name, self.nth = name, 0
        self.keys = [word.decode() for word in words[3 : 3 + count]]
        self.arguments = [word.decode("utf-8", "replace") for word in words[3 + count :]]

    @property
    def owner(self) -> int | None:
        """The process that a claim names as the owner: `<boot>:<pid>:<start>:<random>`."""
        return int(self.arguments[1].split(":")[1]) if self.name == "claim" else None

    def landed(self, answer: Any) -> bool:
        """Whether the store took it; a refusal is an exception object."""
        return not isinstance(answer, Exception)

    def told(self, answer: Any, pid: int | None) -> Mapping[str, Any]:
        """The happening that this call and its answer are."""
        if not self.landed(answer):
            return {"kind": "store.refused", "name": self.name, "why": str(answer), "pid": pid}
        about: dict[str, Any] = {"kind": f"store.{self.name}", "pid": pid}
        match self.name:
            case "admit":
                said = Submission.from_mapping(decode(self.arguments[5]))
                about |= {"word": answer[0], "run": answer[1], "thread": answer[2], "ts": said.ts}
            case "commit":
                about |= self._committed(answer)
            case "claim":
                about |= {"thread": self.arguments[0], "won": answer[0] == "CLAIMED"}
                about |= {"ended": answer[3]} if answer[0] == "CLAIMED" else {}
            case "release":
                about |= {"thread": self.arguments[1], "mode": self.arguments[2], "over": answer[0] == "RELEASED"}
            case "answer":
                about |= {"thread": self.arguments[0], "wait": self.arguments[1], "how": answer[0]}
            case "retract":
                about |= {"withdrawn": [answer[1]] if answer[0] == "WITHDRAWN" else []}
            case "withdraw":
                about |= {"withdrawn": [decode(raw)["run"] for raw in answer]}
            case "stop":
                about |= {"run": self.arguments[1], "word": answer}
        return about

    def _committed(self, answer: Any) -> dict[str, Any]:
        what = committed(self.arguments)
        return {
            "thread": thread_of(self.keys[0]),
            "run": what.run,
            "records": [(key.call, state) for key, state in what.records],
            "calls": dict(what.calls),
            "head": dict(what.head),
            "due": what.due,
            "done": what.done,
            "closed": what.closed,
            "over": what.over(),
            "words": what.words,
            "again": answer[0] == "AGAIN",
            "nth": self.nth,
        }
