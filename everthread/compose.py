"""The composition root: the one place where bot, worker and store meet, and where it stands what is behind what."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

from redis import Redis

from bot.access import Access, AccessPolicy
from bot.app import App, build, deliver
from bot.catch_up import CatchUp
from bot.client import slack_client
from bot.groups import Groups
from bot.history import History
from bot.identity import Identity, whoami
from bot.listening import Listening
from bot.operators import Operators
from bot.people import People
from bot.recall import Recall
from bot.reply import replies
from bot.request_url import RequestUrl
from bot.socket import Sockets
from everthread.agent import agent_of
from everthread.answering import approvers_of, groups_of, rules_of
from everthread.desk.desk import OperatorsDesk
from everthread.exits import EVICTING_REDIS, NO_REDIS, NO_SERVICE, SETTINGS, TOKEN, CannotStart
from everthread.health import Check, Health, store_answers, worker_seen
from everthread.settings import Settings
from everthread.web import Application, WebServer
from store.errors import RunSuspended
from store.ports import ReplyError
from store.protocol import Store
from store.redis import open_store
from store.redis.check import check, connection_limit
from store.redis.connection import for_bot, for_bot_wakes, for_signals, for_tenure, for_wakes
from store.system import SystemClock, SystemIds, SystemThreads
from worker.drain import Drain
from worker.model.prices import cost
from worker.pace import paced, turn_of
from worker.process import owner
from worker.process.job import Work
from worker.process.pool import Makers, Pool
from worker.process.wake import Wake
from worker.services import Limits, Services
from worker.tenure import work_thread

CONNECTIONS_PER_WORKER = 5
CONNECTIONS_BESIDE = 5
"""The bot's and the sweep's."""
DAY = 86_400.0
RIGHTS_LAST = 60.0
"""Seconds for which a worker does not ask again whether a person may use the agent."""
SLACK_PAUSE = 30.0
"""Seconds until a run is tried again that only Slack holds up."""

log = logging.getLogger(__name__)
clock, ids, threads = SystemClock(), SystemIds(), SystemThreads()


class Composition:
    """What the settings stand for. Nothing is connected before it is asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.redis_url = settings.redis_url.get_secret_value() if settings.redis_url else ""
        token = settings.slack_bot_token.get_secret_value() if settings.slack_bot_token else ""
        where = {"base_url": settings.slack_api_url.rstrip("/") + "/"} if settings.slack_api_url else {}
        self.slack = slack_client(token, **where)
        self.policy = AccessPolicy(
            settings.people,
            settings.groups,
            settings.channels,
            settings.guests,
            settings.foreign,
            settings.other_bots,
        )

    def check_redis(self) -> None:
        """Say what is wrong with the server; `CannotStart` when nothing may rely on it."""
        for verdict in check(self.redis_url, verify=self.settings.verify_tls):
            if verdict.fatal:
                raise CannotStart(NO_REDIS if verdict.kind == "unreachable" else EVICTING_REDIS, verdict.line)
            log.warning("%s", verdict.line)

    def identity(self) -> Identity:
        """Who we are in Slack; `CannotStart` when the token is refused or Slack is away."""
        try:
            return whoami(self.slack)
        except ReplyError as error:
            raise cannot_start(error) from error

    def bot_store(self) -> Store:
        return self._open(self._redis(for_bot))

    def tenure_store(self) -> Store:
        return self._open(self._redis(for_tenure), self._redis(for_signals))

    def sockets(self, me: Identity, store: Store, catch_up: CatchUp) -> Sockets:
        """The bot behind its connections to Slack, not yet connected."""
        token = self.settings.slack_app_token
        return Sockets(
            self._app(me, store, catch_up), token.get_secret_value() if token else "", bots=self.settings.bots
        )

    def request_url(self, me: Identity, store: Store, catch_up: CatchUp) -> RequestUrl:
        """The bot behind the address that Slack posts to."""
        secret = self.settings.slack_signing_secret
        return RequestUrl(self._app(me, store, catch_up), secret.get_secret_value() if secret else "", clock)

    def health(self, me: Identity, store: Store, slack: Check) -> Health:
        checks = {
            "slack": slack,
            "store": store_answers(store.inventory, me.team),
            "workers": worker_seen(store.inventory, me.team, clock),
        }
        return Health(checks)

    def web(self, routes: Mapping[str, Application], largest_body: int = 65_536) -> WebServer:
        """Listening, not yet answering; `CannotStart` when the port cannot be had."""
        bind, port = self.settings.bind, self.settings.port or 0
        try:
            return WebServer(bind, port, routes, clock, largest_body)
        except OSError as error:
            raise CannotStart(SETTINGS, f"PORT: cannot listen on {bind}:{port}: {error}") from error

    def catch_up(self, me: Identity, store: Store) -> CatchUp:
        """What reads Slack's history for what was missed; not yet started."""
        turn = partial(turn_of, store.workspace, me.team, ids.new("reader"), "read", urgent=False)
        history = History(self.slack, me.team, store, clock, threads, turn)
        return CatchUp(me, store.workspace, history, clock, threads, self.settings.catch_up)

    def _app(self, me: Identity, store: Store, catch_up: CatchUp) -> App:
        wake = Wake(self._redis(for_bot_wakes))

        def ring(thread: str) -> None:
            wake.ring(thread)

        settings = self.settings
        desk = OperatorsDesk(store, me.team, clock, settings, ring)
        app = build(
            self.slack,
            me=me,
            store=store,
            ring=ring,
            clock=clock,
            ids=ids,
            policy=self.policy,
            stopper=self.settings.stop_by,
            stop_words=self.settings.stop_words,
            listening=Listening(settings.listen, settings.listen_in, settings.other_bots, desk.listening),
            missed=catch_up.missed,
            operators=Operators(desk, settings.admins, groups_of(settings)),
        )
        catch_up.deliver = partial(deliver, app)
        catch_up.beside = Recall(me.team, store.waits, ring, settings.recall).look
        return app

    def pool(self, me: Identity) -> Pool:
        """The workers and their sweep; every process makes its own clients."""
        return self._pool(lambda drain: self.work(me, drain), workers=self.workers(), teams=(me.team,))

    def recovery(self) -> Pool:
        """A pool of which only the sweep runs."""
        return self._pool(_no_work, workers=1, teams=())

    def work(self, me: Identity, drain: Drain) -> Work:
        """What a worker does with a thread; made once in each worker process."""
        services = self.services(me)
        return lambda thread: work_thread(thread, services, drain, owner.token(ids))

    def services(self, me: Identity) -> Services:
        from worker.model.claude import Claude  # its SDK takes a second and 60 MB, which only workers need

        settings, store = self.settings, self.tenure_store()
        key = settings.anthropic_api_key
        return Services(
            store=store,
            clock=clock,
            ids=ids,
            threads=threads,
            model=Claude(key.get_secret_value() if key else "", settings.anthropic_base_url),
            replies=paced(replies(self.slack, me, clock), store.workspace, clock),
            agent=agent_of(settings),
            limits=self.limits(),
            cost=partial(cost, overrides=settings.prices),
            rules=rules_of(settings),
            approvers=approvers_of(settings),
            may_use=_may_use(Access(self.policy, People(self.slack, me, store.workspace), Groups(self.slack, clock))),
        )

    def limits(self) -> Limits:
        settings = self.settings
        return Limits(
            renewal=settings.renewal,
            fruitless=settings.fruitless_resumes,
            daily_spend=round(settings.daily_spend * 1_000_000),
        )

    def workers(self) -> int:
        """As many as were asked for, but no more than the server has connections for."""
        asked = self.settings.workers
        limit = connection_limit(self.redis_url, verify=self.settings.verify_tls)
        if limit is None:
            return asked
        carried = max(1, (limit - CONNECTIONS_BESIDE) // CONNECTIONS_PER_WORKER)
        if carried < asked:
            log.warning("Redis takes %d connections: %d workers start instead of %d", limit, carried, asked)
        return min(asked, carried)

    def _pool(self, work: Callable[[Drain], Work], *, workers: int, teams: tuple[str, ...]) -> Pool:
        return Pool(
            Makers(lambda: self._redis(for_wakes), self.tenure_store, work),
            clock,
            ids,
            threads,
            workers,
            grace=self.settings.grace,
            sweep_interval=self.settings.sweep,
            most_megabytes=self.settings.worker_memory,
            teams=teams,
        )

    def _open(self, redis: Redis, blocking: Redis | None = None) -> Store:
        lease, keep = self.settings.lease, self.settings.keep_days * DAY
        return open_store(redis, clock, ids, blocking=blocking, lease=lease, keep=keep)

    def _redis(self, kind: Callable[..., Redis]) -> Redis:
        return kind(self.redis_url, verify=self.settings.verify_tls)


def _may_use(access: Access) -> Callable[[str, str, str], bool]:
    """Whether a person may still act in a channel; while Slack cannot say, the run waits.

    It is asked before every tool call, so a yes is good for a minute: a turn makes no round trip for it.
    """
    allowed_until: dict[tuple[str, str], float] = {}

    def may(_team: str, user: str, channel: str) -> bool:
        now = clock.boottime()
        if allowed_until.get((user, channel), 0.0) > now:
            return True
        try:
            allowed = access.refusal(user, channel) is None
        except ReplyError as error:
            raise RunSuspended(f"Slack cannot say who {user} is: {error}", SLACK_PAUSE) from error
        if allowed:
            allowed_until[user, channel] = now + RIGHTS_LAST
        return allowed

    return may


def _no_work(_drain: Drain) -> Work:
    raise RuntimeError("a sweep works on nothing")


def cannot_start(error: ReplyError) -> CannotStart:
    """What Slack refused, as the end of a process that had not begun."""
    if error.kind == "credentials":
        return CannotStart(TOKEN, f"Slack refuses a token: {error}")
    return CannotStart(NO_SERVICE, f"Slack cannot be reached: {error}")
