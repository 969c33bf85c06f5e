"""Slack's deliveries and the bots that take them, on virtual time: what is not acknowledged comes again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any

from slack_bolt import BoltResponse

from bot.access import AccessPolicy
from bot.app import App, build, deliver
from bot.cards.card import Card
from bot.catch_up import CatchUp
from bot.dispatch import dispatch, is_done
from bot.history import History
from bot.listening import Listening
from bot.recall import Recall
from bot.redraw import Redraws
from everthread.settings import Settings
from playground.scenarios.simulated_slack import ME, StandinSlack
from playground.simulation.baton import Process
from playground.simulation.fleet import Fleet, Member
from playground.simulation.pool import MakeGate
from playground.standins.slack.outbox import Delivery
from playground.standins.slack.response_url import use
from worker.pace import turn_of

Json = dict[str, Any]


class SimulatedBots:
    """A host starts a bot again that died; `end` lets some go for good.

    It stands in the place of the stand-in's outbox.
    """

    def __init__(
        self, fleet: Fleet, slack: StandinSlack, settings: Settings, gate: MakeGate, ring: Callable[[str], bool]
    ) -> None:
        self._fleet, self._slack, self._settings, self._gate, self._ring = fleet, slack, settings, gate, ring
        self._bots: list[_Bot] = []
        self._turn = 0
        self._under_way = 0
        self.deliveries: list[Delivery] = []
        slack.standin.outbox = self  # type: ignore[assignment]  # it is sent through as through an outbox

    @property
    def catch_up(self) -> bool:
        """Whether bots read the history: only where Slack gives up at once, for it takes its time."""
        return not self._slack.standin.settings.retry_delays

    @property
    def busy(self) -> bool:
        return self._under_way > 0

    def start(self, count: int) -> None:
        for _ in range(count):
            member = self._fleet.member(f"bot{len(self._fleet.members)}", self._gate())
            recall = Recall(ME.team, member.store.waits, self._wake, self._settings.recall)
            bot = _Bot(member, self._app(member), recall)
            self._bots.append(bot)
            self._connect(bot)

    def drop(self) -> None:
        """Every bot loses its connection, and has another one."""
        for bot in self._bots:
            self._connect(bot)

    def _connect(self, bot: _Bot) -> None:
        bot.connections += 1
        look = partial(bot.recall.look, bot.connections)
        self._fleet.baton.start(bot.member.process, "recall", look)
        self._slack.standin.journal.add("socket.connected")

    def end(self, count: int | None = None) -> list[Process]:
        """Let bots go, all unless told how many; their processes."""
        gone, self._bots = self._bots[:count], [] if count is None else self._bots[count:]
        return [bot.member.process for bot in gone]

    def send(self, kind: str, payload: Json, *, first_attempt: int = 0, **about: Any) -> Delivery:
        """Deliver a payload until a bot takes it or Slack gives up.

        What tells of our own messages, which no bot heeds, is left out: there are many.
        """
        delivery = Delivery(kind, payload, about, first_attempt)
        if _is_ours(payload.get("event") or {}):
            return delivery
        self.deliveries.append(delivery)
        self._under_way += 1
        self._slack.standin.journal.add("event.delivered", **delivery.dump())
        self._fleet.baton.start(self._fleet.host.process, f"deliver {about}", partial(self._carry, delivery))
        return delivery

    def _app(self, member: Member) -> App:
        """A bot as it is composed, but for its threads."""
        settings, workspace = self._settings, member.store.workspace
        client = self._slack.client(member.process, member.gate)
        turn = partial(turn_of, workspace, ME.team, member.process.name, "read", urgent=False)
        history = History(client, ME.team, member.store, member.clock, member.threads, turn)
        catch_up = CatchUp(ME, workspace, history, member.clock, member.threads, settings.catch_up)
        app = build(
            client,
            me=ME,
            store=member.store,
            ring=self._wake,
            clock=member.clock,
            ids=self._fleet.ids,
            policy=AccessPolicy(settings.people, settings.groups, settings.channels, settings.guests, settings.foreign),
            stopper=settings.stop_by,
            listening=Listening(settings.listen, settings.listen_in),
            missed=catch_up.missed,
            redraws=_Redraws(self._slack),
        )
        app.listener_runner.listener_executor = _AtOnce()
        catch_up.deliver = partial(deliver, app)
        if self.catch_up:
            catch_up.start(lambda: 1)
        return app

    def _carry(self, delivery: Delivery) -> None:
        """Slack's side of one delivery: to one bot after the other, as often as Slack does it."""
        slack, again = self._slack.standin, delivery.kind == "events_api"
        for delay in (0.0, *(slack.settings.retry_delays if again else ())):
            if delivery.attempts:
                nobody = not self._bots
                self._fleet.baton.wait_until(lambda nobody=nobody: nobody and bool(self._bots), delay)  # type: ignore[misc]
            delivery.attempts += 1
            if (answered := self._try(delivery)) is not None:
                delivery.acked, delivery.answer = True, answered
                slack.journal.add("event.acked", **delivery.dump())
                break
        else:
            delivery.lost = True
            slack.journal.add("event.lost", **delivery.dump())
        self._under_way -= 1

    def _try(self, delivery: Delivery) -> Json | None:
        """What a bot answered; None when nobody took it."""
        if not self._bots:
            return None
        self._turn += 1
        bot = self._bots[self._turn % len(self._bots)]
        answers: list[BoltResponse] = []

        def take() -> None:
            again = delivery.first_attempt + delivery.attempts - 1
            answers.append(dispatch(bot.app, delivery.payload, {"x-slack-retry-num": str(again)}))

        task = self._fleet.baton.start(bot.member.process, "listen", take)
        task.join()
        if task.raised is not None:
            raise task.raised
        if bot.member.process.dead:
            self._replace(bot)
            return None
        [answer] = answers
        return (json.loads(answer.body) if answer.body else {}) if is_done(answer) else None

    def _replace(self, dead: _Bot) -> None:
        if dead in self._bots:
            self._bots.remove(dead)
            self.start(1)

    def _wake(self, thread: str) -> None:
        self._ring(thread)


@dataclass(eq=False, slots=True)
class _Bot:
    """A bot process. connections: how often it was connected."""

    member: Member
    app: App
    recall: Recall
    connections: int = 0


class _Redraws(Redraws):
    """The same without a network between."""

    def __init__(self, slack: StandinSlack) -> None:
        self._slack = slack

    def replace(self, url: str, card: Card) -> bool:
        body = {"text": card.text, "blocks": card.blocks, "replace_original": True}
        return use(self._slack.standin, url.rpartition("/")[2], body)[0] == HTTPStatus.OK


class _AtOnce(Executor):
    """Does on the spot what Bolt would do on a thread of its own, which no baton holds."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        work(*args, **named)
        return Future()


def _is_ours(event: Mapping[str, Any]) -> bool:
    said = event.get("message") or event.get("previous_message") or event
    return bool(isinstance(said, Mapping) and said.get("bot_id"))
