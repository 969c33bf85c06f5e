"""What a stranger sees: a mention is answered by a run that survives a kill."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Protocol

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from playground.standins.claude import prose

pytestmark = pytest.mark.browser

ASKS = "run three tools (releases, metrics, logs), then tell me a long story"
LAST_WORDS = "That is all that matters to a ship."


class Until(Protocol):
    def __call__(self, happens: Any, describe: str, within: float = 15.0) -> Any: ...


def enter(page: Any, until: Until) -> None:
    """The first visit: close the hint."""
    until(lambda: page.all("dialog[open]"), "the first visit is greeted")
    page.find("dialog form button").click()


def mention(page: Any, text: str) -> None:
    """Complete the bot's name with Tab, send with Enter."""
    box = page.find("#ask")
    box.send_keys("@ev", Keys.TAB)
    assert box.get_attribute("value") == "@everthread "
    box.send_keys(text, Keys.ENTER)


def holder(page: Any) -> int:
    found = re.search(r"process (\d+)", page.fact("lease"))
    return int(found[1]) if found else 0


def streamed(page: Any) -> int:
    """Characters of the story so far."""
    return len(page.reply()["text"].partition("went dark")[2])


@pytest.mark.clause("REPLY-1", "REPLY-6")
def test_a_mention_is_answered_in_one_message_although_the_worker_is_killed_in_mid_run(
    page: Any, playground: Any, until: Until
) -> None:
    enter(page, until)
    mention(page, ASKS)
    until(lambda: page.all("#replies .calls [data-state='running']"), "tools are seen at work")
    until(lambda: len(page.all("#replies .calls [data-state='done']")) == 2, "two tools are seen to be done")
    page.picture("playground-working")
    until(lambda: len(page.all("#replies .calls [data-state='done']")) == 3, "three tools are seen to be done")
    first = until(lambda: streamed(page), "the story begins to stream")
    until(lambda: streamed(page) > first, "the story is seen to grow")
    before, pid = page.reply(), holder(page)
    playground.claude.fault("slow", turn=1, tokens_per_second=80)  # nobody needs to wait for the rest

    page.find("#kill").click()

    until(lambda: holder(page) not in (0, pid), "another process holds the lease")
    until(lambda: "resuming" in page.reply()["text"], "the message says that it is resumed")
    until(lambda: streamed(page) > 200, "the story streams again")
    page.picture("playground-resuming")
    until(lambda: page.fact("run") == "completed", "the run is completed", 30)
    until(lambda: "survived 1 restart" in page.reply()["text"], "the footer is there")
    after = page.reply()
    assert after["ts"] == before["ts"]
    assert int(page.fact("kept").split()[0]) >= 1
    assert LAST_WORDS in after["text"]
    assert page.fact("restarts") == "1"
    until(lambda: page.fact("lease") == "nobody", "the worker let go")
    page.resize(1400, 1000)
    page.picture("playground-done")
    page.emulate(prefers_color_scheme="dark")
    page.picture("playground-dark")

    (root,) = [m["ts"] for m in playground.slack.messages("general") if not m["thread_ts"] or m["ts"] == m["thread_ts"]]
    posted = [m for m in playground.slack.messages("general", root) if m["from_app"]]
    replies = [m for m in posted if m["metadata"]["event_payload"]["part"] == "reply"]
    assert [m["ts"] for m in replies] == [before["ts"]]
    assert prose.STORY.strip() in replies[0]["blocks"][0]["text"]
    calls = playground.claude.state()["calls"]
    whole = Counter(call["digest"] for call in calls if call["ended"] == "complete")
    cut = [call["digest"] for call in calls if call["ended"] == "cut"]
    assert set(whole.values()) == {1}
    assert len(cut) == 1
    assert len(calls) == len(whole) + len(cut)
    assert playground.claude.state()["violations"] == []
    assert playground.slack.violations() == []
    assert page.complaints() == []


@pytest.mark.clause("REPLY-7")
def test_text_of_people_and_of_the_model_stays_text(page: Any, until: Until) -> None:
    evil = "<img src=x onerror=alert(1)> [here](javascript:alert(1)) <b>bold</b> `<svg onload=x>`"

    enter(page, until)
    mention(page, evil)

    until(lambda: page.fact("run") == "completed", "it is answered")
    assert "<img src=x" in page.text("#replies article:first-child .blocks")
    assert "<img src=x" in page.reply()["text"]
    assert page.all("#replies .blocks :is(img, svg, b)") == []
    assert page.all("#replies .blocks a:not([href^='http'])") == []
    assert page.complaints() == []


@pytest.mark.clause("REPLY-6")
def test_stop_ends_an_answer_in_the_middle(page: Any, until: Until) -> None:
    enter(page, until)
    mention(page, "tell me a long story")
    until(lambda: "lighthouse" in page.reply()["text"], "it speaks")

    page.find("#replies [data-action='everthread_stop']").send_keys(Keys.ENTER)

    until(lambda: page.fact("run") == "aborted", "the run is stopped")
    assert LAST_WORDS not in page.reply()["text"]


@pytest.mark.clause("ACCESS-1")
def test_a_guest_is_refused_where_only_the_guest_sees_it(page: Any, until: Until) -> None:
    enter(page, until)
    page.find("#people input[value='gus']").find_element(By.XPATH, "..").click()

    mention(page, "hello")

    refusal = until(lambda: page.text("article.whisper"), "the refusal is whispered")
    assert "guests" in refusal
    page.find("#people input[value='ann']").find_element(By.XPATH, "..").click()
    until(lambda: not page.text("article.whisper"), "nobody else sees it")


def test_a_thread_counts_what_everybody_sees_and_a_deleted_reply_is_not_at_work(
    page: Any, playground: Any, until: Until
) -> None:
    enter(page, until)
    mention(page, "tell me a long story")
    until(lambda: "lighthouse" in page.reply()["text"], "it speaks")
    ts, root = page.reply()["ts"], page.find("#replies article:first-child").get_attribute("data-ts")
    below = f"#roots article[data-ts='{root}'] .below"
    until(lambda: "at work" in page.text(below), "the thread is seen at work")

    playground.slack.delete(ts, "ada")
    playground.claude.fault("slow", turn=0, tokens_per_second=200)  # nobody needs to wait for the rest
    page.find("#kill").click()  # whoever goes on finds the message gone, and posts one new one
    until(lambda: page.fact("run") == "completed", "the run is completed", 30)
    [standing] = [m for m in playground.slack.messages("general", root, deleted=False) if m["from_app"]][:1]
    playground.slack.click("ann", "everthread_stop", ts=standing["ts"], stale=True)

    until(lambda: "already over" in page.text("#replies article.whisper"), "only Ann is told that it is over")
    until(lambda: "at work" not in page.text(below), "nothing is at work any more")
    everybody = [m for m in playground.slack.messages("general", root, deleted=False) if m["ts"] != root]
    count = f"{len(everybody)} {'reply' if len(everybody) == 1 else 'replies'}"
    until(lambda: (page.text(below), page.text("#thread-about")) == (count, count), f"there are {count}")


def test_everything_can_be_reached_by_keyboard_and_fits_a_phone(page: Any, until: Until) -> None:
    until(lambda: page.all("dialog[open]"), "the first visit is greeted")
    body = page.find("body")
    body.send_keys(Keys.ESCAPE)
    until(lambda: not page.all("dialog[open]"), "Escape closes the hint")
    body.send_keys("k")
    until(lambda: "Ask the bot something first" in page.text("#said"), "K without a run says what to do")
    body.send_keys("/")
    assert page.driver.switch_to.active_element.get_attribute("id") == "ask"
    unnamed = page.driver.execute_script(
        "return [...document.querySelectorAll('button:not(.offer), textarea, input')].filter((e) => "
        "!(e.innerText.trim() || e.title || e.labels?.length || e.getAttribute('aria-label'))).map((e) => e.outerHTML)"
    )
    assert unnamed == []

    page.resize(420, 800)

    assert page.driver.execute_script("return document.documentElement.scrollWidth") == 420
    page.find(".tabs [data-pane='strip']").click()
    assert page.find("#kill").is_displayed()
