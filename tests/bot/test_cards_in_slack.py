"""What a run asks, from its card to its answer, over a real socket to the local Slack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import fakeredis
import pytest

from bot.access import AccessPolicy
from bot.aftermath import WAITING
from bot.app import build
from bot.cards.ask_button import ASIDE, CHOOSE, WORDS
from bot.cards.ask_form import SAY, say_block
from bot.client import slack_client
from bot.identity import whoami
from bot.people import People
from bot.reply import replies
from bot.socket import Sockets
from playground.standins.slack.client import SlackStandin
from store.lease import Commit
from store.ports import Reply
from store.protocol import Store
from store.redis import open_store
from store.submission import Submission
from store.system import SystemClock, SystemIds
from store.view import AskView, RunView
from store.wait import Given, Question, Wait
from tests.bot.asking import COLOURS, question
from tests.bot.doubles import Json


@dataclass
class Room:
    """A channel with our bot in it, over a store of its own."""

    slack: SlackStandin
    store: Store
    team: str
    reply: Reply
    root: str

    @property
    def thread(self) -> str:
        return f"{self.team}/C0GENERAL1/{self.root}"

    def ask(self, *questions: Question) -> tuple[Wait, str]:
        """The run r7 asks, its card is posted, and nobody works on the thread; the wait and the card's ts."""
        now = SystemClock().now() - 60.0
        asked = replace(question(*questions), thread=self.thread, asked=now, asker="U0ANN00001")
        [said] = self.store.leases.claim(self.thread, "boot:1:1:a").mailbox.inputs
        lease = self.store.leases.claim(self.thread, "boot:1:1:a").lease
        head, rest = {"status": "waiting", "run": "r7", "waiting": "1"}, {f"wait:{asked.id}": "question"}
        opening = Commit("r7", records=[(asked.key, "pending", "{}")], head=head, rest=rest)
        opening.taken, opening.opened = [said], [asked]
        self.store.log.commit(lease, opening)
        self.store.leases.release(lease, idle=True)
        card = RunView("r7", self.thread, "U0ANN00001", "waiting", ask=AskView(asked, "open"))
        return asked, self.reply.post(f"ask.{asked.id}", card, 4.0)

    def card(self, ts: str) -> Json:
        return next(message for message in self.slack.messages("general", self.root) if message["ts"] == ts)


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackStandin]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            patch.delenv(name, raising=False)
        with SlackStandin.start() as slack:
            yield slack


@pytest.fixture
def room(slack: SlackStandin) -> Iterator[Room]:
    clock, ids = SystemClock(), SystemIds()
    store = open_store(fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=True), clock, ids)
    client = slack_client(slack.bot_token, base_url=slack.api_url)
    me = whoami(client)
    People(client, me, store.workspace).warm()
    app = build(client, me=me, store=store, ring=lambda _: None, clock=clock, ids=ids, policy=AccessPolicy())
    sockets, since = Sockets(app, slack.app_token), slack.last()
    sockets.start()
    slack.wait_for("socket.connected", since=since)
    root = slack.say("ann", "general", "@everthread paint it")
    room = Room(slack, store, me.team, replies(client, me, clock)(f"{me.team}/C0GENERAL1/{root}", "r7"), root)
    slack.wait_for("event.acked", since=since)
    store.admissions.admit(Submission(room.thread, "C0GENERAL1", root, "U0ANN00001", "paint it", "r7", 1.0))
    yield room
    sockets.stop()
    assert slack.violations() == []


@pytest.mark.clause("ASK-1", "ASK-5", "WAIT-2")
def test_a_choice_is_taken_and_its_card_is_over_at_once(room: Room) -> None:
    asked, ts = room.ask(COLOURS)
    since = room.slack.last()

    assert room.slack.click("bob", f"{CHOOSE}.1", ts)["acked"]

    room.slack.wait_for("response_url.used", since=since)
    found = room.store.waits.look(room.thread, asked.id)
    assert found is not None
    assert found.answer is not None
    assert (found.answer.by, found.answer.given) == ("U0BOB00001", (Given(("Red",)),))
    assert [block["type"] for block in room.card(ts)["blocks"]] == ["markdown", "section", "context"]
    assert room.reply.find(f"ask.{asked.id}", float(room.root), 4.0) == [ts]


@pytest.mark.clause("ASK-1", "WAIT-2")
def test_words_are_taken_from_a_window(room: Room) -> None:
    asked, ts = room.ask(Question("Why?", words=True))
    since = room.slack.last()
    room.slack.click("bob", WORDS, ts)
    room.slack.wait_for("call.answered", lambda one: one["method"] == "views.open", since)

    shown = room.slack.submit_view("bob", {say_block(asked, 0): {SAY: {"value": "because"}}})

    assert shown["outcome"] == "closed"
    room.slack.wait_for("response_url.used", since=since)
    assert "because" in str(room.card(ts)["blocks"])


@pytest.mark.clause("ADMIT-4", "STEER-3")
def test_a_mention_behind_a_question_is_offered_to_set_it_aside(room: Room) -> None:
    asked, _ = room.ask(COLOURS)
    since = room.slack.last()
    room.slack.say("ann", "general", "@everthread and tomorrow?", thread=room.root)
    whisper = room.slack.wait_for("ephemeral.posted", since=since)
    assert (whisper["user"], whisper["text"]) == ("U0ANN00001", WAITING)

    assert room.slack.click("ann", ASIDE, whisper["ts"])["acked"]

    replaced = room.slack.wait_for("ephemeral.replaced", since=since)
    assert replaced["text"].startswith("Set aside")
    found = room.store.waits.look(room.thread, asked.id)
    assert found is not None
    assert found.answer is not None
    assert found.answer.how == "aside"
