"""What people do in a real play, with messages, with Slack's own controls and with its conversations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

from playground.scenarios.happenings import BOT_IS_UP, Happening, Happenings, Match, NothingHappened
from playground.scenarios.surface import Surface, filled_in
from playground.standins.slack.client import SlackStandin
from playground.standins.slack.people import TEAM
from store.protocol import Store

T = TypeVar("T")
SOON = 15.0
TRIES, AGAIN_SECONDS = 4, 2.0
"""How often somebody does it whom nobody heard, and how long they wait for a bot in between."""


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
        self._surface = Surface(stage.happenings)
        self.messages: dict[str, str] = {}
        self.said = False
        self.threads: dict[str, tuple[str, str]] = {}
        """Name → channel and ts of the first message."""

    def await_one(self, match: Match, describe: str) -> Happening:
        return self._where.happenings.wait(match, describe, timeout=SOON)

    def until(self, true: Callable[[], bool], describe: str, seconds: float = SOON) -> None:
        """Wait until it is true; `NothingHappened` after so many seconds."""
        self._where.happenings.until(true, describe, timeout=seconds)

    def ts_of(self, message: str) -> str:
        if message not in self.messages:
            raise NothingHappened(f"nobody has said {message!r}")
        return self.messages[message]

    def _says(self, text: str, acts: Mapping[str, Any]) -> None:
        for _ in range(int(acts.get("times", 1))):
            self._say(text, acts)

    def _say(self, text: str, acts: Mapping[str, Any]) -> None:
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

    def _deletes_card(self, text: str, acts: Mapping[str, Any]) -> None:
        card = self._await(lambda: self._surface.card(text) or None, f"a card with {text!r}")
        self._where.slack.delete(card, acts.get("user", "ada"))

    def _clicks(self, label: str, acts: Mapping[str, Any]) -> None:
        """Presses the button once a message shows it."""
        user, stale = acts.get("user", "ann"), bool(acts.get("stale"))
        thread = self.threads[acts["thread"]][1] if "thread" in acts else ""
        look = partial(self._surface.button, label, user, thread, stale=stale)
        button = self._await(look, f"a button {label!r}")
        values = filled_in(button.blocks, acts["picks"]) if "picks" in acts else None
        self._insist(partial(self._where.slack.click, user, button.action, button.ts, values=values, stale=stale))

    def _submits(self, given: Sequence[Any], acts: Mapping[str, Any]) -> None:
        """Sends the window once it is there."""
        user = acts.get("user", "ann")
        window = self._await(partial(self._surface.window, user), f"a window that {user} can send")
        values = filled_in(window["blocks"], given)
        self._insist(partial(self._where.slack.submit_view, user, values, view=window["id"]))

    def _await(self, look: Callable[[], T | None], describe: str) -> T:
        """What `look` finds, once it finds anything."""
        found: list[T] = []

        def is_there() -> bool:
            if (one := look()) is not None:
                found.append(one)
            return bool(found)

        self.until(is_there, describe)
        return found[0]

    def _insist(self, act: Callable[[], Mapping[str, Any]]) -> None:
        """Whoever sees Slack's warning sign, because no bot took it, does it again, a few times at most."""
        for _ in range(TRIES):
            count = self._where.happenings.count
            if act()["acked"]:
                return
            with suppress(NothingHappened):
                self.until(lambda count=count: self._is_somebody_up(count), "a bot", AGAIN_SECONDS)  # type: ignore[misc]

    def _is_somebody_up(self, since: int) -> bool:
        return any(one.kind in BOT_IS_UP for one in self._where.happenings.since(since))

    def last_deadline(self) -> float:
        """When the last of what is asked now counts as unanswered, in wall-clock seconds; 0 where nothing does."""
        waits = self._where.store.waits.open(TEAM, limit=1000).waits
        return max((wait.deadline for wait in waits), default=0.0)

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
