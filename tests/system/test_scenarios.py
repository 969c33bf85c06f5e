"""Scenarios on real processes, and real deaths at real death points."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from playground.scenarios.deaths import Death, die_at, spread, survey
from playground.scenarios.player import Player
from playground.scenarios.reading import read
from playground.scenarios.scenario import Scenario
from playground.scenarios.stage import Stage
from playground.scenarios.suite import Suite

SHIPPED = Path(__file__).parents[2] / "playground" / "scenarios"
PLAYED = (
    *("three-tools-one-slow", "kill-in-unsafe-tool", "kill-between-calls", "kill-bot", "lost-post", "stop-during"),
    *("approval", "set-aside"),
)
KILLED = ("kill-in-unsafe-tool", "kill-between-calls", "three-tools-one-slow")
POSTED = ("kill-bot", "redelivery", "decided-at-once")
"""Played over HTTP here: two bots share the posts, and one or both are killed, or two people decide at both."""
POINTS_EACH = 20


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage() as stage:
        yield stage


@pytest.mark.clause("RUN-1", "STEP-2", "TOOL-2", "TOOL-5", "REPLY-2", "ADMIT-1", "STOP-1")
@pytest.mark.clause("WAIT-2", "WAIT-3", "GATE-2", "ADMIT-4")
@pytest.mark.parametrize("name", PLAYED)
def test_a_scenario_holds_on_real_processes(stage: Stage, name: str) -> None:
    assert Player(stage, read(SHIPPED / f"{name}.yaml")).play().failures == []


@pytest.mark.clause("ADMIT-1", "ADMIT-3", "REPLY-8", "GATE-5", "WAIT-5")
@pytest.mark.parametrize("name", POSTED)
def test_a_scenario_holds_over_signed_http(stage: Stage, name: str) -> None:
    played = Player(stage, read(SHIPPED / f"{name}.yaml").over("http")).play()

    assert played.failures == []
    assert stage.slack.state()["sockets"] == []


@pytest.mark.clause("RUN-1", "RUN-11", "STEP-2", "STEP-4", "STEP-6", "TOOL-4", "REPLY-2", "WORK-2")
@pytest.mark.long
@pytest.mark.timeout(600)
def test_sixty_real_deaths_repeat_nothing_and_lose_nothing() -> None:
    suite: Suite[Death] = Suite(lambda _number: Stage(), len(KILLED))
    died = list(suite.run([partial(_die, read(SHIPPED / f"{name}.yaml")) for name in KILLED]))

    assert sum(bool(death.where) for death in died) == len(KILLED) * POINTS_EACH
    assert [(str(death.placed.point), death.played.failures) for death in died if death.played.failures] == []


def _die(scenario: Scenario, stage: Stage) -> Iterator[Death]:
    """Deaths at points all over the scenario, until enough were reached: not every play makes the same edits."""
    points = survey(stage, scenario)
    chosen = spread(points, POINTS_EACH)
    left = POINTS_EACH
    for placed in [*chosen, *(other for other in points if other not in chosen)]:
        death = die_at(stage, scenario, placed)
        left -= bool(death.where)
        yield death
        if not left:
            return


def test_a_file_that_does_not_hold_is_told_with_exit_code_1(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text((SHIPPED / "answer.yaml").read_text().replace("replies: 1", "replies: 2"))

    done = _console("--json", str(wrong))

    assert done.returncode == 1
    assert json.loads(done.stdout)["failures"] == ["replies: 1, not 2"]


def test_what_cannot_be_played_is_one_plain_line_with_exit_code_2(tmp_path: Path) -> None:
    slip = tmp_path / "slip.yaml"
    slip.write_text("title: a slip\nplya: []\n")

    for given in ([str(slip)], [str(tmp_path / "none.yaml")]):
        done = _console(*given)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert done.stderr.startswith("everthread scenario: ")


def test_nothing_of_a_play_outlives_it_not_even_what_it_started_last(stage: Stage) -> None:
    stage.set_up(read(SHIPPED / "answer.yaml"))
    for kind in ("worker", "bot"):
        stage.start(kind, 1)
    started = list(stage.processes.groups)

    stage.processes.clear()

    assert [pid for pid in started if psutil.pid_exists(pid)] == []


def test_a_start_that_fails_is_told_at_once_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'SyntaxError: not yet' >&2\n")
    broken.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(broken))

    with pytest.raises(RuntimeError, match="what starts the processes ended: SyntaxError: not yet"):
        Stage(keep=tmp_path / "kept")


def test_what_is_not_for_what_was_asked_is_left_out_aloud(tmp_path: Path) -> None:
    dropping = tmp_path / "dropping.yaml"
    dropping.write_text("title: it is about sockets\ntransports: [socket]\nplay: [{drop: sockets}]\n")
    stands = tmp_path / "stands.yaml"
    stands.write_text("title: it is played as it stands\nas_is: true\nplay: [{says: hello}]\n")

    for given, left in (
        (["--transport", "http", str(dropping)], "dropping: not over http: it is about socket alone"),
        (["--simulate", str(stands)], "stands: not simulated: it is for a play as it stands (as_is)"),
    ):
        done = _console(*given)
        assert (done.returncode, done.stdout) == (2, f"left {left}\nnothing was played · 1 left out\n")


def test_nothing_is_left_of_a_runner_that_was_killed(tmp_path: Path) -> None:
    slow = tmp_path / "slow.yaml"
    slow.write_text(
        "title: it takes long\n"
        "tools: {wait: {takes: 60s}}\n"
        "model: [{text: Waiting., calls: [{name: wait, input: {}}]}, {text: Done.}]\n"
        'play: [{says: "@everthread wait"}, {when: {tool: wait, is: started}, says: "@everthread and?", thread: b}]\n'
    )
    log = tmp_path / "kept" / "stage-0" / "slow.log"
    arguments = [sys.executable, "-m", "everthread", "scenario", "--keep", str(tmp_path / "kept"), str(slow)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as runner:
        family = _family(runner, log)
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
    gone, alive = psutil.wait_procs(family, timeout=20)
    assert not alive
    assert len(gone) >= 10


def _family(runner: subprocess.Popen[bytes], log: Path) -> list[psutil.Process]:
    """Everything that the runner started, once its bots are connected."""
    known = psutil.Process(runner.pid)
    for _ in range(600):
        if log.exists() and log.read_text().count("bot is connected") >= 2:
            return known.children(recursive=True)
        try:
            runner.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"the runner did not get so far; exit code {runner.poll()}")


def _console(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "everthread", "scenario", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
