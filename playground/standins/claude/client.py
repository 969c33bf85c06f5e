"""Driving a stand-in from synchronous code: the runner, the page, tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from playground.standins.claude.transcript import Json

_PATIENCE = 10.0


class ClaudeStandin:
    """A stand-in somewhere on this machine.

    `start()` runs one as a process of its own, `attach(url)` takes one that runs. Every verb raises ValueError with
    the stand-in's words where it makes no sense.
    """

    def __init__(self, url: str, process: subprocess.Popen[str] | None = None) -> None:
        self.url, self._process = url, process

    @classmethod
    def start(cls, port: int = 0) -> ClaudeStandin:
        """Start a process of its own, which ends with this one."""
        process = subprocess.Popen(
            [sys.executable, "-m", "playground.standins.claude", "--port", str(port), "--with-parent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C ends what asks it first
        )
        assert process.stdout is not None  # noqa: S101
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the Claude stand-in ended with {process.wait()} before it listened")
        return cls(json.loads(line)["url"], process)

    @classmethod
    def attach(cls, url: str) -> ClaudeStandin:
        return cls(url.rstrip("/"))

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def script(self, turns: Iterable[Mapping[str, Any]] | None) -> None:
        """Answer from these turns from now on; None is the repertoire."""
        self._post("script", {"turns": None if turns is None else list(turns)})

    def fault(self, kind: str, **wish: Any) -> None:
        """Arm a fault; the fields are those of `faults.Fault`."""
        self._post("fault", {"kind": kind, **wish})

    def hold(self, how: str = "tokens", after: int = 0, **wish: Any) -> None:
        """Hold the next call "start" (before its headers), after so many "tokens", or at its "end"."""
        self.fault("hold", how=how, after=after, **wish)

    def release(self) -> None:
        """Let go whoever is held or silent now."""
        self._post("release", {})

    def reset(self) -> None:
        """Forget calls, faults and violations; the script stays."""
        self._post("reset", {})

    def state(self) -> Json:
        """Calls without their requests, billed sums, digests asked twice, violations."""
        return self._get("state")

    def calls(self) -> list[Json]:
        """Every call so far with its whole request."""
        return list(self._get("calls")["calls"])

    def wait(self, kind: str, *, since: int = 0, timeout: float = _PATIENCE, **fields: Any) -> Json:
        """The first happening of this kind after `since` with these fields; TimeoutError when none comes."""
        while True:
            query = f"wait?since={since}&timeout={timeout}&kinds={kind}"
            happened = self._get(query, timeout + _PATIENCE)["events"]
            if not happened:
                raise TimeoutError(f"the Claude stand-in saw no {kind} {fields or ''} within {timeout} s")
            for event in happened:
                if all(event.get(name) == value for name, value in fields.items()):
                    return dict(event)
            since = happened[-1]["seq"]

    def stop(self) -> None:
        """End the process, if it is ours."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> ClaudeStandin:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _post(self, name: str, body: Json) -> Json:
        data = json.dumps(body).encode()
        return self._send(Request(f"{self.url}/control/{name}", data, {"content-type": "application/json"}))  # noqa: S310

    def _get(self, name: str, timeout: float = _PATIENCE) -> Json:
        return self._send(Request(f"{self.url}/control/{name}"), timeout)  # noqa: S310

    def _send(self, request: Request, timeout: float = _PATIENCE) -> Json:
        try:
            with urlopen(request, timeout=timeout) as response:  # noqa: S310
                return dict(json.loads(response.read()))
        except HTTPError as error:
            with error:
                said = json.loads(error.read() or b"{}")
            raise ValueError(said.get("error", str(error))) from error
