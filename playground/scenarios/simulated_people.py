"""What people do in a simulated play: the stand-in's own gestures, called instead of asked for over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from playground.scenarios.gestures import Gestures
from playground.scenarios.happenings import Happening, Happenings, Match, NothingHappened
from playground.scenarios.simulated_slack import StandinSlack
from playground.simulation.baton import Baton
from playground.standins.slack import acts, gestures, places
from playground.standins.slack.client import SlackStandin
from playground.standins.slack.client_gestures import in_json
from playground.standins.slack.control_gestures import files_of
from playground.standins.slack.message import Json
from playground.standins.slack.outbox import Delivery
from playground.standins.slack.people import BOT_NAME
from store.protocol import Store

PATIENCE = 600.0
"""Virtual seconds that anything may take."""

Order = Literal["mention_first", "message_first"] | None


class People(Gestures):
    """The same gestures on virtual time; `store` is looked at from outside."""

    def __init__(self, slack: StandinSlack, store: Store, happenings: Happenings, baton: Baton) -> None:
        self.slack, self.store, self.happenings = cast("SlackStandin", _Client(slack, baton)), store, happenings
        self._baton = baton
        super().__init__(self)

    def await_one(self, match: Match, describe: str) -> Happening:
        found: list[Happening] = []
        seen = 0

        def met() -> bool:
            nonlocal seen
            news = self.happenings.since(seen)
            seen += len(news)
            found.extend(one for one in news if match(one))
            return bool(found)

        if not self._baton.wait_until(met, PATIENCE):
            raise NothingHappened(describe)
        return found[0]

    def until(self, true: Callable[[], bool], describe: str, seconds: float = PATIENCE) -> None:
        if not self._baton.wait_until(true, seconds):
            raise NothingHappened(describe)


class _Client:
    """As much of the stand-in's client as gestures need."""

    def __init__(self, slack: StandinSlack, baton: Baton) -> None:
        self._slack, self._baton = slack.standin, baton

    def say(
        self,
        user: str,
        channel: str,
        text: str,
        thread: str | None = None,
        *,
        order: Order = None,
        files: Mapping[str, Any] | None = None,
    ) -> str:
        return acts.say(self._slack, user, channel, text, thread, order, files_of({"files": in_json(files)})).ts

    def edit(self, ts: str, text: str) -> None:
        acts.edit(self._slack, ts, text)

    def delete(self, ts: str, user: str | None = None) -> None:
        acts.delete(self._slack, ts, user)

    def click(self, user: str, action_id: str, ts: str, *, values: Json | None = None, stale: bool = False) -> Json:
        return self._over(acts.click(self._slack, user, action_id, ts, values=values, stale=stale))

    def submit_view(self, user: str, values: Json | None = None, *, view: str | None = None) -> Json:
        found = gestures.view_of(self._slack, user, view)
        sent = gestures.send_view(self._slack, user, found, values or {})
        self._over(sent)
        return gestures.respond(self._slack, user, found, sent)

    def _over(self, sent: Delivery) -> Json:
        self._baton.wait_until(lambda: sent.acked or sent.lost, None)
        return sent.dump()

    def redeliver(self, ts: str, *, times: int = 1, fresh: bool = False) -> None:
        acts.redeliver(self._slack, ts, event=None, times=times, fresh=fresh)

    def open_home(self, user: str, tab: str) -> None:
        gestures.open_home(self._slack, user, tab)

    def stop_session(self, user: str, channel: str, thread: str) -> None:
        gestures.stop_session(self._slack, user, channel, thread)

    def archive(self, channel: str, *, by: str) -> None:
        places.archive(self._slack, channel, by, archived=True)

    def leave(self, channel: str, *, by: str) -> None:
        places.leave(self._slack, channel, BOT_NAME, by)
