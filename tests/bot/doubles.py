"""Doubles for Slack's Web API and for the parts of the store that the bot calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from slack_bolt import App, BoltRequest, BoltResponse
from slack_sdk import WebClient
from slack_sdk.web import SlackResponse

from bot.access import AccessPolicy
from bot.app import build
from bot.identity import Identity
from bot.listeners.run_buttons import Stopper
from store.errors import AdmissionConflictError, StoreUnavailableError
from store.lease import StopReason
from store.news import News
from store.ports import Clock, Ids
from store.protocol import (
    Admissions,
    Amended,
    Person,
    Retracted,
    Stopping,
    Store,
    Taken,
    Waiting,
    Whose,
    Workspace,
)
from store.submission import Receipt, Submission
from store.wait import Answer as PeoplesAnswer
from store.wait import Choice, Question, Wait

ME = Identity(team="T0TEAM", user="U0BOT", bot="B0BOT")
Json = dict[str, Any]


@dataclass
class Call:
    """One Web API call as it went out."""

    method: str
    args: Json
    timeout: float


@dataclass
class Answer:
    """What the fake Slack answers to a method."""

    body: Json
    status: int = 200
    headers: Json = field(default_factory=dict)


def refusal(error: str, **more: Any) -> Answer:
    return Answer({"ok": False, "error": error, **more})


class FakeSlack(WebClient):
    """A Web client that keeps what it is asked and answers from a table, or raises what stands there."""

    def __init__(self) -> None:
        super().__init__(token="xo" + "xb-none", retry_handlers=[])
        self.calls: list[Call] = []
        self.answers: dict[str, list[Answer | Exception]] = {}
        self.people: dict[str, Json] = {}

    def answer(self, method: str, *answers: Answer | Exception | Json) -> None:
        """Answer the next calls of `method` one after the other; the last answer stays."""
        self.answers[method] = [Answer({"ok": True, **a}) if isinstance(a, dict) else a for a in answers]

    def made(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method == method]

    def api_call(self, api_method: str, **kwargs: Any) -> SlackResponse:
        args = {**(kwargs.get("params") or {}), **(kwargs.get("json") or {})}
        self.calls.append(Call(api_method, {k: v for k, v in args.items() if v is not None}, self.timeout))
        answer = self._next(api_method, args)
        if isinstance(answer, Exception):
            raise answer
        response = SlackResponse(
            client=self,
            http_verb="POST",
            api_url=api_method,
            req_args={},
            data=answer.body,
            headers=answer.headers,
            status_code=answer.status,
        )
        response.validate()  # type: ignore[no-untyped-call]
        return response

    def _next(self, method: str, args: Json) -> Answer | Exception:
        if queue := self.answers.get(method):
            return queue.pop(0) if len(queue) > 1 else queue[0]
        match method:
            case "auth.test":
                return Answer({"ok": True, "team_id": ME.team, "user_id": ME.user, "bot_id": ME.bot})
            case "users.info":
                user = args["user"]
                return Answer({"ok": True, "user": {"id": user, "team_id": ME.team, **self.people.get(user, {})}})
            case "chat.postMessage":
                return Answer({"ok": True, "ts": "1800000000.000100"})
        return Answer({"ok": True})


class FakeAdmissions:
    """Admissions in memory; `down` makes every call fail as a lost store does."""

    def __init__(self) -> None:
        self.taken: dict[str, Submission] = {}
        self.stops: list[tuple[str, str, str]] = []
        self.stopping: Stopping = "stopping"
        self.withdrawn: list[tuple[str, str]] = []
        self.waiting: list[Submission] = []
        self.down = False

    def admit(self, submission: Submission, *, whose: Whose = "any") -> Receipt | None:
        self._check()
        known = self.taken.get(submission.key)
        if known is None and whose == "asker" and not self._asked(submission):
            return None
        if known is not None and known.fingerprint != submission.fingerprint:
            raise AdmissionConflictError(submission.key)
        first = self.taken.setdefault(submission.key, submission)
        return Receipt(first.thread, first.run, new=known is None)

    def _asked(self, submission: Submission) -> bool:
        return any((s.thread, s.author) == (submission.thread, submission.author) for s in self.taken.values())

    def abandon(self, submission: Submission) -> bool:
        return self.taken.pop(submission.key, None) is not None

    def outcome(self, team: str, run: str) -> Json | None:
        return None

    def amend(self, thread: str, news: News, files: Sequence[str] = ()) -> Amended:
        self._check()
        return "unknown"

    def retract(self, thread: str, ts: str, by: str, *, burn: bool = False) -> bool:
        self._check()
        return False

    def retract_thread(self, thread: str, by: str) -> Retracted:
        self._check()
        return Retracted(ring=False)

    def mute(self, thread: str, ts: str, *, on: bool) -> bool:
        self._check()
        return False

    def stoppable(self, message: Submission, *, whose: Whose) -> str:
        self._check()
        return ""

    def stop(self, thread: str, run: str, by: str, why: StopReason = "", message: Submission | None = None) -> Stopping:
        self._check()
        self.stops.append((thread, run, by))
        return self.stopping

    def withdraw(self, thread: str, by: str, why: StopReason = "") -> Sequence[Submission]:
        self._check()
        self.withdrawn.append((thread, by))
        dropped, self.waiting = self.waiting, []
        return dropped

    def _check(self) -> None:
        if self.down:
            raise StoreUnavailableError("the store does not answer")


class FakeWaits:
    """No thread waits, and yet whatever is looked for is an open question, which every answer decides."""

    def open_in(self, thread: str) -> Sequence[Wait]:
        return ()

    def look(self, thread: str, wait: str) -> Waiting:
        asked = (Question("Which colour?", (Choice("Blue"), Choice("Red")), words=True),)
        return Waiting(Wait(wait, "r7", thread, "r7:1:t1:0", "question", "U0ANN", "", 1.0, asked), "open")

    def answer(self, thread: str, answer: PeoplesAnswer, message: Submission | None = None) -> Taken:
        return Taken("taken", self.look(thread, answer.wait).wait, answer)


class FakeInventory:
    """Nothing is known of any thread."""

    def head(self, thread: str) -> None:
        return None


class FakeWorkspace:
    """People in memory."""

    def __init__(self) -> None:
        self.known: dict[str, Person] = {}
        self.refused: set[str] = set()

    def spent_today(self, team: str) -> int:
        return 0

    def state(self, team: str, name: str, last: int = 100) -> list[str]:
        return []

    def person(self, team: str, user: str) -> Person | None:
        return self.known.get(user)

    def know(self, team: str, people: dict[str, Person]) -> None:
        self.known.update(people)

    def recent(self, team: str, since: float) -> list[str]:
        return []

    def caught_up(self, team: str) -> tuple[float, float] | None:
        return None

    def catch_up_to(self, team: str, at: float) -> None:
        return None

    def refuse_once(self, team: str, user: str) -> bool:
        first = user not in self.refused
        self.refused.add(user)
        return first


class Bot:
    """A real Bolt app over doubles, and what became of what it was told."""

    def __init__(self, clock: Clock, ids: Ids) -> None:
        self.clock, self.ids = clock, ids
        self.slack = FakeSlack()
        self.admissions, self.workspace = FakeAdmissions(), FakeWorkspace()
        self.rung: list[str] = []
        self.apps: list[App] = []
        self.app = self.build()

    def build(
        self,
        policy: AccessPolicy | None = None,
        stopper: Stopper = "anyone",
        *,
        store: Store | None = None,
        **more: Any,
    ) -> App:
        """store: instead of the doubles; more: as `bot.app.build` takes it."""
        admissions: Admissions = self.admissions
        workspace: Workspace = self.workspace
        unused, inventory, waits = cast("Any", None), cast("Any", FakeInventory()), cast("Any", FakeWaits())
        self.app = build(
            self.slack,
            me=ME,
            store=store or Store(admissions, unused, unused, inventory, workspace, waits),
            ring=self.rung.append,
            clock=self.clock,
            ids=self.ids,
            policy=policy or AccessPolicy(),
            stopper=stopper,
            **more,
        )
        self.apps.append(self.app)
        return self.app

    def tell(self, body: Json, *, retry: int = 0) -> BoltResponse:
        """What Bolt answers to a payload, once everything that runs behind the answer has run."""
        headers = {"x-slack-retry-num": str(retry)}
        response = self.app.dispatch(BoltRequest(mode="socket_mode", body=body, headers=headers))
        self.settle()
        return response

    def settle(self) -> None:
        """Wait until the listeners' threads are idle: each of them has taken one more piece of work."""
        executor = self.app.listener_runner.listener_executor
        for done in [executor.submit(_nothing) for _ in range(5)]:
            done.result(timeout=5)
        executor.shutdown(wait=True)
        self.app.listener_runner.listener_executor = type(executor)(max_workers=5)  # type: ignore[call-arg]

    @property
    def inputs(self) -> list[Submission]:
        return list(self.admissions.taken.values())

    @property
    def whispers(self) -> list[Json]:
        return [call.args for call in self.slack.made("chat.postEphemeral")]


def _nothing() -> None:
    return None


def event(inner: Json, **outer: Any) -> Json:
    """An Events API payload around one event."""
    return {
        "type": "event_callback",
        "team_id": ME.team,
        "api_app_id": "A0APP",
        "event_id": "Ev0001",
        "event_time": 1_800_000_000,
        "authorizations": [{"team_id": ME.team, "user_id": ME.user, "is_bot": True}],
        "event": inner,
        **outer,
    }


def mention(text: str = f"<@{ME.user}> charge 5", **more: Any) -> Json:
    """The inner event of a mention in a channel."""
    return {
        "type": "app_mention",
        "user": "U0ANN",
        "text": text,
        "ts": "1800000000.000100",
        "team": ME.team,
        "channel": "C0GENERAL",
        "event_ts": "1800000000.000100",
        **more,
    }


def message(text: str = f"<@{ME.user}> charge 5", **more: Any) -> Json:
    """The inner event of a message in a channel, as a person's client sends it."""
    block = {"type": "rich_text", "block_id": "b1", "elements": []}
    return {
        **mention(text),
        "type": "message",
        "client_msg_id": "9d4b2f6c",
        "channel_type": "channel",
        "blocks": [block],
        **more,
    }


def click(action_id: str, value: str, user: str = "U0ANN", **more: Any) -> Json:
    """A button pressed on a message in a thread."""
    return {
        "type": "block_actions",
        "user": {"id": user, "username": "ann", "team_id": ME.team},
        "api_app_id": "A0APP",
        "team": {"id": ME.team, "domain": "everthread"},
        "container": {
            "type": "message",
            "message_ts": "1800000001.000100",
            "channel_id": "C0GENERAL",
            "is_ephemeral": False,
            "thread_ts": "1800000000.000100",
        },
        "channel": {"id": "C0GENERAL", "name": "general"},
        "message": {"type": "message", "ts": "1800000001.000100", "thread_ts": "1800000000.000100"},
        "trigger_id": "1.2.3",
        "response_url": "http://127.0.0.1:9/response",
        "state": {"values": {}},
        "actions": [
            {
                "action_id": action_id,
                "block_id": "b1",
                "type": "button",
                "text": {"type": "plain_text", "text": "Stop"},
                "value": value,
                "action_ts": "1800000002.000000",
            }
        ],
        **more,
    }
