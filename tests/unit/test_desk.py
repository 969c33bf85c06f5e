"""What the operator's verbs say and do, over a workspace with a run of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import fakeredis
import pytest

from everthread.desk.effective import HIDDEN
from everthread.desk.words import row_of
from store.desk import UnknownTargetError, Why
from store.errors import StoreUnavailableError
from store.lease import Commit
from store.redis.keyspace import thread_keys, workspace
from store.wait import Answer, Answerers, Given, Question, Wait
from tests.scene import ADA, ANN, BOB, GENERAL, OPS, SECRET, TEAM, Scene

LINK = "https://acme.slack.com/archives/"


def seen(look: Callable[[Scene], Any]) -> Any:
    """What `look` answers while everything still stands as it was left."""
    found: list[Any] = []
    Scene().play(lambda scene: found.append(look(scene)))
    return found[0]


def said(why: Why) -> str:
    return " ".join(why.says)


@pytest.mark.clause("ADMIN-1")
def test_the_list_names_every_run_that_is_owed_its_asker_and_what_it_waits_for() -> None:
    page, runs = seen(lambda scene: (scene.desk.runs(), scene.runs))

    listed = {row.run: (row.status, row.asker, row.waits_for) for row in page.rows}
    assert listed == {
        runs["refund"]: ("unknown", BOB, "somebody to look whether “refunding 40 for order A-17” happened"),
        runs["bill"]: ("parked", ANN, "a person: a service refuses our key or account"),
        runs["move"]: ("waiting", ANN, "an answer to “Which region?”"),
        "r5": ("queued", BOB, "its turn"),
        runs["deploy"]: ("waiting", BOB, "an approval of “deploying checkout with ***”"),
        runs["report"]: ("suspended", BOB, "a service that failed, tried in 5 s"),
        runs["charge"]: ("parked", BOB, "an answer to “Did it happen? charging 5 for order B-4”"),
        runs["reindex"]: ("running", ADA, "the model and its tools: it is worked on"),
        runs["later"]: ("queued", ANN, "a free worker"),
    }
    asked = [row.asked for row in page.rows]
    assert asked == sorted(asked)
    assert (page.total, page.cursor) == (8, None)


@pytest.mark.clause("ADMIN-1", "WORK-1")
def test_the_list_is_paged_and_no_page_reads_more_than_it_shows() -> None:
    def look(scene: Scene) -> tuple[list[str], list[int]]:
        found, sizes, cursor = [], [], None
        while True:
            page = scene.desk.runs(cursor=cursor, limit=3)
            found += [row.run for row in page.rows]
            sizes.append(len({row.thread for row in page.rows}))
            if (cursor := page.cursor) is None:
                return found, sizes

    found, sizes = seen(look)
    assert sorted(found) == ["r10", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"]
    assert sizes == [3, 3, 2]


@pytest.mark.clause("ADMIN-2")
def test_why_tells_of_a_question_who_may_answer_until_when_and_what_each_button_does() -> None:
    found, why = seen(lambda scene: (scene.threads["move"], scene.desk.why(scene.threads["move"])))

    assert (why.thread, why.status, why.asker) == (found, "waiting", ANN)
    assert why.says[:3] == (
        "It waits for an answer to “Which region?”, since 4 min 0 s.",
        "Everybody in its channel may answer; after 56 min 0 s more “eu” counts.",
        "No process holds it.",
    )
    assert "Its last step: a question to people, asked 4 min 0 s ago." in why.says
    assert "1 message waits in its thread." in why.says
    assert [one.button for one in why.means] == ["eu", "us", "a reply in the thread", "Set the question aside", "stop"]
    assert why.means[-1].does == "it ends for good; what it did stays done; 1 message behind it stays"


@pytest.mark.clause("ADMIN-2")
def test_why_tells_of_a_run_at_work_who_holds_it_for_how_long_and_its_last_step() -> None:
    why = seen(lambda scene: scene.desk.why(scene.threads["reindex"]))

    assert why.says == (
        "Process 4010 on host boot works on it, for 12 s so far; the lease holds for 11 s more unless it is renewed.",
        "Its last step: reindexing orders, begun 12 s ago.",
    )
    assert [one.button for one in why.means] == ["stop"]


@pytest.mark.clause("ADMIN-2")
def test_why_tells_of_the_next_try_of_parked_runs_and_of_effects_in_doubt() -> None:
    whys = seen(lambda scene: {word: scene.desk.why(thread) for word, thread in scene.threads.items()})

    assert "a service did not answer, and goes on by itself; it is looked at in 5 s." in said(whys["report"])
    assert [one.button for one in whys["report"].means] == ["resume --force", "stop"]
    assert "It is parked: only a person can move it on. The model's account needs an operator" in said(whys["bill"])
    assert [one.button for one in whys["bill"].means] == ["resume", "heal", "stop"]
    assert "It may or may not have happened: “refunding 40 for order A-17”." in said(whys["refund"])
    assert whys["refund"].means == ()
    assert said(whys["later"]).startswith("Nobody began it: it comes next; it is looked at now.")
    assert said(whys["hello"]).startswith("It is over since 59 min")
    assert [one.button for one in whys["deploy"].means] == ["Approve", "Deny", "stop"]


@pytest.mark.clause("ADMIN-2")
def test_a_run_that_asks_whether_its_call_happened_is_moved_on_by_the_answer_alone() -> None:
    def look(scene: Scene) -> tuple[Why, Any]:
        return scene.desk.why(scene.threads["charge"]), scene.desk.resume(scene.runs["charge"], ADA)

    why, resumed = seen(look)
    assert "It waits for an answer to “Did it happen? charging 5 for order B-4”, since 25 s." in why.says
    assert [one.button for one in why.means] == ["It happened", "It never happened", "Try it again", "heal", "stop"]
    assert why.means[2].does == "the same call is made once more"
    assert (resumed.did, resumed.says[:31]) == ("not_now", "It waits for an answer on its c")


@pytest.mark.clause("ADMIN-2")
def test_why_of_a_queued_run_names_the_run_before_it() -> None:
    why = seen(lambda scene: scene.desk.why("r5"))
    assert (why.run, why.status, why.asker) == ("r5", "queued", BOB)
    assert why.says[0] == "Nobody began it: it comes after run r4."


@pytest.mark.clause("ADMIN-2")
def test_why_tells_of_a_lost_process_of_an_answer_under_way_and_of_a_stop() -> None:
    def look(scene: Scene) -> list[str]:
        store = scene.fleet.outside
        [asked] = store.waits.open_in(scene.threads["move"])
        answer = Answer(asked.id, BOB, scene.fleet.baton.time, "button", (Given(("eu",)),))
        store.waits.answer(scene.threads["move"], answer)
        scene.desk.stop(scene.threads["report"], ADA)
        told = [said(scene.desk.why(scene.threads[word])) for word in ("move", "report")]
        store.leases.claim(scene.threads["later"], "a1b2:77:1:x")
        scene.fleet.host.threads.sleep(16)
        return [*told, said(scene.desk.why(scene.threads["later"]))]

    answered, stopped, lost = seen(look)
    assert answered.startswith("It has its answer; a worker takes it up.")
    assert f"{ADA} asked to stop it 0 s ago." in stopped
    assert "Process 77 on host a1b2 had it and was lost; the next worker takes over" in lost


@pytest.mark.clause("ADMIN-2")
def test_why_names_who_may_answer_where_that_is_not_everybody() -> None:
    def look(scene: Scene) -> Why:
        store, thread = scene.fleet.outside, scene.threads["later"]
        lease = store.leases.claim(thread, "a:1:1:x").lease
        decide = Answerers((BOB, "S0OPS"), quorum=2, not_asker=True)
        wait = Wait("w1", "r10", thread, "r10:0:t:0", "plan", ANN, "moving", 1.0, answerers=decide)
        head = {"run": "r10", "status": "waiting", "waiting": "1"}
        store.log.commit(lease, Commit("r10", head=head, rest={"wait:w1": "plan"}, opened=[wait]))
        store.leases.release(lease, idle=False)
        return scene.desk.why("r10")

    why = seen(look)
    assert f"{BOB}, S0OPS but {ANN} may decide, and 2 people have to approve; there is no deadline." in why.says
    assert (why.people, why.waits[0].who) == ((BOB, "S0OPS", ANN), (BOB, "S0OPS"))
    assert [one.button for one in why.means][:3] == ["Approve", "Ask for changes", "Reject"]


@pytest.mark.parametrize(
    ("title", "text", "shown"),
    [
        ("Which region?", "Which region?", "Which region?"),
        ("Did it happen?", "charging 5\nIt was cut off.", "Did it happen? charging 5"),
        ("Releasing v413", "How shall I?", "Releasing v413: How shall I?"),
        ("", "How shall I?", "How shall I?"),
        ("The colour", "", "The colour"),
    ],
)
def test_a_question_is_named_by_its_title_and_by_what_it_asks_where_that_says_more(
    title: str, text: str, shown: str
) -> None:
    wait = Wait("w1", "r1", "T1/C1/1.0", "k", "question", ANN, title, 1.0, questions=(Question(text),))
    assert row_of(wait).title == shown


@pytest.mark.clause("ADMIN-1", "SEC-2")
def test_inspect_shows_the_steps_in_order_with_their_secrets_masked() -> None:
    found = seen(lambda scene: {word: scene.desk.inspect(scene.threads[word]) for word in ("deploy", "refund", "move")})

    refund = found["refund"]
    assert [(row.what, row.state) for row in refund.steps] == [
        ("model call 1", "done"),
        ("refunding 40 for order A-17", "cut off"),
        ("model call 2", "done"),
    ]
    assert refund.steps[1].given == '{"order": "A-17", "amount": 40}'
    assert (refund.restarts, refund.tokens, refund.asks) == (1, 4_300, "refund")
    [(wait, ended)] = found["deploy"].waits
    assert (wait.title, ended) == ("deploying checkout with ***", "")
    assert found["move"].posts[0].part == "reply"
    assert SECRET not in json.dumps([asdict(one) for one in found.values()])


@pytest.mark.clause("SEC-2")
def test_an_output_and_an_error_are_masked_and_clamped() -> None:
    def look(scene: Scene) -> Any:
        scene.desk.resume(scene.runs["bill"], ADA)
        store = scene.fleet.outside
        [asked] = store.waits.open_in(scene.threads["deploy"])
        store.waits.answer(scene.threads["deploy"], Answer(asked.id, BOB, 1.0, "button", verdict="approve"))
        scene.work("deploy")
        return scene.desk.inspect(scene.runs["deploy"])

    done = seen(look)
    deployed = next(row for row in done.steps if row.what.startswith("deploying"))
    assert (deployed.given, deployed.got) == ('{"service": "checkout", "api_key": "***"}', "deployed checkout")
    assert done.waits[0][1] == f"approved by {BOB}"


@pytest.mark.clause("ADMIN-1", "STOP-1")
def test_stop_is_stored_and_rung_and_says_what_stays() -> None:
    def look(scene: Scene) -> Any:
        first = scene.desk.stop(scene.threads["move"], ADA)
        again = scene.desk.stop(scene.runs["move"], ADA)
        over = scene.desk.stop(scene.threads["hello"], ADA)
        rung = list(scene.rung)
        scene.work("move")
        return first, again, over, rung, scene.threads["move"], scene.desk.why(scene.runs["move"])

    first, again, over, rung, thread, why = seen(look)
    assert (first.did, first.says) == ("done", "It is asked to stop. 1 message behind it stays.")
    assert (again.did, over.did, over.says) == ("again", "over", "It is over already.")
    assert rung == [thread, thread]
    assert why.status == "aborted"


@pytest.mark.clause("ADMIN-1")
def test_a_parked_run_is_resumed_or_healed_by_an_order_and_a_worker_obeys() -> None:
    def look(scene: Scene) -> Any:
        healed = scene.desk.heal(scene.runs["bill"], ADA)
        again = scene.desk.resume(scene.runs["bill"], ADA)
        scene.work("bill")
        return healed, again, scene.rung, scene.threads["bill"], scene.desk.why(scene.runs["bill"])

    healed, again, rung, thread, why = seen(look)
    assert (healed.did, again.did, rung) == ("done", "again", [thread, thread])
    assert why.status == "healed"


@pytest.mark.clause("ADMIN-1")
def test_what_is_not_parked_is_not_resumed_but_a_suspended_run_is_tried_at_once_when_forced() -> None:
    def look(scene: Scene) -> Any:
        asked = [scene.desk.resume(scene.runs[word], ADA) for word in ("report", "move", "reindex", "later", "hello")]
        before = list(scene.rung)
        return asked, before, scene.desk.resume(scene.runs["report"], ADA, force=True), scene.rung, scene.threads

    asked, before, forced, rung, threads = seen(look)
    assert [one.did for one in asked] == ["not_now", "not_now", "not_now", "not_now", "over"]
    assert asked[0].says == "It goes on by itself in 5 s; resume with --force tries it now."
    assert "It waits for an answer: answer it, or stop it." in asked[1].says
    assert (before, forced.did, rung) == ([], "done", [threads["report"]])


@pytest.mark.clause("ADMIN-1")
def test_a_run_is_named_by_its_thread_by_links_to_its_messages_and_by_its_id() -> None:
    def look(scene: Scene) -> list[str]:
        at = scene.threads["bill"].split("/")
        root, ts = at[2], at[2].replace(".", "")
        ways = [
            scene.threads["bill"],
            scene.runs["bill"],
            f"{LINK}{OPS}/p{ts}",
            f"<{LINK}{OPS}/p1800009999000200?thread_ts={root}&amp;cid={OPS}|the link>",
            f"https://app.slack.com/client/{TEAM}/{OPS}/thread/{OPS}-{root}",
        ]
        return [scene.desk.why(way).run for way in ways]

    assert set(seen(look)) == {"r3"}


@pytest.mark.clause("ADMIN-1")
@pytest.mark.parametrize(
    ("target", "word"),
    [
        ("", "nothing was named"),
        ("why not", "names nothing"),
        ("rzzz", "nothing is known of a run"),
        ("T0TEAM/C0OPS/1.2", "is no link to a message and no thread"),
        ("T0OTHER/C0OPS/1800002701.000100", "is of workspace T0OTHER"),
        ("T0TEAM/C0OPS/1700000000.000100", "nobody asked me there"),
        (f"{LINK}C0OPS", "is no link to a message"),
        ("https://example.com/x", "is no link to a message"),
    ],
)
def test_what_names_nothing_is_refused_with_what_may_be_given(target: str, word: str) -> None:
    def look(scene: Scene) -> str:
        with pytest.raises(UnknownTargetError) as raised:
            scene.desk.why(target)
        return str(raised.value)

    assert word in seen(look)


def test_a_run_whose_origin_is_forgotten_is_found_among_what_is_owed() -> None:
    def look(scene: Scene) -> str:
        raw = fakeredis.FakeRedis(server=scene.fleet.server, decode_responses=True)
        raw.delete(workspace(TEAM, f"from:{scene.runs['bill']}"))
        return scene.desk.why(scene.runs["bill"]).status

    assert seen(look) == "parked"


def test_a_log_that_this_build_cannot_read_is_told_and_the_rest_all_the_same() -> None:
    def look(scene: Scene) -> Why:
        raw = fakeredis.FakeRedis(server=scene.fleet.server, decode_responses=True)
        (log,) = thread_keys(scene.threads["move"], "log")
        raw.lset(log, 0, '{"v":99}')
        return scene.desk.why(scene.threads["move"])

    why = seen(look)
    assert "Its records cannot be used by this build" in why.says[0]
    assert "“Which region?”" in why.says[1]


@pytest.mark.clause("ADMIN-1")
def test_a_persons_own_runs_are_the_latest_first_over_or_not() -> None:
    page, runs = seen(lambda scene: (scene.desk.runs_of(ANN, limit=3), scene.runs))
    assert [(row.run, row.status) for row in page.rows] == [
        (runs["later"], "queued"),
        (runs["move"], "waiting"),
        (runs["bill"], "parked"),
    ]
    assert page.total == 3


@pytest.mark.clause("ADMIN-1")
def test_usage_tells_this_months_days_and_what_a_day_may_cost() -> None:
    found = seen(lambda scene: scene.desk.usage())
    today, *before = found.days
    assert (today[0], found.limit) == ("2027-01-15", 20_000_000)
    assert today[1] == 15_050
    assert [micros for _, micros in before] == [0] * 14
    assert ("edit", 48) in [(kind, most) for kind, _, most in found.calls]


@pytest.mark.clause("ADMIN-1", "SEC-1")
def test_settings_tell_where_each_comes_from_and_no_secret() -> None:
    def look(scene: Scene) -> Any:
        scene.desk.listen(GENERAL, "all")
        chosen = scene.desk.listening(GENERAL)
        listed = {one.name: (one.value, one.source) for one in scene.desk.settings()}
        scene.desk.listen(GENERAL, None)
        return chosen, listed, scene.desk.listening(GENERAL)

    chosen, listed, after = seen(look)
    assert listed["SLACK_BOT_TOKEN"] == (HIDDEN, "environment")
    assert listed["EVERTHREAD_WORKERS"] == ("2", "default")
    assert listed[f"EVERTHREAD_LISTEN_IN {GENERAL}"] == ("all", "chosen")
    assert (chosen, after) == ("all", None)


@pytest.mark.clause("ADMIN-1")
def test_a_lost_store_is_said_as_such() -> None:
    def look(scene: Scene) -> None:
        scene.fleet.server.connected = False
        try:
            for verb in (scene.desk.runs, scene.desk.usage, lambda: scene.desk.why(scene.threads["bill"])):
                with pytest.raises(StoreUnavailableError):
                    verb()
        finally:
            scene.fleet.server.connected = True

    seen(look)
