"""A synchronous client of the control API, for the runner and tests. It needs no event loop."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from time import perf_counter
from types import TracebackType
from typing import Any
from urllib.parse import urlencode, urlsplit

from playground.standins.slack.client_gestures import Gestures, in_json
from playground.standins.slack.settings import APP_TOKEN, BOT_TOKEN, SIGNING_SECRET

Json = dict[str, Any]

_POLL = 10.0  # seconds of one long poll
_STOP_WITHIN = 5.0


class StandinError(Exception):
    """The stand-in refused a wish; the text says why."""


class StandinTimeout(AssertionError):
    """What was waited for did not happen."""


@dataclass(frozen=True, slots=True)
class Held:
    """A hold that was set: wait until a call stands there, then let it go."""

    standin: SlackStandin
    id: int
    since: int

    def reached(self, timeout: float = 10.0) -> Json:
        """The hold's `{call, pid, …}` once a call stands still at it."""
        return self.standin.wait_for("hold.reached", lambda e: e["hold"] == self.id, self.since, timeout)

    def release(self) -> None:
        self.standin.release(self)


class SlackStandin(Gestures):
    """One stand-in, started as its own process (`start`) or running already (`attach`)."""

    def __init__(self, url: str, process: subprocess.Popen[str] | None = None) -> None:
        self.url, self._process = url, process
        self.bot_token, self.app_token, self.signing_secret = BOT_TOKEN, APP_TOKEN, SIGNING_SECRET

    @classmethod
    def start(cls, port: int = 0, **settings: Any) -> SlackStandin:
        """Start a process of its own, which ends with this one; `settings` are fields of `Settings`."""
        command = [sys.executable, "-m", "playground.standins.slack", "--port", str(port)]
        command += ["--settings", json.dumps(settings), "--with-parent"]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C ends what asks it first
        )
        assert process.stdout is not None  # noqa: S101 - it was asked for in the line above
        line = process.stdout.readline()
        if not line:
            raise StandinError(f"the Slack stand-in ended at once with exit code {process.wait()}")
        standin = cls(json.loads(line)["url"], process)
        standin.bot_token = str(settings.get("bot_token", BOT_TOKEN))
        standin.app_token = str(settings.get("app_token", APP_TOKEN))
        standin.signing_secret = str(settings.get("signing_secret", SIGNING_SECRET))
        return standin

    @classmethod
    def attach(cls, url: str) -> SlackStandin:
        return cls(url.rstrip("/"))

    def __enter__(self) -> SlackStandin:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def api_url(self) -> str:
        """What slack_sdk calls `base_url`."""
        return f"{self.url}/api/"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def stop(self) -> None:
        """End the process, if it was started here."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_WITHIN)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process = None

    # people

    def say(
        self,
        user: str,
        channel: str,
        text: str,
        thread: str | None = None,
        *,
        order: str | None = None,
        files: Mapping[str, str | bytes | Json] | None = None,
        broadcast: bool = False,
    ) -> str:
        """Post as a person; returns the ts. `@everthread` in the text mentions the bot; files: content by name."""
        wish: Json = {"user": user, "channel": channel, "text": text, "thread_ts": thread, "order": order}
        return str(self._post("say", wish | {"files": in_json(files), "broadcast": broadcast})["ts"])

    def edit(self, ts: str, text: str) -> None:
        self._post("edit", {"ts": ts, "text": text})

    def delete(self, ts: str, user: str | None = None) -> None:
        self._post("delete", {"ts": ts, "user": user})

    def click(
        self,
        user: str,
        action_id: str,
        ts: str,
        *,
        values: Json | None = None,
        stale: bool = False,
        wait: bool = True,
    ) -> Json:
        """Press a button; returns the delivery, `acked` or not. `stale` presses one already removed.

        values: what was filled in beside it, block_id → action_id → state or bare value.
        """
        wish = {"user": user, "action_id": action_id, "ts": ts, "values": values, "stale": stale, "wait": wait}
        return self._post("click", wish)

    def react(self, user: str, ts: str, name: str, *, add: bool = True) -> bool:
        return bool(self._post("react", {"user": user, "ts": ts, "name": name, "add": add})["changed"])

    # trouble

    def fault(self, kind: str, method: str = "*", **fields: Any) -> int:
        """`error`, `ratelimit`, `drop` or `slow` (fields as in `faults.Fault`); returns its id."""
        return int(self._post("faults", {"kind": kind, "method": method, **fields})["id"])

    def no_fault(self, number: int | None = None) -> None:
        """Remove one fault, or all."""
        self._post("faults/remove", {"id": number})

    def hold(self, method: str, nth: int = 1, when: str = "before", containing: str = "") -> Held:
        """The `nth` call of `method` from now on stands still `before` or `after` it is applied."""
        since = self.last()
        wish = {"method": method, "nth": nth, "when": when, "containing": containing}
        return Held(self, int(self._post("holds", wish)["hold"]), since)

    def release(self, hold: Held | int) -> None:
        self._post("holds/release", {"hold": hold.id if isinstance(hold, Held) else hold})

    def redeliver(self, ts: str, event: str | None = None, *, times: int = 1, fresh: bool = False) -> int:
        """Deliver a message's events again, as retries or `fresh` with new event ids; returns how many."""
        wish = {"ts": ts, "event": event, "times": times, "fresh": fresh}
        return int(self._post("redeliver", wish)["deliveries"])

    def close_sockets(
        self, how: str = "close", grace: float | None = None, sockets: Iterable[int] | None = None
    ) -> int:
        """Close connections, all or those numbered; returns how many.

        how: `close`, `cut` (the bare line), or a disconnect frame's reason: `warning`, `refresh_requested`,
        `link_disabled`; then the close comes `grace` seconds later.
        """
        wish: Json = {"how": how, "sockets": None if sockets is None else list(sockets)}
        if grace is not None:
            wish["grace"] = grace
        return int(self._post("sockets/close", wish)["closed"])

    def revoke_token(self, *, revoked: bool = True) -> None:
        self._post("token", {"revoked": revoked})

    def settings(self, **changes: Any) -> None:
        self._post("settings", changes)

    def reset(self) -> None:
        self._post("reset", {})

    # what happened

    def state(self) -> Json:
        found: Json = self._get("state")
        return found

    def violations(self) -> list[Json]:
        return list(self.state()["violations"])

    def messages(self, channel: str, thread: str | None = None, *, deleted: bool = True) -> list[Json]:
        """Messages of a channel or of one of its threads, oldest first, deleted ones marked and included."""
        wanted = channel.removeprefix("#").removeprefix("dm:")
        places = [c for c in self.state()["channels"] if wanted in (c["id"], c["name"])]
        if not places:
            raise StandinError(f"no channel {channel!r}")
        found = [m for t in places[0]["threads"] if thread in (None, t["ts"]) for m in t["messages"]]
        return sorted((m for m in found if deleted or not m["deleted"]), key=lambda m: str(m["ts"]))

    def file(self, file: str) -> bytes:
        """A file's content, as whoever has the bot token reads it."""
        place = urlsplit(self.url)
        connection = HTTPConnection(place.hostname or "", place.port, timeout=_POLL)
        try:
            connection.request("GET", f"/files-pri/T-{file}/it", headers={"Authorization": f"Bearer {self.bot_token}"})
            return connection.getresponse().read()
        finally:
            connection.close()

    def calls(self, method: str | None = None) -> list[Json]:
        """Every Web API call received, in order."""
        found: list[Json] = self._get("calls", **({"method": method} if method else {}))
        return found

    def last(self) -> int:
        """The number of the newest happening."""
        return int(self.state()["last_event"])

    def events(self, since: int = 0, timeout: float = 0.0, kinds: Iterable[str] = ()) -> list[Json]:
        """What happened after number `since`; waits up to `timeout` seconds for the first of it."""
        query: Json = {"since": since, "timeout": timeout}
        if kinds:
            query["kinds"] = ",".join(kinds)
        return list(self._get("events", **query)["events"])

    def wait_for(
        self,
        kind: str,
        matches: Callable[[Json], bool] = lambda _: True,
        since: int = 0,
        timeout: float = 10.0,
    ) -> Json:
        """The first happening of `kind` after `since` that matches; `StandinTimeout` after `timeout` seconds."""
        start, deadline = since, perf_counter() + timeout
        while (left := deadline - perf_counter()) > 0:
            for event in self.events(since, min(left, _POLL), [kind]):
                if matches(event):
                    return event
                since = event["seq"]
        raise StandinTimeout(f"no {kind} as described within {timeout:g} s after event {start}")

    def _get(self, path: str, **query: Any) -> Any:
        return self._ask("GET", f"/control/{path}?{urlencode(query)}", None)

    def _post(self, path: str, wish: Json) -> Json:
        answer: Json = self._ask("POST", f"/control/{path}", wish)
        return answer

    def _ask(self, method: str, path: str, body: Json | None) -> Any:
        place = urlsplit(self.url)
        connection = HTTPConnection(place.hostname or "", place.port, timeout=_POLL * 3)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            found = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise StandinError(f"{path}: {found.get('error', found)}")
        return found
