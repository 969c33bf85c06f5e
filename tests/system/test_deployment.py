"""The real processes as they are deployed: bot, worker, doctor, against stand-ins for Slack and Claude."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil
import pytest

from playground.server import EmbeddedServer
from playground.standins.claude.client import ClaudeStandin
from playground.standins.slack.client import SlackStandin
from store.redis.connection import for_bot
from store.system import SystemClock, SystemThreads

clock, threads = SystemClock(), SystemThreads()


def wait_until(predicate: Callable[[], Any], describe: str, within: float = 10.0) -> None:
    until = clock.boottime() + within
    while not predicate():
        assert clock.boottime() < until, f"not within {within} s: {describe}"
        threads.sleep(0.02)


@dataclass
class Deployment:
    """A server, two stand-ins, and the processes that a test starts."""

    server: EmbeddedServer
    slack: SlackStandin
    claude: ClaudeStandin
    log: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("EVERTHREAD_")}
        return clean | {
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": self.slack.app_token,
            "SLACK_API_URL": self.slack.api_url,
            "ANTHROPIC_API_KEY": "not-a-key",
            "ANTHROPIC_BASE_URL": self.claude.url,
            "REDIS_URL": self.server.url,
            "EVERTHREAD_WORKERS": "1",
        }

    def start(self, command: str, **settings: str) -> subprocess.Popen[bytes]:
        arguments = [sys.executable, "-m", "everthread", command]
        with self.log.open("ab") as log:
            process = subprocess.Popen(arguments, env=self.environment | settings, stderr=log)
        self.processes.append(process)
        return process

    def run(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        arguments = [sys.executable, "-m", "everthread", *words]
        return subprocess.run(
            arguments, env=self.environment | settings, capture_output=True, text=True, timeout=30, check=False
        )

    def logged(self, words: str) -> bool:
        return words in self.log.read_text()

    def replies(self, channel: str, thread: str) -> list[str]:
        return [m["text"] for m in self.slack.messages(channel, thread) if m["ts"] != thread]


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    log = tmp_path / "log"
    log.touch()
    with SlackStandin.start() as slack:
        claude = ClaudeStandin.start()
        server = EmbeddedServer.start(tmp_path / "data")
        deployment = Deployment(server, slack, claude, log)
        yield deployment
        for process in deployment.processes:
            family = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
            for member in family:
                member.kill()
            process.kill()
            process.wait()
        server.kill()
        claude.stop()


def get(port: int, path: str) -> tuple[int, dict[str, str]]:
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


def test_a_mention_is_answered_and_both_processes_end_cleanly(deployment: Deployment) -> None:
    bot, worker = deployment.start("bot"), deployment.start("worker")
    wait_until(lambda: deployment.logged("bot is connected"), "the bot is connected")
    wait_until(lambda: deployment.logged("pool starts"), "the pool starts")
    ts = deployment.slack.say("ann", "general", "@everthread hello")
    wait_until(lambda: deployment.replies("general", ts), "somebody answered")
    secrets = (deployment.slack.bot_token, deployment.slack.app_token, "not-a-key")
    for process in (bot, worker, bot, worker):
        process.send_signal(signal.SIGTERM)
    assert (bot.wait(3), worker.wait(10)) == (0, 0)
    assert not any(deployment.logged(secret) for secret in secrets)


def test_health_tells_ready_from_alive(deployment: Deployment) -> None:
    port = deployment.server.port + 1
    bot = deployment.start("bot", PORT=str(port))
    wait_until(lambda: deployment.logged("bot is connected"), "the bot is connected")
    assert get(port, "/healthz")[0] == 200
    deployment.server.kill()
    code, body = get(port, "/healthz")
    assert code == 503
    assert "does not answer" in body["store"]
    assert get(port, "/healthz/alive")[0] == 200
    deployment.server.restart()
    assert get(port, "/healthz")[0] == 200
    bot.send_signal(signal.SIGTERM)
    assert bot.wait(10) == 0


@pytest.mark.clause("OPS-1", "SEC-1")
def test_without_an_app_token_slack_posts_and_the_same_processes_answer(deployment: Deployment) -> None:
    slack, port = deployment.slack, deployment.server.port + 1
    slack.settings(transport="http")
    over_http = {"SLACK_APP_TOKEN": "", "SLACK_SIGNING_SECRET": slack.signing_secret, "PORT": str(port)}
    bot, worker = deployment.start("bot", **over_http), deployment.start("worker", **over_http)
    wait_until(lambda: deployment.logged("bot listens for Slack"), "the bot listens", 20.0)
    wait_until(lambda: deployment.logged("pool starts"), "the pool starts", 20.0)
    assert slack.verify_request_url(f"http://127.0.0.1:{port}/slack/events")["verified"]
    ts = slack.say("ann", "general", "@everthread hello")
    wait_until(lambda: deployment.replies("general", ts), "somebody answered")
    assert get(port, "/healthz")[0] == 200
    slack.revoke_token()
    assert get(port, "/healthz")[0] == 200, "Slack is asked twice a minute at most"
    assert slack.state()["sockets"] == []
    for process in (bot, worker):
        process.send_signal(signal.SIGTERM)
    assert (bot.wait(5), worker.wait(10)) == (0, 0)
    assert not deployment.logged(slack.signing_secret)


@pytest.mark.clause("ADMIN-1", "ADMIN-2")
def test_those_who_run_it_are_answered_in_slack_and_on_the_command_line(deployment: Deployment) -> None:
    slack = deployment.slack
    deployment.start("bot")
    deployment.start("worker")
    wait_until(lambda: deployment.logged("bot is connected"), "the bot is connected", 20.0)
    wait_until(lambda: deployment.logged("pool starts"), "the pool starts", 20.0)
    ts = slack.say("ann", "general", "@everthread hello")
    wait_until(lambda: "tokens" in blocks_of(slack.messages("general", ts)[-1]), "it is over")
    [channel] = [one["id"] for one in slack.state()["channels"] if one["name"] == "general"]

    slack.slash(
        "ada", "general", "/everthread", f"why https://everthread.slack.com/archives/{channel}/p{ts.replace('.', '')}"
    )
    assert "It is over" in blocks_of(slack.state()["ephemerals"][-1])
    slack.shortcut("bob", "everthread_why", ts)
    assert slack.state()["ephemerals"][-1]["thread_ts"] == ts
    slack.slash("bob", "general", "/everthread", "settings")
    assert "Only admins" in blocks_of(slack.state()["ephemerals"][-1])

    slack.open_home("ann")
    wait_until(lambda: slack.state()["views"], "the home tab is there")
    assert f"|{run_of(blocks_of(slack.state()['views'][0]))}>" in blocks_of(slack.state()["views"][0])

    slack.slash("ada", "general", "/everthread", "settings")
    picked = {"mode": {"type": "static_select", "selected_option": {"value": "all"}}}
    assert slack.submit_view("ada", {"everthread_listen": picked})["outcome"] == "closed"
    slack.say("bob", "general", "and hello to me", ts)
    wait_until(lambda: len(deployment.replies("general", ts)) == 3, "a reply without a mention is answered, too")

    run = run_of(blocks_of(slack.state()["views"][0]))
    told = deployment.run("why", run)
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.startswith(f"run {run} in T0EVERTHRD/{channel}/{ts}, asked by U0ANN00001")
    deployment.server.kill()
    assert deployment.run("runs").returncode == 3
    assert "cannot reach my store" in slack.slash("ada", "general", "/everthread", "runs")["shown"]


def blocks_of(shown: dict[str, Any]) -> str:
    return json.dumps(shown["blocks"], ensure_ascii=False)


def run_of(shown: str) -> str:
    """The id of the first run that a home tab lists."""
    found = re.search(r"\|(r[a-z0-9]+)>", shown)
    assert found is not None
    return found.group(1)


def test_a_port_that_is_taken_is_said_in_one_line(deployment: Deployment) -> None:
    end = deployment.run("bot", PORT=str(deployment.server.port))
    assert end.returncode == 2
    assert "everthread bot: PORT: cannot listen on 127.0.0.1:" in end.stderr


@pytest.mark.clause("OPS-3")
def test_what_makes_a_start_impossible_is_one_line_and_an_exit_code(deployment: Deployment) -> None:
    for_bot(deployment.server.url).config_set("maxmemory-policy", "allkeys-lru")
    ends = [deployment.run("bot")]
    for_bot(deployment.server.url).config_set("maxmemory-policy", "noeviction")
    deployment.slack.revoke_token()
    ends.append(deployment.run("worker"))
    deployment.slack.stop()
    ends.append(deployment.run("bot"))
    deployment.server.kill()
    ends.append(deployment.run("worker"))
    assert [end.returncode for end in ends] == [4, 5, 6, 3]
    for end in ends:
        assert end.stderr.startswith("everthread ")
        assert end.stderr.count("\n") == 1


@pytest.mark.clause("OPS-3")
def test_the_doctor_says_one_line_per_thing_it_looked_at(deployment: Deployment) -> None:
    healthy = deployment.run("doctor")
    assert healthy.returncode == 0, healthy.stdout
    assert not [line for line in healthy.stdout.splitlines() if line.startswith("fault")]
    deployment.slack.revoke_token()
    ill = deployment.run("doctor", EVERTHREAD_LEESE="15")
    assert ill.returncode == 5
    assert "Slack refuses a token" in ill.stdout
    assert "did you mean EVERTHREAD_LEASE?" in ill.stdout
