"""The buttons of a run's reply, and what they carry."""

from __future__ import annotations

from dataclasses import dataclass

from bot.cards.card import Block, plain
from store.thread import ThreadId
from store.view import RunView

STOP, DROP = "everthread_stop", "everthread_drop"
"""Action ids: stop the run; drop the messages that wait behind it."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What a button is about; written `thread|run|asker`."""

    thread: ThreadId
    run: str
    asker: str

    def __str__(self) -> str:
        return f"{self.thread}|{self.run}|{self.asker}"

    @classmethod
    def parse(cls, value: str) -> Aim:
        """ValueError where the value is not one of ours."""
        thread, run, *asker = value.split("|")
        if not run or len(asker) > 1 or not value.isascii():
            raise ValueError(f"{value!r} is not a button's value: it is written thread|run|asker")
        return cls(ThreadId.parse(thread), run, "".join(asker))


def stop_button(view: RunView) -> Block:
    return _actions(view, STOP, "Stop", style="danger")


def drop_button(view: RunView) -> Block:
    return _actions(view, DROP, f"Drop {waiting(view.queued)}")


def waiting(count: int) -> str:
    """`1 message`, `2 messages`."""
    return f"{count} message{'' if count == 1 else 's'}"


def _actions(view: RunView, action: str, label: str, **extra: str) -> Block:
    value = f"{view.thread}|{view.run}|{view.asker}"
    button = {"type": "button", "action_id": action, "text": plain(label), "value": value, **extra}
    return {"type": "actions", "elements": [button]}
