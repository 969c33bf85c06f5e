"""`python -m playground`: it opens, it says what is wrong in one line, and whatever ends it ends everything."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psutil
import pytest

from playground.page.server import ACTS
from playground.server import EmbeddedServer
from store.lifecycle import SETTLED

TEAM = "T0EVERTHRD"
THREE = "@everthread run three tools: releases, metrics, logs"


@dataclass
class Opened:
    """A playground that is up. said: everything it printed until then."""

    process: subprocess.Popen[str]
    url: str
    said: str
    var: Path

    def ask(self, path: str, wish: Any = None, **headers: str) -> Any:
        body = None if wish is None else json.dumps(wish).encode()
        request = Request(self.url + path, body, {"Content-Type": "application/json", **headers})  # noqa: S310
        with urlopen(request, timeout=10) as answer:  # noqa: S310
            return json.loads(answer.read())

    def facts(self, thread: str = "") -> dict[str, Any]:
        return dict(self.ask(f"/api/facts?thread={thread}"))

    def say(self, text: str) -> str:
        """Post as Ann; the thread."""
        said = self.ask("/api/say", {"user": "ann", "channel": "general", "text": text})
        return f"{TEAM}/{said['channel']}/{said['ts']}"

    def pull(self, lever: str, thread: str = "") -> dict[str, Any]:
        return dict(self.ask(f"/api/levers/{lever}", {"thread": thread}))

    def settled(self, thread: str) -> dict[str, Any]:
        """The facts once the run's end was delivered."""
        return dict(wait_until(lambda: _delivered(self.facts(thread)), "the run is settled and delivered", 30))

    def replies(self, thread: str) -> list[dict[str, Any]]:
        """Every reply ever posted in the thread, deleted ones too."""
        root = thread.rpartition("/")[2]
        channels = self.ask("/api/workspace")["channels"]
        messages = [m for c in channels for t in c["threads"] if t["ts"] == root for m in t["messages"]]
        return [m for m in messages if m["from_app"] and m["metadata"]["event_payload"]["part"] == "reply"]


def _over(facts: dict[str, Any]) -> dict[str, Any] | None:
    return facts if facts.get("run") and facts["run"]["status"] in SETTLED else None


def _delivered(facts: dict[str, Any]) -> dict[str, Any] | None:
    return facts if facts["run"] and facts["run"]["delivered"] else None


def wait_until(happens: Callable[[], Any], describe: str, within: float = 15.0) -> Any:
    deadline = time.perf_counter() + within
    while not (found := happens()):
        if time.perf_counter() > deadline:
            pytest.fail(f"not within {within:g} s: {describe}")
        time.sleep(0.05)  # noqa: TID251 - real processes on real time
    return found


def start(var: Path, *options: str, **environment: str) -> subprocess.Popen[str]:
    inherited = {n: v for n, v in os.environ.items() if n not in ("ANTHROPIC_API_KEY", "REDIS_URL")}
    return subprocess.Popen(
        [sys.executable, "-m", "playground", "--headless", "--var", str(var), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=inherited | environment,
    )


@contextmanager
def opened(var: Path, *options: str, **environment: str) -> Iterator[Opened]:
    with start(var, "--port", "0", *options, **environment) as process:
        try:
            assert process.stdout is not None
            said = ""
            for line in process.stdout:
                said += line
                if found := re.fullmatch(r"Open (\S+) \(Ctrl-C ends everything\)\n", line):
                    yield Opened(process, found[1], said, var)
                    break
            else:
                pytest.fail(f"the playground did not open:\n{said}")
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    quick = {"EVERTHREAD_LEASE": "6", "EVERTHREAD_RENEWAL": "2"}
    with opened(tmp_path_factory.mktemp("var"), **quick) as found:
        yield found


@pytest.mark.parametrize("lever", ["deploy", "kill-all", "restart-redis"])
def test_a_run_goes_on_in_one_reply_whatever_is_done_to_it(playground: Opened, lever: str) -> None:
    thread = playground.say(THREE)
    wait_until(lambda: (playground.facts(thread)["run"] or {}).get("steps"), "a step is recorded")

    assert playground.pull(lever, thread)["ok"]

    facts = wait_until(lambda: _over(playground.facts(thread)), "the run is settled", 40)
    assert facts["run"]["status"] == "completed"
    assert facts["calls"]["twice"] == 0
    assert len(playground.replies(thread)) == 1


def test_an_effect_whose_worker_was_killed_happens_once_and_the_model_is_told(playground: Opened) -> None:
    demo = playground.ask("/api/workspace")["demo"]
    thread = playground.say(f"@everthread post to {demo}")
    wait_until(lambda: playground.facts(thread)["effects"].get("charge"), "the effect happened")

    assert playground.pull("kill-worker", thread)["ok"]

    facts = playground.settled(thread)
    assert facts["effects"] == {"charge": 1}
    assert "may or may not have happened" in playground.replies(thread)[0]["text"]
    assert facts["run"]["pids"][0] != facts["run"]["pids"][-1]


def test_a_post_whose_answer_is_lost_stands_once(playground: Opened) -> None:
    playground.pull("lose-answer")

    thread = playground.say("@everthread what time is it?")

    playground.settled(thread)
    assert len([m for m in playground.replies(thread) if not m["deleted"]]) == 1


def test_a_silent_model_can_be_left_by_killing_its_worker(playground: Opened) -> None:
    playground.pull("silence-model")
    thread = playground.say("@everthread hello")
    wait_until(lambda: playground.facts(thread).get("calls", {}).get("billed"), "it is asked")

    assert playground.pull("kill-worker", thread)["ok"]

    assert playground.settled(thread)["calls"]["cut"] == 1


def test_a_lever_with_nothing_to_act_on_says_what_to_do(playground: Opened) -> None:
    def refused() -> dict[str, Any] | None:
        answer = playground.pull("kill-worker")
        return None if answer["ok"] else answer  # a worker may still be letting go of what was asked before

    assert wait_until(refused, "no worker is at work") == {
        "ok": False,
        "said": "No worker is in the middle of anything. Ask the bot something first.",
    }


def test_the_facts_are_told_once_or_as_a_stream_to_who_asks_for_one(playground: Opened) -> None:
    request = Request(f"{playground.url}/api/facts", headers={"Accept": "text/event-stream"})  # noqa: S310
    with urlopen(request, timeout=10) as stream:  # noqa: S310
        told = json.loads(stream.readline().removeprefix(b"data: "))

    assert told.keys() == playground.facts().keys() >= {"run", "processes", "happenings", "effects"}


def test_the_page_of_the_playground_lists_every_address(playground: Opened) -> None:
    page = (Path(__file__).parents[2] / "docs" / "playground.md").read_text(encoding="utf-8")
    server = (Path(__file__).parents[2] / "playground" / "page" / "server.py").read_text(encoding="utf-8")
    served = re.findall(r'web\.(get|post)\("(/(?:api|demo)[^"]*)"', server) + [("post", f"/api/{act}") for act in ACTS]

    assert len(served) > 12
    assert [path for verb, path in served if f"`{verb.upper()} {path}" not in page] == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_only_the_page_itself_may_ask_for_changes(playground: Opened, headers: dict[str, str], status: int) -> None:
    with pytest.raises(HTTPError) as refused:
        playground.ask("/api/levers/kill-all", {}, **headers)

    refused.value.close()
    assert refused.value.code == status


def test_every_file_is_our_own_and_no_page_may_load_another(playground: Opened) -> None:
    with urlopen(f"{playground.url}/") as page:  # noqa: S310
        html, policy = page.read().decode(), page.headers["Content-Security-Policy"]

    assert policy.startswith("default-src 'self';")
    assert re.findall(r"https?://", html) == []
    for name in re.findall(r'(?:src|href)="(/[^"]+)"', html):
        with urlopen(playground.url + name) as file:  # noqa: S310
            assert file.read()


def test_a_second_one_on_the_same_data_is_told_so(playground: Opened) -> None:
    second = start(playground.var, "--port", "0")
    said, _ = second.communicate(timeout=30)

    assert second.returncode == 1
    assert said == f"playground: another playground runs on {playground.var}; end it, or choose another folder: --var\n"


def test_a_busy_port_is_one_plain_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(tmp_path, "--port", str(port))
        said, _ = process.communicate(timeout=30)

    assert process.returncode == 1
    assert said == f"playground: port {port} is taken by another program; choose one: --port 0 takes any\n"


def _family(playground: Opened) -> list[psutil.Process]:
    """The playground and everything it started, itself first."""
    itself = psutil.Process(playground.process.pid)
    return [itself, *itself.children(recursive=True)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_whatever_ends_it_ends_all_it_started_without_a_word_about_open_pages(
    tmp_path: Path, number: signal.Signals
) -> None:
    with opened(tmp_path) as playground:
        family = _family(playground)[1:]
        assert len(family) >= 8  # guard, Valkey, two stand-ins, bot, supervisor, two workers, a sweep
        request = Request(f"{playground.url}/api/facts", headers={"Accept": "text/event-stream"})  # noqa: S310
        with ExitStack() as pages:
            for _ in range(8):
                pages.enter_context(urlopen(request, timeout=10)).readline()  # noqa: S310

            playground.process.send_signal(number)
            code = playground.process.wait(20)
            assert playground.process.stdout is not None
            said = playground.process.stdout.read()

    wait_until(lambda: not [p for p in family if p.is_running() and p.status() != "zombie"], "all of them ended")
    assert (code, said) == ((-number, "") if number == signal.SIGKILL else (0, "\nEverything ends …\n"))


def test_a_redis_of_ones_own_is_used_and_left_alone(tmp_path: Path) -> None:
    own = EmbeddedServer.start(tmp_path / "own")
    try:
        with opened(tmp_path / "var", REDIS_URL=own.url) as playground:
            assert f"Redis at 127.0.0.1:{own.port} (REDIS_URL)" in playground.said
            assert not playground.pull("restart-redis")["ok"]
            assert playground.settled(playground.say("@everthread hello"))["run"]["status"] == "completed"

        assert EmbeddedServer.running(tmp_path / "own") is not None
    finally:
        own.stop()
