"""From records to the messages of a model request.

The transcript only grows: what the model signed stays valid because the same records always give the same prefix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from store.record import Record
from store.submission import Submission
from worker.agent import binding
from worker.state import CommittedTurn, RunState
from worker.surroundings import minute, told

Message = dict[str, Any]
THINKING = ("thinking", "redacted_thinking")

INTERRUPTED = (
    "[interrupted] The process that ran this call stopped before it finished. "
    "Its effect may or may not have happened: check before you run it again."
)
ENDINGS = {
    "aborted": "(This request was stopped before it was answered.)",
    "failed": "(This request failed before it was answered.)",
    "healed": "(This request was closed before it was answered.)",
}
DELETED_ENDING = "(This request was deleted before it was answered.)"
OPEN_ENDING = "(This request is not answered yet: it waits for an operator.)"


def words(submission: Submission) -> str:
    """One input as the model reads it: its time and author, then the text and what is attached to it."""
    files = f"\n[attached: {', '.join(submission.files)}]" if submission.files else ""
    return f"[{minute(submission.ts)}] <@{submission.author}>: {submission.text}{files}"


def history(before: Iterable[RunState], definition: Mapping[str, Any]) -> list[Message]:
    """The thread's earlier runs as they stand; their thinking only where it was under the same definition."""
    bound = binding(definition)
    found: list[Message] = []
    for run in before:
        found += _run_messages(run, thinking=binding(run.definition) == bound)
        if run.settled is None or run.settled.body["status"] != "completed":
            found.append(_said(_ending(run)))
    return found


class Transcript:
    """What came before, then this run's input and its committed turns; roles alternate.

    It is put together once and then grows by a turn, so that the thousandth turn costs what the first did.
    """

    def __init__(self, earlier: Sequence[Message], current: RunState) -> None:
        self._messages: list[Message] = []
        for message in (*earlier, *_run_messages(current, thinking=True)):
            self._append(message)

    def messages(self) -> Sequence[Message]:
        """The transcript itself, not a copy, which would cost more with every turn: only to be read, and at once."""
        return self._messages

    def add(self, turn: CommittedTurn) -> None:
        for message in _turn_messages(turn, thinking=True):
            self._append(message)

    def _append(self, message: Message) -> None:
        """Neighbours of one role become one message, empty ones go."""
        if not message["content"]:
            return
        if self._messages and self._messages[-1]["role"] == message["role"]:
            last = self._messages[-1]
            message = {"role": last["role"], "content": [*last["content"], *message["content"]]}
            self._messages[-1] = message
        else:
            self._messages.append(message)


def result_block(record: Record) -> Message:
    """One tool call's outcome as the model gets it."""
    block: Message = {"type": "tool_result", "tool_use_id": record.key.call, "content": outcome_text(record)}
    if record.state != "done":
        block["is_error"] = True
    return block


def outcome_text(record: Record) -> str:
    match record.state:
        case "done":
            return str(record.body["output"]) or "(no output)"
        case "interrupted":
            return INTERRUPTED
        case _:
            return str(record.body["error"]["message"])


def text_of(content: Sequence[Mapping[str, Any]]) -> str:
    """What an answer says to people."""
    return "\n\n".join(str(block["text"]) for block in content if block.get("type") == "text" and block["text"])


def _said(text: str) -> Message:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def _ending(run: RunState) -> str:
    if run.settled is None:
        return OPEN_ENDING
    if run.settled.body.get("why") == "deleted":
        return DELETED_ENDING
    return str(run.settled.body.get("text") or ENDINGS[run.settled.body["status"]])


def _run_messages(run: RunState, *, thinking: bool) -> list[Message]:
    texts = [*told(run.start.body), words(run.input)]
    found: list[Message] = [{"role": "user", "content": [{"type": "text", "text": text} for text in texts]}]
    for turn in run.turns:
        found += _turn_messages(turn, thinking=thinking)
    return found


def _turn_messages(turn: CommittedTurn, *, thinking: bool) -> list[Message]:
    found: list[Message] = [{"role": "assistant", "content": content_of(turn.model, thinking=thinking)}]
    if turn.results:
        found.append({"role": "user", "content": [result_block(result) for result in turn.results]})
    return found


def content_of(model: Record, *, thinking: bool) -> list[Message]:
    """An answer's blocks as they came, less what the service would refuse to read again."""
    return [
        block
        for block in model.body["content"]
        if (thinking or block.get("type") not in THINKING) and not (block.get("type") == "text" and not block["text"])
    ]
