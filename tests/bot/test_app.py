"""The app as it is put together."""

from __future__ import annotations

import os

import pytest

from tests.bot.doubles import Bot, event, mention

ENVIRONMENT = {
    "SLACK_BOT_TOKEN": "xo" + "xb-another",
    "SLACK_SIGNING_SECRET": "of another app",
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "of another app",
}


def test_what_the_environment_says_of_slack_changes_nothing_and_is_not_warned_of(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    bot.build()
    assert bot.tell(event(mention())).status == 200
    assert [said.text for said in bot.inputs] == ["charge 5"]
    assert caplog.messages == []
    assert capfd.readouterr() == ("", "")
    assert ENVIRONMENT.items() <= os.environ.items(), "what else reads it finds it as it was"
