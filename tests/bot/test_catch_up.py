"""What was said while nobody listened is taken in from Slack's history: once, in order, within its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any

import pytest

from bot.app import deliver
from bot.catch_up import APART, MARGIN, CatchUp
from bot.history import AT_ONCE, DAY, PATIENCE, History
from bot.recall import Recall
from store.errors import StoreUnavailableError
from store.lease import Commit
from store.protocol import Store
from store.system import SystemThreads
from store.wait import Given, Question
from tests.bot.asking import THREAD as ASKED
from tests.bot.asking import approval, ask, mailed, question
from tests.bot.doubles import ME, Answer, Bot, FakeSlack, Json, event, mention, message, refusal
from tests.conftest import FakeClock
from worker.pace import turn_of

NOW = 1_800_000_000.0


@dataclass
class Slept(SystemThreads):
    """Threads whose sleeps only pass the clock's time."""

    clock: FakeClock
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)


class Workspace(FakeSlack):
    """Channels with messages; `rooms`: by channel, each message as history shows it. times: of every read."""

    def __init__(self, people: FakeSlack, clock: FakeClock) -> None:
        super().__init__()
        self.clock = clock
        self.__dict__.update(people.__dict__)
        self.rooms: dict[str, list[Json]] = {}
        self.times: list[float] = []

    def _next(self, method: str, args: Json) -> Answer | Exception:
        if method.startswith(("conversations.", "users.conversations")):
            self.times.append(self.clock.now())
        if method not in self.answers:
            oldest = float(args.get("oldest") or 0)
            room = [one for one in self.rooms.get(args.get("channel", ""), ()) if float(one["ts"]) > oldest]
            match method:
                case "users.conversations":
                    return Answer({"ok": True, "channels": [{"id": channel} for channel in self.rooms]})
                case "conversations.history":
                    roots = [one for one in room if one.get("thread_ts") in (None, one["ts"])]
                    return Answer({"ok": True, "messages": roots[::-1]})
                case "conversations.replies":
                    found = [one for one in room if one.get("thread_ts") == args["ts"]]
                    return Answer({"ok": True, "messages": found})
        return super()._next(method, args)


class Gap:
    """A bot over a real store that was away, and what Slack kept meanwhile."""

    def __init__(self, bot: Bot, store: Store, clock: FakeClock) -> None:
        self.bot, self.store, self.clock = bot, store, clock
        self.slack = Workspace(bot.slack, clock)
        bot.slack = self.slack
        self.threads = Slept(clock)
        self.catch_up = self.new()
        self.app = bot.build(store=store, missed=lambda: self.catch_up.missed())
        self.catch_up.deliver = lambda body: deliver(self.app, body)
        store.workspace.catch_up_to(ME.team, clock.now() - 30 * DAY)
        store.workspace.catch_up_to(ME.team, clock.now())

    def new(self) -> CatchUp:
        turn = partial(turn_of, self.store.workspace, ME.team, "reader", "read", urgent=False)
        history = History(self.slack, ME.team, self.store, self.clock, self.threads, turn)
        return CatchUp(ME, self.store.workspace, history, self.clock, self.threads)

    def said(self, channel: str, seconds: float, text: str, root: str | None = None, **more: Any) -> str:
        """Somebody says something `seconds` after the bot went away."""
        ts = f"{NOW + seconds:.6f}"
        kept = {"type": "message", "user": "U0ANN", "text": text, "ts": ts, "team": ME.team, **more}
        if root is not None:
            kept["thread_ts"] = root
            for one in self.slack.rooms[channel]:
                if one["ts"] == root:
                    one |= {"thread_ts": root, "reply_count": 1, "latest_reply": ts}
        self.slack.rooms.setdefault(channel, []).append(kept)
        return ts

    def back(self, seconds: float = 3600.0) -> list[str]:
        """The bot is connected again after so many seconds; what it has taken in by then, in order."""
        self.clock.time = NOW + seconds
        self.catch_up.look(1)
        self.bot.settle()
        return self.inputs()

    def inputs(self) -> list[str]:
        owed = self.store.inventory.owed(ME.team).threads
        found = []
        for thread in owed:
            claim = self.store.leases.claim(thread, "o")
            self.store.leases.release(claim.lease, idle=False)
            found += claim.mailbox.inputs
        return [one.text for one in sorted(found, key=lambda one: one.ts)]

    def made(self, *methods: str) -> list[str]:
        return [call.args.get("channel", "") for call in self.slack.calls if call.method in methods]


@pytest.fixture
def gap(bot: Bot, store: Store, clock: FakeClock) -> Gap:
    return Gap(bot, store, clock)


@pytest.mark.clause("ADMIT-6")
def test_what_was_said_while_nobody_listened_is_taken_in_once_and_in_order(gap: Gap) -> None:
    root = gap.said("C0GENERAL", 10, "<@U0BOT> first")
    gap.said("C0GENERAL", 20, "lunch?")
    gap.said("C0GENERAL", 30, "third", root)
    gap.said("C0GENERAL", 25, "<@U0BOT> second", root)
    gap.said("D0ANN", 40, "fourth")

    assert gap.back() == ["first", "second", "third", "fourth"]

    gap.bot.tell(event(message("<@U0BOT> first", ts=root)))
    gap.catch_up.look(2)
    assert gap.inputs() == ["first", "second", "third", "fourth"]
    assert len(gap.bot.rung) == 4


@pytest.mark.clause("ADMIT-6")
def test_what_had_been_taken_before_is_not_taken_again(gap: Gap) -> None:
    root = gap.said("C0GENERAL", -30, "<@U0BOT> charge 5")
    gap.bot.tell(event(mention(ts=root)))

    assert gap.back() == ["charge 5"]
    assert gap.bot.rung == [f"T0TEAM/C0GENERAL/{root}"]


@pytest.mark.clause("ADMIT-6")
def test_a_reply_in_an_old_thread_that_we_know_is_found(gap: Gap) -> None:
    root = gap.said("C0GENERAL", -3 * DAY, "<@U0BOT> charge 5")
    gap.bot.tell(event(mention(ts=root)))
    gap.said("C0GENERAL", 10, "and 6", root)

    assert gap.back() == ["charge 5", "and 6"]


@pytest.mark.clause("ADMIT-6")
def test_it_looks_back_a_day_at_most(gap: Gap) -> None:
    gap.said("C0GENERAL", 10, "<@U0BOT> too old")
    gap.said("C0GENERAL", 3 * 3600, "<@U0BOT> in time")

    assert gap.back(DAY + 3600) == ["in time"]


@pytest.mark.clause("ADMIT-6")
def test_of_a_channel_it_reads_the_newest_two_hundred_messages(gap: Gap) -> None:
    gap.said("C0GENERAL", 10, "<@U0BOT> hello")

    gap.back()

    asked = [call.args for call in gap.slack.made("conversations.history")]
    assert [(call["limit"], float(call["oldest"])) for call in asked] == [(200, NOW + 3600 - DAY)]


@pytest.mark.clause("ADMIT-6")
def test_a_first_start_answers_nothing_old(gap: Gap, store: Store, redis: Any) -> None:
    redis.delete("everthread:{T0TEAM}:caught_up")
    gap.said("C0GENERAL", 3500, "<@U0BOT> from before")

    assert gap.back() == []
    assert store.workspace.caught_up(ME.team) == (NOW + 3600, NOW + 3600)
    assert gap.made("conversations.history") == []

    beside = gap.new()
    beside.deliver = gap.catch_up.deliver
    beside.look(1)
    assert gap.inputs() == []


@pytest.mark.clause("ADMIT-6")
def test_what_is_said_after_the_first_start_counts_also_when_that_bot_dies_at_once(gap: Gap, redis: Any) -> None:
    redis.delete("everthread:{T0TEAM}:caught_up")
    gap.catch_up.begin()
    gap.said("C0GENERAL", 10, "<@U0BOT> charge 5")

    gap.catch_up = gap.new()
    gap.catch_up.deliver = lambda body: deliver(gap.app, body)
    gap.catch_up.begin()

    assert gap.back() == ["charge 5"]


@pytest.mark.clause("ADMIT-6")
def test_what_slack_may_have_given_up_on_just_before_is_read_again(gap: Gap) -> None:
    gap.said("C0GENERAL", -MARGIN + 10, "<@U0BOT> just before")
    gap.said("C0GENERAL", -MARGIN - 10, "<@U0BOT> long before")

    assert gap.back() == ["just before"]


@pytest.mark.clause("ADMIT-6")
def test_the_history_is_read_after_each_connection_at_most_once_a_minute(gap: Gap) -> None:
    gap.said("C0GENERAL", 10, "lunch?")
    gap.back()
    gap.catch_up.look(1)
    gap.catch_up.look(2)
    gap.catch_up.look(0)
    assert len(gap.made("conversations.history")) == 1

    gap.clock.advance(APART)
    gap.catch_up.look(0)
    gap.catch_up.look(2)
    gap.catch_up.look(2)
    assert len(gap.made("conversations.history")) == 2


@pytest.mark.clause("ADMIT-6")
def test_a_bot_that_stays_connected_notes_that_it_missed_nothing(gap: Gap) -> None:
    gap.back(10)
    for _ in range(30):
        gap.clock.advance(10)
        gap.catch_up.look(1)

    known = gap.store.workspace.caught_up(ME.team)
    assert known is not None
    assert gap.clock.now() - known[1] < APART + 10
    assert len(gap.made("users.conversations")) == 1


@pytest.mark.clause("ADMIT-6")
def test_an_outage_of_the_store_is_caught_up_when_it_is_over(gap: Gap, monkeypatch: pytest.MonkeyPatch) -> None:
    gap.back(10)
    ts = gap.said("C0GENERAL", 100, "<@U0BOT> charge 5")

    def down(*_: Any, **__: Any) -> Any:
        raise StoreUnavailableError("the store does not answer")

    with monkeypatch.context() as outage:
        outage.setattr(type(gap.store.admissions), "admit", down)
        outage.setattr(type(gap.store.workspace), "caught_up", down)
        gap.clock.time = NOW + 110
        assert gap.bot.tell(event(mention(ts=ts))).status == 500
        gap.catch_up.look(1)
        assert gap.inputs() == []
    gap.clock.time = NOW + 4000
    gap.catch_up.look(1)
    gap.bot.settle()

    assert gap.inputs() == ["charge 5"]


@pytest.mark.clause("ADMIT-6")
def test_a_reading_that_fails_is_done_again_and_nothing_counts_as_caught_up(gap: Gap, store: Store) -> None:
    gap.said("C0GENERAL", 10, "<@U0BOT> charge 5")
    gap.slack.answer("users.conversations", *[refusal("internal_error")] * 3, {"channels": [{"id": "C0GENERAL"}]})

    assert gap.back() == []
    assert store.workspace.caught_up(ME.team) == (NOW - 30 * DAY, NOW)
    gap.clock.advance(APART)
    gap.catch_up.look(1)
    gap.bot.settle()

    assert gap.inputs() == ["charge 5"]


@pytest.mark.clause("ADMIT-6")
def test_it_goes_at_slacks_pace_and_waits_when_slack_says_so(gap: Gap) -> None:
    for n in range(AT_ONCE + 10):
        gap.said(f"C{n:03}", 10, "lunch?")
    slow = Answer({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": "30"})
    gap.slack.answer("users.conversations", slow, {"channels": [{"id": channel} for channel in gap.slack.rooms]})

    gap.back()

    assert gap.threads.slept[0] == 30.0
    assert len(gap.threads.slept) == 1 + 2 + 10
    assert sum(gap.threads.slept[1:]) >= 12 * 1.2


def other_reads(gap: Gap, count: int) -> int:
    """How many of so many reads by runs at work are let through now."""
    take = gap.store.workspace.take_turn
    return sum(not take(ME.team, "read", f"run{n}", urgent=True).wait for n in range(count))


def most_within(seconds: float, times: Sequence[float]) -> int:
    return max(sum(at <= other < at + seconds for other in times) for at in times)


@pytest.mark.clause("REPLY-3", "ADMIT-6")
def test_its_reads_come_out_of_what_all_processes_may_read(gap: Gap, redis: Any) -> None:
    for n in range(5):
        gap.said(f"C{n:03}", 10, "lunch?")

    gap.back()

    made = len(gap.slack.made("users.conversations")) + len(gap.slack.made("conversations.history"))
    assert made == 6
    assert redis.zcard("everthread:{T0TEAM}:calls:read") == made
    assert other_reads(gap, 60) == 48 - made


@pytest.mark.clause("REPLY-3", "ADMIT-6")
def test_where_runs_have_read_all_that_may_be_read_it_waits_for_its_turn_and_misses_nothing(gap: Gap) -> None:
    for n in range(60):
        gap.said(f"C{n:03}", 10 + n, f"<@U0BOT> {n}")
    gap.clock.time = NOW + 3600
    taken = [gap.clock.time] * other_reads(gap, 60)

    assert gap.back() == [str(n) for n in range(60)]

    assert len(taken) == 48
    assert most_within(60, taken + gap.slack.times) <= 48
    assert gap.slack.times[0] >= NOW + 3660


@pytest.mark.clause("ADMIT-6")
def test_it_waits_for_a_turn_within_its_patience_and_begins_again_later(gap: Gap, store: Store) -> None:
    gap.said("C0GENERAL", 10, "<@U0BOT> charge 5")
    gap.clock.time = NOW + 3600
    store.workspace.pause_turns(ME.team, "read", 10 * PATIENCE)

    assert gap.back() == []
    assert gap.slack.times == []
    assert gap.clock.now() <= NOW + 3600 + PATIENCE
    assert store.workspace.caught_up(ME.team) == (NOW - 30 * DAY, NOW)

    gap.clock.advance(10 * PATIENCE)
    gap.catch_up.look(1)
    gap.bot.settle()
    assert gap.inputs() == ["charge 5"]


@pytest.mark.clause("ADMIT-6")
@pytest.mark.parametrize("error", ["not_in_channel", "missing_scope"])
def test_a_channel_that_slack_does_not_show_is_left_out(gap: Gap, error: str) -> None:
    root = gap.said("C0GENERAL", -DAY, "<@U0BOT> charge 5")
    gap.bot.tell(event(mention(ts=root)))
    gap.said("C0GENERAL", 10, "and 6", root)
    gap.slack.answer("users.conversations", refusal("missing_scope"))
    gap.slack.answer("conversations.history", refusal(error))

    assert gap.back() == ["charge 5", "and 6"]


@pytest.mark.clause("ADMIT-6")
def test_an_edit_that_was_missed_is_taken_in_too(gap: Gap) -> None:
    root = gap.said("C0GENERAL", -30, "<@U0BOT> charge 5")
    gap.bot.tell(event(mention(ts=root)))
    kept = gap.slack.rooms["C0GENERAL"][0]
    kept |= {"text": "<@U0BOT> charge 6", "edited": {"user": "U0ANN", "ts": f"{NOW + 20:.6f}"}}

    assert gap.back() == ["charge 6"]


@pytest.mark.clause("ADMIT-6")
@pytest.mark.parametrize("kept", [{"user": ME.user, "bot_id": ME.bot}, {"subtype": "channel_join"}, {"user": "U0GUS"}])
def test_what_would_not_have_been_heard_is_not_heard_later(gap: Gap, kept: Json) -> None:
    gap.slack.people["U0GUS"] = {"is_restricted": True}
    gap.said("C0GENERAL", 10, "<@U0BOT> charge 5", **kept)

    assert gap.back() == []


@pytest.mark.clause("ADMIT-6")
def test_a_bot_that_ends_takes_nothing_more_in_and_leaves_the_rest_to_the_next(gap: Gap, store: Store) -> None:
    gap.said("C0GENERAL", 10, "<@U0BOT> charge 5")
    gap.catch_up.stop()

    assert gap.back() == []
    assert store.workspace.caught_up(ME.team) == (NOW - 30 * DAY, NOW)


def test_the_watch_outlives_a_fault_of_ours(gap: Gap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.catch_up.POLL", 0.01)
    asked: list[int] = []
    over = Event()

    def connection() -> int:
        asked.append(1)
        if len(asked) == 2:
            gap.catch_up.stop()
            over.set()
            return 0
        raise KeyError("a fault")

    gap.catch_up.start(connection)

    assert over.wait(10.0)


@pytest.mark.clause("ASK-2")
def test_on_every_connection_open_cards_are_looked_for_at_most_once_in_ten_minutes(gap: Gap, store: Store) -> None:
    ask(store, question(), approval(n=2))
    rung: list[str] = []
    recall = Recall(ME.team, store.waits, rung.append, 600)
    gap.clock.advance(601)
    recall.look(0)
    assert rung == []

    letters = [f"again:{question().id}", f"again:{approval(n=2).id}"]
    recall.look(1)
    assert mailed(store) == sorted(letters)
    for connection in range(1, 11):
        recall.look(connection)
        looked_after(store, letters)
        gap.clock.advance(59)
    assert rung == [ASKED]
    gap.clock.advance(11)
    recall.look(11)
    assert rung == [ASKED, ASKED]


def looked_after(store: Store, letters: list[str]) -> None:
    """The owner of the thread looked for its cards, and let go of it."""
    lease = store.leases.claim(ASKED, "boot:1:1:o").lease
    store.log.commit(lease, Commit("r7", read=letters, progress=False))
    store.leases.release(lease, idle=True)


@pytest.mark.clause("ASK-2")
def test_open_cards_are_looked_for_when_the_store_is_back(
    gap: Gap, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(store, question())
    gap.clock.advance(601)
    rung: list[str] = []
    recall = Recall(ME.team, store.waits, rung.append, 600)

    def down(*_: object, **__: object) -> None:
        raise StoreUnavailableError("the store does not answer")

    with monkeypatch.context() as broken:
        broken.setattr(store.waits, "recall", down)
        recall.look(1)
    assert rung == []
    recall.look(1)
    assert rung == [ASKED]


@pytest.mark.clause("ASK-2")
def test_the_watch_hands_every_connection_to_what_looks_beside_it(gap: Gap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.catch_up.POLL", 0.01)
    seen: list[int] = []
    over = Event()

    def beside(connection: int) -> None:
        seen.append(connection)
        gap.catch_up.stop()
        over.set()

    gap.catch_up.beside = beside
    gap.catch_up.start(lambda: 7)
    assert over.wait(10.0)
    assert seen[0] == 7


@pytest.mark.clause("ADMIT-6", "STEER-3")
def test_the_answer_that_was_said_meanwhile_in_an_old_thread_is_taken(gap: Gap, store: Store) -> None:
    gap.clock.time = NOW - 3 * DAY
    asked = question(Question("Why?", words=True), asked=NOW - 3 * DAY)
    ask(store, asked)
    gap.clock.time = NOW
    gap.said("C0GENERAL", 10, "because", thread_ts=ASKED.rpartition("/")[2])

    assert gap.back() == []
    found = store.waits.look(ASKED, asked.id)
    assert found is not None
    assert found.answer is not None
    assert found.answer.given == (Given((), "because"),)
