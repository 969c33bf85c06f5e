"""What the control strip can do. Every lever answers in one sentence; the page says it aloud."""

from __future__ import annotations

from collections.abc import Callable

from playground.page.facts import Facts
from playground.page.happenings import Happenings
from playground.standins.claude.client import ClaudeStandin
from playground.workspace import Workspace

TROUBLE_SECONDS = 10.0
SILENT_AFTER = 6
"""Tokens a silent model says before it falls silent."""


class NotNow(Exception):
    """A lever has nothing to act on; the message says what to do first."""


class Levers:
    """Faults by hand. Blocking: called off the event loop."""

    def __init__(self, workspace: Workspace, facts: Facts, happenings: Happenings) -> None:
        self._workspace, self._facts, self._happenings = workspace, facts, happenings
        self.all: dict[str, Callable[[str], str]] = {
            "kill-worker": self._kill_worker,
            "deploy": self._deploy,
            "kill-all": self._kill_all,
            "drop-sockets": self._drop_sockets,
            "restart-redis": self._restart_redis,
            "slack-busy": self._slack_busy,
            "lose-answer": self._lose_answer,
            "silence-model": self._silence_model,
            "wake-model": self._wake_model,
        }

    def pull(self, name: str, thread: str) -> str:
        """Pull a lever, for the thread on screen where that matters; KeyError when there is no such lever."""
        return self.all[name](thread)

    def _kill_worker(self, thread: str) -> str:
        if not (thread and self._facts.holder(thread)):
            busy = self._facts.busy()
            if not busy:
                raise NotNow("No worker is in the middle of anything. Ask the bot something first.")
            thread = busy[0]
        pid = self._facts.holder(thread)
        if not self._workspace.crew.kill(pid):
            raise NotNow(f"Process {pid} is gone already; its lease lapses within seconds.")
        self._happenings.add("killed", f"worker {pid} killed", thread, pid)
        return f"Worker {pid} is dead. Watch the same message go on."

    def _deploy(self, _thread: str) -> str:
        pids = self._workspace.crew.deploy()
        self._happenings.add("killed", f"deploy: {len(pids)} processes asked to end")
        return f"SIGTERM to {len(pids)} processes. They finish what they can and start again."

    def _kill_all(self, _thread: str) -> str:
        pids = self._workspace.crew.kill_all()
        self._happenings.add("killed", f"all {len(pids)} processes killed")
        return f"{len(pids)} processes are dead: the bot, the supervisor and its pool. They start again now."

    def _drop_sockets(self, _thread: str) -> str:
        count = self._workspace.slack.close_sockets("close")
        closed = "1 socket" if count == 1 else f"{count} sockets"
        self._happenings.add("trouble", f"Slack closed {closed}")
        return f"Slack closed {closed}. The bot connects anew."

    def _restart_redis(self, _thread: str) -> str:
        if self._workspace.valkey is None:
            raise NotNow("This is your own Redis (REDIS_URL); restart it yourself, nothing is lost.")
        self._happenings.add("trouble", "Valkey killed and started again")
        self._workspace.valkey.restart()
        self._workspace.guard.watch_server(self._workspace.valkey.pid)
        return f"Valkey was killed and runs again, as process {self._workspace.valkey.pid}, on the same files."

    def _slack_busy(self, _thread: str) -> str:
        self._workspace.slack.fault("ratelimit", "*", seconds=TROUBLE_SECONDS)
        self._happenings.add("trouble", f"Slack answers 429 for {TROUBLE_SECONDS:.0f} s")
        return f"Slack refuses every call for {TROUBLE_SECONDS:.0f} s (429)."

    def _lose_answer(self, _thread: str) -> str:
        self._workspace.slack.fault("drop", "chat.postMessage", when="after")
        self._happenings.add("trouble", "the next post's answer gets lost")
        return "Slack will take the next post and drop the connection before it answers. Ask something."

    def _silence_model(self, _thread: str) -> str:
        self._claude().fault("silent", after=SILENT_AFTER, pings=1.0)
        self._happenings.add("trouble", "the next model call falls silent")
        return "The next model call falls silent after a few words. Stop it, kill its worker, or let it speak."

    def _wake_model(self, _thread: str) -> str:
        self._claude().release()
        self._happenings.add("trouble", "the model speaks again")
        return "The model goes on."

    def _claude(self) -> ClaudeStandin:
        if self._workspace.claude is None:
            raise NotNow("This is the real Claude; only the stand-in can be silenced.")
        return self._workspace.claude
