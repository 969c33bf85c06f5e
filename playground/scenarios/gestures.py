"""What people do in a real play, with messages, with Slack's own controls and with its conversations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from playground.scenarios.happenings import Happening, Happenings, Match, NothingHappened
from playground.standins.slack.client import SlackStandin
from store.protocol import Store

SOON = 15.0


class Surroundings(Protocol):
    """Where gestures are made, for real or simulated."""

    @property
    def slack(self) -> SlackStandin: ...

    @property
    def store(self) -> Store: ...

    @property
    def happenings(self) -> Happenings: ...


class Gestures:
    """One method a key, called with its value and the whole step; it remembers which message is which."""

    def __init__(self, stage: Surroundings) -> None:
        self._where = stage
        self.messages: dict[str, str] = {}
        self.said = False
        self.threads: dict[str, tuple[str, str]] = {}
        """Name → channel and ts of the first message."""

    def await_one(self, match: Match, describe: str) -> Happening:
        return self._where.happenings.wait(match, describe, timeout=SOON)

    def ts_of(self, message: str) -> str:
        if message not in self.messages:
            raise NothingHappened(f"nobody has said {message!r}")
        return self.messages[message]

    def _says(self, text: str, acts: Mapping[str, Any]) -> None:
        slack, name = self._where.slack, acts.get("thread", "main")
        channel, root = self.threads.get(name, (acts.get("channel", "general"), None))
        order, files = acts.get("order"), acts.get("files")
        ts = slack.say(acts.get("user", "ann"), channel, text, root, order=order, files=files)
        self.messages[acts.get("as", text)] = ts
        self.await_one(lambda one: one.kind == "slack.message.posted" and one["ts"] == ts, f"{text!r} is said")
        self.said = True
        self.threads.setdefault(name, (channel, ts))

    def _edits(self, message: str, acts: Mapping[str, Any]) -> None:
        self._where.slack.edit(self.ts_of(message), acts.get("to", ""))

    def _deletes(self, message: str, _acts: Mapping[str, Any]) -> None:
        self._where.slack.delete(self.ts_of(message))

    def _deletes_reply(self, message: str, acts: Mapping[str, Any]) -> None:
        run = self._admitted(message)["run"]
        reply = self.await_one(
            lambda one: one.kind == "slack.message.posted" and _is_reply_of(run, one), f"the reply to {message!r}"
        )
        self._where.slack.delete(reply["ts"], acts.get("user", "ada"))

    def _clicks(self, label: str, acts: Mapping[str, Any]) -> None:
        """Presses the button once a reply shows it."""
        shown = self.await_one(
            lambda one: bool(one["from_app"]) and _button(one, label) is not None, f"a button {label!r}"
        )
        stale = bool(acts.get("stale"))
        self._where.slack.click(acts.get("user", "ann"), _button(shown, label) or "", shown["ts"], stale=stale)

    def _stops(self, message: str, acts: Mapping[str, Any]) -> None:
        admitted = self._admitted(message)
        self._where.store.admissions.stop(admitted["thread"], admitted["run"], acts.get("user", "ann"))

    def _redeliver(self, message: str, acts: Mapping[str, Any]) -> None:
        times = int(acts.get("times", 1))
        self._where.slack.redeliver(self.ts_of(message), times=times, fresh=bool(acts.get("fresh")))

    def _commands(self, line: str, acts: Mapping[str, Any]) -> None:
        command, _, text = line.partition(" ")
        channel, root = self.threads.get(acts.get("thread", ""), (acts.get("channel", "general"), None))
        self._where.slack.slash(acts.get("user", "ann"), channel, command, text, thread=root)

    def _opens(self, tab: str, acts: Mapping[str, Any]) -> None:
        self._where.slack.open_home(acts.get("user", "ann"), tab)

    def _slack_stop(self, thread: str, acts: Mapping[str, Any]) -> None:
        channel, root = self.threads[thread]
        self._where.slack.stop_session(acts.get("user", "ann"), channel, root)

    def _archives(self, channel: str, acts: Mapping[str, Any]) -> None:
        self._where.slack.archive(channel, by=acts.get("user", "ada"))

    def _removes(self, channel: str, acts: Mapping[str, Any]) -> None:
        self._where.slack.leave(channel, by=acts.get("user", "ada"))

    def _admitted(self, message: str) -> Happening:
        ts = self.ts_of(message)
        return self.await_one(lambda one: one.kind == "store.admit" and one["ts"] == ts, f"{message!r} is taken")


def _is_reply_of(run: str, one: Happening) -> bool:
    told = (one["metadata"] or {}).get("event_payload") or {}
    return bool((told.get("run"), told.get("part")) == (run, "reply"))


def _button(shown: Happening, label: str) -> str | None:
    """The action of the button with this label in a message."""
    for block in shown["blocks"] or ():
        for element in block.get("elements") or ():
            if element.get("type") == "button" and element["text"]["text"].startswith(label):
                return str(element["action_id"])
    return None
