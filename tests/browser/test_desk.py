"""What a stranger sees of the operator's side: `/everthread`, a message's menu, the home tab."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.test_playground import Until, enter
from tests.browser.test_waiting import CHOICE, asks, become, completed

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def command(page: Any, until: Until, words: str) -> None:
    """Complete the command with Tab, send with Enter."""
    box = page.find("#ask")
    box.send_keys("/ev", Keys.TAB)
    assert box.get_attribute("value") == "/everthread "
    box.send_keys(words, Keys.ENTER)
    until(lambda: box.get_attribute("value") == "", "it is taken")


def choose(page: Any, until: Until, message: str, label: str) -> None:
    """Open a message's menu by keyboard, and choose."""
    page.find(f"{message} .more").send_keys(Keys.ENTER)
    until(lambda: page.all("#menu:popover-open"), "the menu opens")
    for _ in page.all("#menu button"):
        if page.driver.switch_to.active_element.text.split("\n")[0] == label:
            break
        page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    until(lambda: not page.all("#menu:popover-open"), "the menu closes")


def test_the_home_tab_says_what_waits_for_whom_and_leads_there(page: Any, until: Until) -> None:
    page.resize(1650, 560)
    enter(page, until)
    asks(page, until, "ask me something", CHOICE)

    page.find("#channels [data-channel='ann']").click()
    page.find("#tabs [data-tab='home']").click()
    until(lambda: "What waits for you" in page.text("#home"), "the home tab is there")
    until(lambda: "a question" in page.text("#home"), "it lists the question")
    assert "The workspace" not in page.text("#home")
    page.picture("playground-home", ".pane.channel")
    become(page, "ada")
    until(lambda: "The workspace" in page.text("#home"), "an admin sees more")
    become(page, "ann")
    until(lambda: page.all("#home a"), "Ann's is there again")
    page.find("#home a").click()

    until(lambda: page.all(CHOICE), "the thread is open, with its card")
    assert page.text("#channel-name") == "#general"
    page.all(CHOICE)[0].click()
    assert "To everyone" in completed(page, until)
    assert page.complaints() == []


def test_why_it_waits_is_told_to_who_asks_alone(page: Any, until: Until) -> None:
    page.resize(1650, 760)
    enter(page, until)
    asks(page, until, "ask me something", CHOICE)

    command(page, until, "why")

    told = until(lambda: page.text("#roots article.whisper:last-child"), "it is told")
    assert "It waits for an answer" in told
    assert "No process holds it" in told
    page.picture("playground-why", ".pane.channel")
    become(page, "bob")
    until(lambda: not page.all("article.whisper"), "nobody else sees it")
    page.all(CHOICE)[0].click()
    completed(page, until)


def test_a_messages_menu_says_what_it_waits_for_and_stops_it(page: Any, until: Until) -> None:
    enter(page, until)
    asks(page, until, "ask me something", CHOICE)
    message = "#replies article:nth-child(2)"

    choose(page, until, message, "What is it waiting for?")
    until(lambda: "It waits for an answer" in page.text("#replies article.whisper"), "it is told in the thread")
    choose(page, until, message, "Stop this run")

    until(lambda: page.fact("run") == "aborted", "the run is stopped")
    until(lambda: not page.all(CHOICE), "the card has no buttons any more")


def test_an_admin_chooses_a_setting_in_a_window_and_others_are_refused(page: Any, until: Until) -> None:
    enter(page, until)
    command(page, until, "settings")
    until(lambda: "admin" in page.text("#roots article.whisper:last-child"), "Ann is told that it is for admins")
    assert not page.all("#modal[open]")

    become(page, "ada")
    command(page, until, "settings")
    until(lambda: page.all("#modal[open]"), "a window opens")
    page.find("#modal select").send_keys("mentions")
    page.find("#modal [data-modal='submit']").click()

    until(lambda: not page.all("#modal[open]"), "it is taken")
    command(page, until, "settings")
    until(lambda: page.all("#modal[open]"), "it opens again")
    assert page.find("#modal select").get_attribute("value") == "mentions"
    assert page.complaints() == []


def test_slack_knows_no_other_command_and_none_in_threads(page: Any, until: Until) -> None:
    enter(page, until)
    asks(page, until, "ask me something", CHOICE)

    page.find("#ask").send_keys("/nonsense now", Keys.ENTER)
    until(lambda: page.text("#said") == "/nonsense is not a valid command.", "it says so")
    page.find("#answer").send_keys("/everthread why", Keys.ENTER)

    refused = "/everthread is not supported in threads. Sorry!"
    until(lambda: refused in page.text("#replies article.whisper"), "Slack refuses it")
    page.all(CHOICE)[0].click()
    completed(page, until)
