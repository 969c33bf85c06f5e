"""What docs/for-people.md shows and says, as it is to be seen: its pictures are taken here."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import PICTURES
from tests.browser.test_playground import LAST_WORDS, Until, enter, holder, mention

pytestmark = pytest.mark.browser

PAGE = PICTURES.parent / "for-people.md"
MOST_BYTES = 300_000
THREAD = ".pane.thread"


@pytest.mark.clause("REPLY-6")
def test_what_people_are_told_of_a_run_is_what_they_see(page: Any, playground: Any, until: Until) -> None:
    page.resize(1500, 760)
    enter(page, until)
    mention(page, "run three tools (releases, metrics, logs), then tell me a long story")
    until(lambda: page.all("#replies .calls [data-state='running']"), "tools are seen at work")
    page.picture("people-working", THREAD)
    until(lambda: "went dark" in page.reply()["text"], "the story begins")
    before, pid = page.reply()["ts"], holder(page)
    playground.claude.fault("slow", turn=1, tokens_per_second=80)

    page.find("#kill").click()

    until(lambda: holder(page) not in (0, pid), "another process holds the lease")
    until(lambda: "resuming" in page.reply()["text"], "the message says that it is resumed")
    page.picture("people-resuming", THREAD)
    until(lambda: page.fact("run") == "completed", "the run is completed", 30)
    footer = until(lambda: "survived 1 restart" in page.reply()["text"], "the footer is there")
    page.picture("people-done", THREAD)

    assert footer
    assert page.reply()["ts"] == before
    assert LAST_WORDS in page.reply()["text"]


@pytest.mark.clause("REPLY-6")
def test_what_people_are_told_of_stop_is_what_they_see(page: Any, until: Until) -> None:
    page.resize(1500, 560)
    enter(page, until)
    mention(page, "tell me a long story")
    until(lambda: "lighthouse" in page.reply()["text"], "it speaks")
    page.find("#replies [data-action='everthread_stop']").send_keys(Keys.ENTER)
    until(lambda: page.fact("run") == "aborted", "the run is stopped")
    until(lambda: "Stopped" in page.reply()["text"], "the message says so")
    page.picture("people-stopped", THREAD)

    assert not page.all("#replies [data-action='everthread_stop']")


def test_the_page_for_people_shows_pictures_that_are_there_and_small() -> None:
    shown = [line.partition("(")[2].rstrip(")") for line in PAGE.read_text().splitlines() if line.startswith("![")]
    assert len(shown) >= 4
    assert {name: size for name in shown if (size := (PAGE.parent / name).stat().st_size) > MOST_BYTES} == {}
