"""Edits, deletions, mutes and other people's threads: from Slack's payloads to a real store."""

from __future__ import annotations

from typing import Any

import pytest

from bot.access import AccessPolicy
from bot.admission import THREAD_DELETED
from bot.heard import hear
from bot.listening import Listening
from store.lease import Commit
from store.protocol import Store
from store.record import Record, stored
from store.stepkey import START, StepKey
from store.submission import Submission
from tests.bot.doubles import ME, Bot, Json, event, mention, message, refusal

ROOT = "1800000000.000100"
LATER = "1800000000.000200"
THREAD = f"T0TEAM/C0GENERAL/{ROOT}"


class Talk:
    """A bot over a real store, and the worker's side of it."""

    def __init__(self, bot: Bot, store: Store) -> None:
        self.bot, self.store = bot, store
        bot.build(store=store)

    def tell(self, inner: Json, *, retry: int = 0) -> int:
        return self.bot.tell(event(inner), retry=retry).status

    def waiting(self, thread: str = THREAD) -> list[Submission]:
        lease = self.store.leases.claim(thread, "o")
        self.store.leases.release(lease.lease, idle=False)
        return list(lease.mailbox.inputs)

    def take(self, thread: str = THREAD) -> str:
        """Start the oldest input's run, as a worker does, and leave it open."""
        claim = self.store.leases.claim(thread, "o")
        first = claim.mailbox.inputs[0]
        _, raw = stored(Record("start", StepKey(first.run, 0, START), "done", 0.0, {}))
        start = Commit(
            first.run,
            records=[(str(StepKey(first.run, 0, START)), "done", raw)],
            head={"status": "running", "run": first.run},
            due={f"run:{first.run}": ""},
            taken=[first],
        )
        self.store.log.commit(claim.lease, start)
        self.store.leases.release(claim.lease, idle=False)
        return first.run

    def end(self, run: str, thread: str = THREAD) -> None:
        lease = self.store.leases.claim(thread, "o").lease
        self.store.log.commit(
            lease,
            Commit(
                run,
                records=[(f"{run}:0:#settled:0", "done", "{}")],
                head={"run": ""},
                done=[f"run:{run}"],
                outcome=(run, '{"status":"completed"}'),
            ),
        )
        self.store.leases.release(lease, idle=False)

    def stops(self, thread: str = THREAD) -> dict[str, tuple[str, str]]:
        claim = self.store.leases.claim(thread, "o")
        self.store.leases.release(claim.lease, idle=False)
        return {run: (stop.by, stop.why) for run, stop in claim.mailbox.stops.items()}

    def news(self, thread: str = THREAD) -> list[str]:
        claim = self.store.leases.claim(thread, "o")
        self.store.leases.release(claim.lease, idle=False)
        return [one.text for one in claim.mailbox.news]

    def reactions(self, method: str = "reactions.add") -> list[tuple[str, str]]:
        return [(call.args["timestamp"], call.args["name"]) for call in self.bot.slack.made(method)]

    def told(self) -> list[tuple[str, str | None, str]]:
        """Who was told something alone, in which thread, and what."""
        return [(whisper["user"], whisper.get("thread_ts"), whisper["text"]) for whisper in self.bot.whispers]


@pytest.fixture
def talk(bot: Bot, store: Store) -> Talk:
    return Talk(bot, store)


def changed(now: Json, before: Json, at: str = "1800000005.000000") -> Json:
    """The event of an edit of one message into another, as Slack sends it."""
    edited = {**now, "edited": {"user": now.get("user"), "ts": at}}
    return {
        "type": "message",
        "subtype": "message_changed",
        "message": edited,
        "previous_message": before,
        "channel": "C0GENERAL",
        "ts": at,
        "event_ts": at,
        "hidden": True,
        "channel_type": "channel",
    }


def deleted(before: Json, at: str = "1800000006.000000") -> Json:
    return {
        "type": "message",
        "subtype": "message_deleted",
        "previous_message": before,
        "deleted_ts": before["ts"],
        "channel": "C0GENERAL",
        "ts": at,
        "event_ts": at,
        "hidden": True,
        "channel_type": "channel",
    }


def tombstone(before: Json) -> Json:
    gone = {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "ts": before["ts"], "thread_ts": ROOT}
    return {**changed(gone, before), "message": gone}


def inner(text: str = "<@U0BOT> charge 5", **more: Any) -> Json:
    """A message as it stands in Slack: without its channel."""
    return {name: value for name, value in message(text, **more).items() if name not in ("channel", "channel_type")}


@pytest.mark.clause("ADMIT-5")
def test_a_message_edited_before_it_was_taken_is_taken_as_edited_under_its_first_receipt(talk: Talk) -> None:
    talk.tell(message())
    (before,) = talk.waiting()

    talk.tell(changed(inner("<@U0BOT> charge 6"), inner()))
    talk.tell(message())

    (after,) = talk.waiting()
    assert (after.text, after.run, after.at) == ("charge 6", before.run, before.at)
    assert talk.take() == before.run


@pytest.mark.clause("ADMIT-5")
def test_the_latest_edit_holds_in_whichever_order_they_arrive(talk: Talk) -> None:
    talk.tell(message())

    talk.tell(changed(inner("<@U0BOT> charge 7"), inner("<@U0BOT> charge 6"), at="1800000009.000000"))
    talk.tell(changed(inner("<@U0BOT> charge 6"), inner(), at="1800000005.000000"))

    assert [found.text for found in talk.waiting()] == ["charge 7"]


@pytest.mark.clause("ADMIT-5")
def test_an_edit_of_what_a_run_took_is_news_to_the_thread_once_and_owed_to_nobody(talk: Talk) -> None:
    talk.tell(message())
    run = talk.take()

    for _ in range(3):
        talk.tell(changed(inner("<@U0BOT> charge 6"), inner()))

    assert talk.news() == ["charge 6"]
    talk.end(run)
    lease = talk.store.leases.claim(THREAD, "o").lease
    assert talk.store.leases.release(lease, idle=True) is None
    assert talk.store.inventory.owed("T0TEAM").threads == []


@pytest.mark.clause("ADMIT-5")
def test_a_later_edit_takes_the_place_of_an_earlier_one_that_nobody_heard(talk: Talk) -> None:
    talk.tell(message())
    talk.take()

    talk.tell(changed(inner("<@U0BOT> charge 6"), inner(), at="1800000005.000000"))
    talk.tell(changed(inner("<@U0BOT> charge 7"), inner("<@U0BOT> charge 6"), at="1800000007.000000"))

    assert talk.news() == ["charge 7"]


@pytest.mark.clause("ADMIT-5")
@pytest.mark.parametrize(
    "now",
    [
        inner(attachments=[{"from_url": "http://127.0.0.1/"}]),
        inner(user=ME.user, bot_id=ME.bot),
    ],
    ids=["an unfurled link", "our own edit"],
)
def test_an_edit_that_changes_nothing_is_nothing(talk: Talk, now: Json) -> None:
    talk.tell(message())
    talk.take()

    assert talk.tell(changed(now, {**now, "attachments": []})) == 200
    assert talk.news() == []


@pytest.mark.clause("ADMIT-5")
def test_an_edit_that_first_mentions_us_is_heard_as_the_message(talk: Talk) -> None:
    talk.tell(message("charge 5"))
    now = inner("<@U0BOT> charge 5")

    talk.tell(changed(now, inner("charge 5")))
    talk.tell(mention(edited={"user": "U0ANN", "ts": "1800000005.000000"}))
    talk.tell(changed(now, inner("charge 5")))

    assert [found.text for found in talk.waiting()] == ["charge 5"]
    talk.take()
    assert talk.news() == []


@pytest.mark.clause("ADMIT-5")
def test_an_edit_of_what_was_never_for_us_is_not_kept(talk: Talk, redis: Any) -> None:
    talk.tell(changed(inner("lunch at 1"), inner("lunch at 12")))

    assert not redis.exists("everthread:{T0TEAM}:t:C0GENERAL:1800000000.000100:news")


@pytest.mark.clause("ADMIT-5")
def test_a_message_deleted_before_it_was_taken_is_withdrawn_and_its_receipt_leads_to_that(talk: Talk) -> None:
    talk.tell(message())
    (was,) = talk.waiting()

    for _ in range(2):
        talk.tell(deleted(inner()))

    assert talk.waiting() == []
    outcome = talk.store.admissions.outcome("T0TEAM", was.run)
    assert outcome is not None
    assert (outcome["status"], outcome["why"], outcome["by"]) == ("aborted", "deleted", "U0ANN")
    assert talk.store.inventory.owed("T0TEAM").threads == []


@pytest.mark.clause("ADMIT-5")
@pytest.mark.parametrize("how", [deleted, tombstone])
def test_deleting_the_message_that_started_a_run_stops_that_run(talk: Talk, how: Any) -> None:
    talk.tell(message())
    run = talk.take()
    talk.bot.rung.clear()

    talk.tell(how(inner()))

    assert talk.stops() == {run: ("U0ANN", "deleted")}
    assert talk.bot.rung == [THREAD]


@pytest.mark.clause("ADMIT-5")
def test_deleting_a_threads_first_message_ends_whatever_works_or_waits_in_it(talk: Talk) -> None:
    chat = inner("what is this?")
    talk.tell(message(ts=LATER, thread_ts=ROOT))
    run = talk.take()
    talk.tell(message(ts="1800000000.000300", thread_ts=ROOT))

    talk.tell(tombstone(chat))

    assert talk.waiting() == []
    assert talk.stops() == {run: ("U0ANN", "deleted")}


@pytest.mark.clause("ADMIT-5")
def test_who_waits_in_a_thread_whose_first_message_is_deleted_is_told_once_and_nothing_looks_taken(talk: Talk) -> None:
    talk.tell(message(ts=LATER, thread_ts=ROOT))
    run = talk.take()
    for number, user in ((3, "U0ANN"), (4, "U0BOB"), (5, "U0BOB")):
        talk.tell(message(f"<@U0BOT> {number}", ts=f"1800000000.000{number}00", thread_ts=ROOT, user=user))
    waited = [(f"1800000000.000{number}00", "eyes") for number in (3, 4, 5)]
    assert talk.reactions() == waited

    for how in (tombstone, deleted):
        assert talk.tell(how(inner("what is this?", user="U0EVE"))) == 200

    assert (talk.waiting(), talk.stops()) == ([], {run: ("U0EVE", "deleted")})
    assert talk.reactions("reactions.remove") == waited
    assert talk.told() == [("U0ANN", ROOT, THREAD_DELETED), ("U0BOB", ROOT, THREAD_DELETED)]


@pytest.mark.clause("ADMIT-5")
def test_where_slack_has_the_thread_no_more_they_are_told_in_its_channel(talk: Talk) -> None:
    talk.tell(message(ts=LATER, thread_ts=ROOT))
    talk.bot.slack.answer("chat.postEphemeral", refusal("thread_not_found"), {})
    talk.bot.slack.answer("reactions.remove", refusal("no_reaction"))

    talk.tell(tombstone(inner("what is this?")))

    assert talk.waiting() == []
    assert talk.told() == [("U0ANN", ROOT, THREAD_DELETED), ("U0ANN", None, THREAD_DELETED)]


@pytest.mark.clause("ADMIT-5")
def test_deleting_a_message_whose_run_is_over_or_was_never_for_us_does_nothing(talk: Talk) -> None:
    talk.tell(message())
    talk.end(talk.take())
    talk.bot.rung.clear()

    talk.tell(deleted(inner()))
    talk.tell(deleted(inner("lunch?", ts=LATER)))

    assert (talk.stops(), talk.bot.rung) == ({}, [])


@pytest.mark.clause("ADMIT-5")
def test_a_message_whose_deletion_arrives_first_is_not_taken(talk: Talk) -> None:
    talk.tell(deleted(inner()))

    talk.tell(message())

    assert talk.waiting() == []


MODES = [
    ("mentions", "U0ANN", False),
    ("asked", "U0ANN", True),
    ("asked", "U0BOB", False),
    ("all", "U0BOB", True),
]


@pytest.mark.clause("ACCESS-3")
@pytest.mark.parametrize(("mode", "user", "ours"), MODES)
@pytest.mark.parametrize("by_channel", [False, True])
def test_whose_a_reply_without_a_mention_is_is_a_setting(
    talk: Talk, mode: Any, user: str, ours: bool, by_channel: bool
) -> None:
    other: Any = "mentions" if mode != "mentions" else "all"
    listening = Listening(other, {"C0GENERAL": mode}) if by_channel else Listening(mode, {"C0ELSE": other})
    talk.bot.build(store=talk.store, listening=listening)
    talk.tell(mention())

    talk.tell(message("and now?", ts=LATER, thread_ts=ROOT, user=user))

    assert [found.text for found in talk.waiting()] == ["charge 5", *(["and now?"] if ours else [])]


@pytest.mark.clause("ACCESS-3")
def test_a_reply_from_before_its_author_asked_is_never_ours(talk: Talk) -> None:
    talk.tell(mention(ts="1800000000.000300", thread_ts=ROOT))

    talk.tell(message("nice weather", ts=LATER, thread_ts=ROOT))

    assert [found.text for found in talk.waiting()] == ["charge 5"]


@pytest.mark.clause("ACCESS-3")
@pytest.mark.parametrize("mode", ["mentions", "asked", "all"])
def test_a_direct_message_is_always_ours(talk: Talk, mode: Any) -> None:
    talk.bot.build(store=talk.store, listening=Listening(mode))

    talk.tell(message("hello", channel="D0ANN", channel_type="im"))

    assert [found.text for found in talk.waiting(f"T0TEAM/D0ANN/{ROOT}")] == ["hello"]


@pytest.mark.clause("ACCESS-3")
@pytest.mark.parametrize("text", ["<@U0BOB> what do you think?", "ask <!subteam^S0OPS>"])
def test_a_reply_that_mentions_somebody_else_and_not_us_is_not_ours(talk: Talk, text: str) -> None:
    talk.bot.build(store=talk.store, listening=Listening("all"))
    talk.tell(mention())

    talk.tell(message(text, ts=LATER, thread_ts=ROOT))

    assert [found.text for found in talk.waiting()] == ["charge 5"]


@pytest.mark.clause("ACCESS-3")
def test_a_muted_thread_listens_to_mentions_alone_until_it_is_unmuted(talk: Talk) -> None:
    talk.tell(mention())
    talk.tell(mention("<@U0BOT> Mute", ts="1800000000.000200", thread_ts=ROOT))
    talk.tell(message("you there?", ts="1800000000.000300", thread_ts=ROOT))
    talk.tell(mention("<@U0BOT> you there?", ts="1800000000.000400", thread_ts=ROOT))
    talk.tell(mention("<@U0BOT> unmute", ts="1800000000.000500", thread_ts=ROOT))
    talk.tell(mention("<@U0BOT> Mute", ts="1800000000.000200", thread_ts=ROOT))
    talk.tell(message("and now?", ts="1800000000.000600", thread_ts=ROOT))

    assert [found.text for found in talk.waiting()] == ["charge 5", "you there?", "and now?"]
    bells = [found for found in talk.reactions() if found[1] != "eyes"]
    assert bells == [("1800000000.000200", "no_bell"), ("1800000000.000500", "bell")]


@pytest.mark.clause("ACCESS-3")
def test_a_message_that_arrives_late_is_judged_by_what_held_when_it_was_said(talk: Talk) -> None:
    talk.tell(mention())
    talk.tell(mention("<@U0BOT> unmute", ts="1800000000.000500", thread_ts=ROOT))
    talk.tell(mention("<@U0BOT> mute", ts="1800000000.000300", thread_ts=ROOT))

    for micros in ("200", "400", "600"):
        talk.tell(message(f"at {micros}", ts=f"1800000000.000{micros}", thread_ts=ROOT))

    assert [found.text for found in talk.waiting()] == ["charge 5", "at 200", "at 600"]


@pytest.mark.clause("ACCESS-3")
def test_mute_is_a_command_only_alone_in_a_thread_of_a_channel(talk: Talk) -> None:
    talk.tell(mention("<@U0BOT> mute"))
    talk.tell(mention("<@U0BOT> mute the alarm", ts=LATER, thread_ts=ROOT))

    assert [found.text for found in talk.waiting()] == ["mute", "mute the alarm"]


@pytest.mark.clause("ACCESS-3")
def test_other_bots_are_heard_only_where_they_are_listed_and_mention_us(talk: Talk) -> None:
    alarm = message("<@U0BOT> disk full", user="U0ALARM", bot_id="B0ALARM", app_id="A0ALARM")
    talk.tell(alarm)
    assert talk.waiting() == []

    bots = frozenset({"B0ALARM"})
    talk.bot.build(AccessPolicy(bots=bots), store=talk.store, listening=Listening("all", bots=bots))
    talk.tell(alarm)
    talk.tell(message("thanks", ts=LATER, thread_ts=ROOT, user="U0ALARM", bot_id="B0ALARM"))

    assert [(found.author, found.text) for found in talk.waiting()] == [("B0ALARM", "disk full")]


@pytest.mark.clause("ACCESS-3")
def test_a_listed_bot_without_a_user_is_known_by_its_id_and_we_never_hear_ourselves() -> None:
    old = {"type": "message", "subtype": "bot_message", "bot_id": "B0HOOK", "channel": "C1", "ts": ROOT}
    heard = hear(event({**old, "text": "<@U0BOT> go"}), ME, {"B0HOOK"})
    assert heard is not None
    assert heard.author == "B0HOOK"
    assert hear(event(message(user=ME.user, bot_id=ME.bot)), ME, {ME.bot, ME.user}) is None


@pytest.mark.clause("ACCESS-3")
@pytest.mark.parametrize(("channel", "kind"), [("G0GROUPDM", "mpim"), ("C0PRIVATE", "group")])
def test_group_dms_and_private_channels_are_like_channels(talk: Talk, channel: str, kind: str) -> None:
    where = {"channel": channel, "channel_type": kind}
    talk.tell(message("just us", **where))
    talk.tell(message("<@U0BOT> charge 5", ts=LATER, **where))
    talk.tell(message("and 6", ts="1800000000.000300", thread_ts=LATER, **where))

    assert [found.text for found in talk.waiting(f"T0TEAM/{channel}/{LATER}")] == ["charge 5", "and 6"]


@pytest.mark.clause("STEER-1")
def test_a_message_that_waits_behind_a_run_gets_one_sign_that_it_was_taken(talk: Talk) -> None:
    talk.tell(mention())
    talk.take()
    assert talk.reactions() == []

    behind = {"ts": LATER, "thread_ts": ROOT}
    for payload in (mention("<@U0BOT> and 6", **behind), message("<@U0BOT> and 6", **behind)) * 2:
        talk.tell(payload)

    assert talk.reactions() == [(LATER, "eyes")]


@pytest.mark.clause("STEER-1")
def test_a_message_that_slack_sends_again_because_nobody_answered_gets_its_sign_then(talk: Talk) -> None:
    talk.tell(mention())
    talk.take()
    behind = mention("<@U0BOT> and 6", ts=LATER, thread_ts=ROOT)
    talk.store.admissions.admit(Submission(THREAD, "C0GENERAL", LATER, "U0ANN", "and 6", "r9", 1.0))

    talk.tell(behind)
    assert talk.reactions() == []
    talk.tell(behind, retry=1)
    assert talk.reactions() == [(LATER, "eyes")]


@pytest.mark.clause("STEER-1")
def test_a_sign_that_slack_refuses_troubles_nobody(talk: Talk) -> None:
    talk.bot.slack.answer("reactions.add", refusal("missing_scope"))
    talk.tell(mention())

    assert talk.tell(mention("<@U0BOT> and 6", ts=LATER, thread_ts=ROOT)) == 200
    assert len(talk.waiting()) == 2
