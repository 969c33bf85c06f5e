"""Every setting, each an environment variable, with its default and its range.

    settings = load("worker")        # or "bot", "recovery": what a command needs beside the defaults
    SettingsError.faults             # all of them at once, one plain line each

An empty variable counts as unset. Secrets are `SecretStr` and are never shown, also not in a fault.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from everthread.faults import fault

PREFIX = "EVERTHREAD_"
Command = Literal["bot", "worker", "recovery"]


def _names(given: Any) -> Any:
    """`a, b` from the environment as a set."""
    if isinstance(given, str):
        return frozenset(name for name in given.replace(",", " ").split() if name)
    return given


def _by_channel(given: Any) -> Any:
    """`C1=all, C2=mentions` from the environment as a mapping."""
    if isinstance(given, str):
        pairs = [pair.partition("=") for pair in given.replace(",", " ").split()]
        return {channel: mode for channel, _, mode in pairs}
    return given


def _json(given: Any) -> Any:
    return json.loads(given) if isinstance(given, str) else given


def _begins(*beginnings: str) -> AfterValidator:
    """Only a text that begins like this; the fault is worded in `everthread.faults`."""

    def check(given: Secretive) -> Secretive:
        text = given.get_secret_value() if isinstance(given, SecretStr) else given
        if not text.startswith(beginnings):
            raise ValueError(f"does not begin with {' or '.join(beginnings)}")
        return given

    return AfterValidator(check)


class RuleSetting(BaseModel):
    """One rule, as it is written: `{"tool": "http_post", "arguments": {"url": "*prod*"}, "then": "ask"}`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    then: Literal["allow", "ask", "deny"]
    tool: str = "*"
    channel: str = "*"
    arguments: dict[str, str] = Field(default_factory=dict)
    by: frozenset[str] = frozenset()
    approvals: int | None = Field(None, ge=1, le=20)
    self_approval: bool | None = None


Secretive = TypeVar("Secretive", str, SecretStr)
Names = Annotated[frozenset[str], NoDecode, BeforeValidator(_names)]
Ports = Annotated[
    frozenset[Annotated[int, Field(ge=1, le=65535)]], NoDecode, BeforeValidator(_names), Field(min_length=1)
]
Mode = Literal["mentions", "asked", "all"]
Modes = Annotated[dict[str, Mode], NoDecode, BeforeValidator(_by_channel)]
Prices = Annotated[dict[str, dict[str, float]], NoDecode, BeforeValidator(_json)]
RuleList = Annotated[tuple[RuleSetting, ...], NoDecode, BeforeValidator(_json)]
HttpAddress = Annotated[str, _begins("http://", "https://")]


class Settings(BaseSettings):
    """What runs where, for whom, within which limits. Times in seconds, money in US dollars."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, populate_by_name=True
    )

    # Who we talk to.
    slack_bot_token: Annotated[SecretStr, _begins("xoxb-")] | None = Field(None, alias="SLACK_BOT_TOKEN")
    slack_app_token: Annotated[SecretStr, _begins("xapp-")] | None = Field(None, alias="SLACK_APP_TOKEN")
    slack_signing_secret: SecretStr | None = Field(None, alias="SLACK_SIGNING_SECRET")
    """Without an app token: Slack posts to us over HTTP, signed with this."""
    bots: int = Field(1, ge=1, le=10)
    """Bot processes of this deployment, so that others on the same app token are noticed."""
    slack_api_url: HttpAddress | None = Field(None, alias="SLACK_API_URL")
    anthropic_api_key: SecretStr | None = Field(None, alias="ANTHROPIC_API_KEY")
    anthropic_base_url: HttpAddress | None = Field(None, alias="ANTHROPIC_BASE_URL")
    redis_url: Annotated[SecretStr, _begins("redis://", "rediss://", "unix://")] | None = Field(None, alias="REDIS_URL")
    redis_tls: Literal["verified", "unverified"] = "verified"
    """unverified: for hosts that sign their own certificates, as Heroku does."""

    # Where the health check listens: only with PORT. Heroku's router needs EVERTHREAD_BIND=0.0.0.0.
    port: int | None = Field(None, alias="PORT", ge=1, le=65535)
    bind: str = "127.0.0.1"

    # The pool.
    workers: int = Field(2, ge=1, le=64)
    lease: float = Field(15.0, ge=2.0, le=300.0)
    renewal: float = Field(4.0, ge=0.5, le=100.0)
    sweep: float = Field(2.0, ge=0.1, le=60.0)
    grace: float = Field(20.0, ge=0.5, le=600.0)
    worker_memory: int = Field(512, ge=128, le=65_536)
    """MB after which a worker process is replaced, between two tenures."""
    keep_days: float = Field(30.0, ge=0.01, le=3650.0)
    catch_up: float = Field(60.0, ge=1.0, le=3600.0)
    """Seconds between two readings of Slack's history where something may have been missed."""
    recall: float = Field(600.0, ge=0.0, le=86_400.0)
    """Seconds for which an open question's card counts as looked after, however often the bot connects."""

    # The agent.
    model: str = "claude-sonnet-5-5"
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    max_tokens: int = Field(16_000, ge=256, le=128_000)
    max_turns: int = Field(50, ge=1, le=1000)
    active_time: float = Field(3600.0, ge=10.0, le=86_400.0)
    tools_at_once: int = Field(10, ge=1, le=64)
    fruitless_resumes: int = Field(3, ge=1, le=100)
    instructions: str = ""
    """Added to the agent's own system text."""
    tools: Names = frozenset()
    """Tools of your own, as `module:name`: a tool, several, or a function without arguments that gives them."""
    http_post: Names = frozenset()
    """Addresses a tool may post to, by prefix; none unless listed."""
    fetch: bool = True
    """Whether a tool may read public web pages; private addresses are never reached (SEC-3)."""
    fetch_ports: Ports = frozenset({80, 443})

    # Money.
    daily_spend: float = Field(20.0, ge=0.0, le=1_000_000.0)
    """Dollars a workspace may spend a day (UTC); then runs park. 0 lets nothing be spent."""
    prices: Prices = Field(default_factory=dict)
    """JSON: model → dollars per million tokens, over the built-in table."""

    # Whose it is. Empty people, groups: everybody; empty channels: everywhere.
    admins: Names = frozenset()
    """Those who may use every verb of `/everthread`, beside the workspace's own admins and owners."""
    people: Names = frozenset()
    groups: Names = frozenset()
    channels: Names = frozenset()
    guests: bool = False
    foreign: bool = False
    other_bots: Names = frozenset()
    """Ids of other bots that are heard when they mention us."""
    listen: Mode = "asked"
    """When a reply that does not mention us is for us: never, from who asked in that thread, or from anybody there."""
    listen_in: Modes = Field(default_factory=dict)
    """The same by channel, as `C0123=all`."""
    stop_by: Literal["anyone", "asker"] = "anyone"
    stop_words: Names = frozenset({"stop", "cancel", "abort", "halt"})
    """Each, said alone in a thread, stops the run that is open there."""

    # Whom runs wait for: `asker`, `channel` (everybody who may use the bot there), user and group ids.
    answer_by: Names = Field(frozenset({"channel"}), min_length=1)
    """Who may answer questions."""
    approve_by: Names = Field(frozenset({"channel"}), min_length=1)
    """Who may decide on plans, and on tool calls where a rule names nobody."""
    approvals: int = Field(1, ge=1, le=20)
    """How many people have to approve; the first denial decides alone."""
    self_approval: bool = True
    """Whether who asked for something may approve it."""
    patience: float = Field(0.0, ge=0.0, le=2_592_000.0)
    """Seconds until a question is given up where the model sets no time; 0: never."""
    rules: RuleList = ()
    """JSON list: what happens to tool calls that fit, as in docs/operations.md; the first that fits decides."""

    log: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def verify_tls(self) -> bool:
        return self.redis_tls == "verified"

    @property
    def secrets(self) -> list[str]:
        """Every secret in the clear, to keep them out of whatever is printed."""
        given = (
            *(self.slack_bot_token, self.slack_app_token, self.slack_signing_secret),
            *(self.anthropic_api_key, self.redis_url),
        )
        found = [secret.get_secret_value() for secret in given if secret is not None]
        password = urlsplit(self.redis_url.get_secret_value()).password if self.redis_url else None
        return [*found, password] if password else found


NEEDS: dict[Command, dict[str, str]] = {
    "bot": {
        "slack_bot_token": "copy the bot token (xoxb-…) from your Slack app, OAuth & Permissions",
        "slack_app_token": "make an app-level token (xapp-…) with connections:write, Basic Information; "
        "or set SLACK_SIGNING_SECRET and PORT, and Slack posts to you",
        "redis_url": "give the address of a Redis or Valkey, such as redis://localhost:6379/0",
    },
    "worker": {
        "slack_bot_token": "copy the bot token (xoxb-…) from your Slack app, OAuth & Permissions",
        "anthropic_api_key": "make an API key in the Claude Console",
        "redis_url": "give the address of a Redis or Valkey, such as redis://localhost:6379/0",
    },
    "recovery": {"redis_url": "give the address of a Redis or Valkey, such as redis://localhost:6379/0"},
}
"""What each command cannot do without, and where to get it."""


class SettingsError(Exception):
    """The settings cannot be used; `faults` says why, one plain line each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def load(*commands: Command) -> Settings:
    """The settings of this process' environment; `SettingsError` with every fault at once."""
    settings, faults = None, []
    wrong: set[str] = set()
    try:
        settings = Settings()
    except ValidationError as error:
        for found in error.errors(include_url=False):
            name = variable(str(found["loc"][0]))
            wrong.add(name)
            faults.append(fault(name, found))
    for needed, hint in _needed(commands).items():
        name = variable(needed)
        if name == "SLACK_APP_TOKEN" and os.environ.get("SLACK_SIGNING_SECRET") and not os.environ.get(name):
            name, hint = "PORT", "say where Slack's posts arrive, or set SLACK_APP_TOKEN"
        if name not in wrong and not os.environ.get(name):
            faults.append(f"{name} is missing: {hint}")
    if settings is not None:
        faults += _contradictions(settings)
    if faults or settings is None:
        raise SettingsError(faults)
    return settings


def variable(field: str) -> str:
    """The environment variable behind a field, or behind a field's alias."""
    known = Settings.model_fields.get(field)
    if known is None:
        return field
    return known.alias or PREFIX + field.upper()


def unknown(environment: Mapping[str, str]) -> list[str]:
    """A line for every EVERTHREAD_* variable that is no setting: most likely a slip of the pen."""
    known = {variable(field) for field in Settings.model_fields}
    lines = []
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            lines.append(f"{name} is not a setting" + (f": did you mean {near[0]}?" if near else ""))
    return lines


def _needed(commands: tuple[Command, ...]) -> dict[str, str]:
    return {field: hint for command in commands for field, hint in NEEDS[command].items()}


def _contradictions(settings: Settings) -> list[str]:
    faults = []
    if settings.renewal > settings.lease / 3:
        faults.append(
            f"EVERTHREAD_RENEWAL ({settings.renewal:g} s) must be at most a third of EVERTHREAD_LEASE "
            f"({settings.lease:g} s), so that two renewals may fail: lower it or raise the lease"
        )
    for model, price in settings.prices.items():
        if not {"input", "output"} <= set(price) <= {"input", "output", "cache_read"} or min(price.values()) < 0:
            faults.append(
                f"EVERTHREAD_PRICES needs input and output for {model} (cache_read may be there too), at least 0"
            )
    return faults
