"""What a stranger sees when it asks: answered by a button, a window or a reply, across whatever happens meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.test_playground import Until, enter, mention

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

CHOICE = "#replies [data-action^='everthread_choose']"
WORDS, SEND = "#replies [data-action='everthread_words']", "#replies [data-action='everthread_send']"
APPROVE, DENY = "#replies [data-action='everthread_approve']", "#replies [data-action='everthread_deny']"
EDITS = 75.0
"""Seconds after which Slack takes an edit again, whatever was edited before: 50 a minute for the workspace."""


def asks(page: Any, until: Until, text: str, button: str) -> None:
    """Mention it, and wait for the card and for the worker to let go."""
    mention(page, text)
    until(lambda: text in page.text("#replies article:first-child .blocks"), "the thread is open")
    until(lambda: page.all(button), "it asks")
    until(lambda: (page.fact("run"), page.fact("lease")) == ("waiting", "nobody"), "nobody is at work")


def completed(page: Any, until: Until) -> str:
    """The reply once the run is over."""
    until(lambda: page.fact("run") == "completed", "the run is completed", 30)
    until(lambda: "tokens" in page.reply()["text"], "the footer is there", EDITS)
    return str(page.reply()["text"])


def cards(page: Any) -> list[str]:
    """The bot's messages in the open thread but the reply, as they stand."""
    return [text for text in page.texts("#replies article.bot:not(.whisper) .blocks") if "tokens" not in text]


def become(page: Any, key: str) -> None:
    page.find(f"#people input[value='{key}']").find_element(By.XPATH, "..").click()


def pull(page: Any, lever: str) -> None:
    page.find(f".strip [data-lever='{lever}']").click()


@pytest.mark.clause("ASK-1", "WAIT-3")
def test_a_question_is_answered_by_a_button_and_meanwhile_nobody_is_at_work(page: Any, until: Until) -> None:
    page.resize(1400, 900)
    enter(page, until)
    asks(page, until, "ask me something", CHOICE)
    assert "1 run, 1 question" in page.text("#waiting-name").lower()
    assert "How shall I release v413?" in page.text("#waiting")
    assert "waits for an answer" in page.text("#roots article:last-child .below")
    page.picture("playground-question")

    page.all(CHOICE)[1].click()

    until(lambda: "Answered by @ann" in "".join(cards(page)), "the card says who answered", EDITS)
    assert "Canary first" in completed(page, until)
    assert page.all(CHOICE) == []
    until(lambda: not page.find(".waiting").is_displayed(), "nothing waits any more")
    assert page.complaints() == []


@pytest.mark.clause("ASK-1", "ASK-3")
def test_several_questions_are_answered_in_the_message_and_what_is_missing_is_said_to_the_one_who_sent_it(
    page: Any, until: Until
) -> None:
    enter(page, until)
    asks(page, until, "ask me three questions", SEND)

    page.find(SEND).click()
    until(lambda: "Nothing was sent" in page.text("article.whisper"), "it says what is missing")
    for label in ("Not today", "search", "mail", "Tonight"):
        pick(page, "#replies", label)
    page.find(SEND).click()

    reply = completed(page, until)
    assert [line for line in ("Not today", "search; mail", "Tonight") if line not in reply] == []
    assert page.complaints() == []


def pick(page: Any, where: str, label: str) -> None:
    """Choose an option by what it says."""
    options = page.all(f"{where} .choices label")
    next(one for one in options if one.text.split("\n")[0] == label).click()


@pytest.mark.clause("ASK-1", "ASK-3")
def test_a_question_is_answered_in_a_window_by_keyboard_which_lets_nobody_send_it_empty(
    page: Any, until: Until
) -> None:
    enter(page, until)
    asks(page, until, "ask me something", WORDS)

    page.find(WORDS).send_keys(Keys.ENTER)
    until(lambda: page.all("#modal[open]"), "a window opens")
    assert page.driver.switch_to.active_element.tag_name == "textarea"
    page.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    until(lambda: not page.all("#modal[open]"), "Escape closes it")
    page.find(WORDS).send_keys(Keys.ENTER)
    until(lambda: page.all("#modal[open]"), "it opens again")
    page.find("#modal [data-modal='submit']").click()
    until(lambda: "required" in page.text("#modal .wrong"), "it says that something is missing")
    page.find("#modal textarea").send_keys("on Monday, after the talk")
    page.find("#modal textarea").send_keys(Keys.TAB, Keys.TAB, Keys.ENTER)

    until(lambda: not page.all("#modal[open]"), "the window closes")
    assert "on Monday, after the talk" in completed(page, until)
    until(lambda: "Answered by @ann" in "".join(cards(page)), "the card says who answered", EDITS)
    assert page.complaints() == []


@pytest.mark.clause("ASK-1", "STEER-3")
def test_a_question_is_answered_by_a_reply_in_the_thread(page: Any, until: Until) -> None:
    enter(page, until)
    asks(page, until, "ask me for a good name", WORDS)

    page.find("#answer").send_keys("Ariadne, because of the thread", Keys.ENTER)

    assert "Ariadne, because of the thread" in completed(page, until)
    until(lambda: "Answered by @ann" in "".join(cards(page)), "the card says who answered", EDITS)
    assert page.all(WORDS) == []


@pytest.mark.clause("ASK-2")
def test_a_card_that_was_deleted_comes_back_when_the_sockets_drop(page: Any, until: Until) -> None:
    enter(page, until)
    asks(page, until, "ask me something", CHOICE)
    card = page.find("#replies article:has([data-action^='everthread_choose'])").get_attribute("data-ts")
    become(page, "ada")
    menu = page.find(f"#replies article[data-ts='{card}'] .more")
    menu.send_keys(Keys.ENTER)
    until(lambda: page.all("#menu:popover-open"), "the menu opens")
    next(item for item in page.all("#menu button") if item.text == "Delete message").click()
    until(lambda: not page.all(CHOICE), "the card is gone")

    pull(page, "drop-sockets")

    until(lambda: page.all(CHOICE), "it is asked again", 30)
    again = page.find("#replies article:has([data-action^='everthread_choose'])").get_attribute("data-ts")
    assert again > card
    until(lambda: page.fact("lease") == "nobody", "the worker let go")
    page.all(CHOICE)[0].click()
    assert "To everyone" in completed(page, until)
    assert "Answered by @ada" in "".join(cards(page))


@pytest.mark.clause("WAIT-2", "ASK-3")
def test_everything_is_killed_and_started_again_between_card_and_click(
    page: Any, playground: Any, until: Until
) -> None:
    enter(page, until)
    asks(page, until, "ask me something", CHOICE)
    before = {socket["pid"] for socket in playground.slack.state()["sockets"]}

    pull(page, "kill-all")
    until(lambda: "processes are dead" in page.text("#said"), "all are dead")
    pull(page, "restart-redis")
    until(lambda: page.text("#said").startswith("Valkey"), "the store is started again")
    until(lambda: {one["pid"] for one in playground.slack.state()["sockets"]} - before, "the bot is back", 30)
    page.all(CHOICE)[2].click()

    assert "Not today" in completed(page, until)
    assert "Answered by @ann" in "".join(cards(page))
    assert page.fact("twice") == "0"
    assert playground.claude.state()["violations"] == []
    assert playground.slack.violations() == []
