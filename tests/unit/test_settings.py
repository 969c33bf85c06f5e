"""Settings come from the environment, and every fault is said at once, in plain words."""

from __future__ import annotations

import pytest

from everthread.settings import PREFIX, Settings, SettingsError, load, unknown, variable

BOT_TOKEN = "xo" + "xb-1-not-a-token"
APP_TOKEN = "xa" + "pp-1-not-a-token"
GOOD = {
    "SLACK_BOT_TOKEN": BOT_TOKEN,
    "SLACK_APP_TOKEN": APP_TOKEN,
    "ANTHROPIC_API_KEY": "not-a-key",
    "REDIS_URL": "redis://:hunter2@localhost:6379/0",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for field in Settings.model_fields:
        monkeypatch.delenv(variable(field), raising=False)
    return monkeypatch


def given(environment: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        environment.setenv(name, value)


@pytest.mark.clause("OPS-3")
def test_the_defaults_are_those_of_the_contract(environment: pytest.MonkeyPatch) -> None:
    given(environment, **GOOD)
    settings = load("bot", "worker")
    assert (settings.lease, settings.renewal, settings.sweep, settings.grace) == (15, 4, 2, 20)
    assert (settings.tools_at_once, settings.fruitless_resumes, settings.keep_days) == (10, 3, 30)
    assert (settings.max_turns, settings.active_time, settings.daily_spend) == (50, 3600, 20)
    assert (settings.guests, settings.foreign, settings.bind) == (False, False, "127.0.0.1")


@pytest.mark.clause("OPS-3")
def test_every_fault_is_said_at_once_in_one_plain_line_each(environment: pytest.MonkeyPatch) -> None:
    given(
        environment,
        SLACK_APP_TOKEN="xo" + "xb-wrong-kind",
        REDIS_URL="localhost:6379",
        PORT="many",
        EVERTHREAD_LEASE="1",
        EVERTHREAD_WORKERS="1000",
        EVERTHREAD_GUESTS="perhaps",
        EVERTHREAD_EFFORT="heroic",
        EVERTHREAD_PRICES="cheap",
    )
    with pytest.raises(SettingsError) as raised:
        load("bot", "worker")
    faults = {line.partition(" ")[0]: line for line in raised.value.faults}
    assert faults["SLACK_BOT_TOKEN"].startswith("SLACK_BOT_TOKEN is missing: copy the bot token")
    assert faults["ANTHROPIC_API_KEY"].startswith("ANTHROPIC_API_KEY is missing: make an API key")
    assert "begins with xapp-" in faults["SLACK_APP_TOKEN"]
    assert "begins with redis://" in faults["REDIS_URL"]
    assert faults["PORT"] == "PORT must be a whole number (it is 'many')"
    assert faults["EVERTHREAD_LEASE"] == "EVERTHREAD_LEASE must be at least 2 (it is '1')"
    assert faults["EVERTHREAD_WORKERS"] == "EVERTHREAD_WORKERS must be at most 64 (it is '1000')"
    assert faults["EVERTHREAD_GUESTS"] == "EVERTHREAD_GUESTS must be true or false (it is 'perhaps')"
    assert "'low', 'medium', 'high', 'xhigh' or 'max'" in faults["EVERTHREAD_EFFORT"]
    assert "EVERTHREAD_PRICES" in faults
    assert len(faults) == len(raised.value.faults) == 10


@pytest.mark.clause("OPS-3", "SEC-1")
def test_no_secret_is_shown_by_a_fault_or_by_the_settings(environment: pytest.MonkeyPatch) -> None:
    given(environment, **GOOD)
    settings = load("bot", "worker")
    assert "hunter2" in settings.secrets
    for secret in ("not-a-token", "not-a-key", "hunter2"):
        assert secret not in repr(settings) + str(settings)
    given(environment, REDIS_URL="http://:hunter2@localhost", SLACK_BOT_TOKEN="x-not-a-token")
    with pytest.raises(SettingsError) as raised:
        load("bot")
    assert "hunter2" not in str(raised.value)
    assert "not-a-token" not in str(raised.value)


@pytest.mark.clause("OPS-3")
def test_an_empty_variable_counts_as_unset(environment: pytest.MonkeyPatch) -> None:
    given(environment, **{**GOOD, "SLACK_BOT_TOKEN": "", "EVERTHREAD_LEASE": "", "PORT": ""})
    with pytest.raises(SettingsError, match="SLACK_BOT_TOKEN is missing"):
        load("bot")
    given(environment, SLACK_BOT_TOKEN=BOT_TOKEN)
    assert (load("bot").lease, load("bot").port) == (15, None)


def test_each_command_needs_only_its_own(environment: pytest.MonkeyPatch) -> None:
    given(environment, REDIS_URL=GOOD["REDIS_URL"])
    assert load("recovery").workers == 2
    with pytest.raises(SettingsError) as raised:
        load("worker")
    assert len(raised.value.faults) == 2


def test_lists_are_separated_by_commas_or_spaces(environment: pytest.MonkeyPatch) -> None:
    given(
        environment,
        **GOOD,
        EVERTHREAD_PEOPLE="U1, U2",
        EVERTHREAD_HTTP_POST="https://a.example/ https://b.example/",
    )
    assert load("bot").people == {"U1", "U2"}
    assert load("bot").http_post == {"https://a.example/", "https://b.example/"}


def test_prices_are_json(environment: pytest.MonkeyPatch) -> None:
    given(environment, **GOOD, EVERTHREAD_PRICES='{"my-model": {"input": 1, "output": 2.5}}')
    assert load("worker").prices == {"my-model": {"input": 1.0, "output": 2.5}}
    given(environment, EVERTHREAD_PRICES='{"my-model": {"input": 1}}')
    with pytest.raises(SettingsError, match="needs input and output for my-model"):
        load("worker")


def test_a_renewal_too_slow_for_its_lease_is_a_fault(environment: pytest.MonkeyPatch) -> None:
    given(environment, **GOOD, EVERTHREAD_RENEWAL="6")
    with pytest.raises(SettingsError, match="at most a third"):
        load("worker")


def test_a_misspelt_setting_is_pointed_out() -> None:
    lines = unknown({PREFIX + "LEESE": "15", PREFIX + "LEASE": "15", "PATH": "/bin"})
    assert lines == ["EVERTHREAD_LEESE is not a setting: did you mean EVERTHREAD_LEASE?"]


@pytest.mark.clause("OPS-1", "OPS-3")
def test_a_signing_secret_takes_the_place_of_the_app_token_and_needs_a_port(environment: pytest.MonkeyPatch) -> None:
    given(environment, **{**GOOD, "SLACK_APP_TOKEN": ""})
    with pytest.raises(SettingsError) as raised:
        load("bot")
    assert "or set SLACK_SIGNING_SECRET and PORT" in str(raised.value)
    given(environment, SLACK_SIGNING_SECRET="signed-and-secret")
    with pytest.raises(SettingsError, match=r"^PORT is missing"):
        load("bot")
    given(environment, PORT="8080")
    settings = load("bot")
    assert settings.slack_app_token is None
    assert "signed-and-secret" in settings.secrets
    assert "signed-and-secret" not in repr(settings)


@pytest.mark.clause("OPS-3")
def test_a_signing_secret_beside_an_app_token_asks_for_nothing_more(environment: pytest.MonkeyPatch) -> None:
    given(environment, **GOOD, SLACK_SIGNING_SECRET="signed-and-secret")

    assert load("bot").slack_app_token is not None
