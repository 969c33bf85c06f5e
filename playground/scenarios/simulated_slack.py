"""Slack in one process, on virtual time: the stand-in's own workspace behind slack_sdk's own client."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from slack_sdk import WebClient
from slack_sdk.web.file_upload_v2_result import FileUploadV2Result
from slack_sdk.web.slack_response import SlackResponse

from bot.identity import Identity
from bot.reply import replies
from playground.scenarios.happenings import Happenings
from playground.simulation.baton import Baton, BatonClock, Process
from playground.simulation.doubles import Gate, open_gate
from playground.standins.journal import Happening
from playground.standins.slack.calls import Call
from playground.standins.slack.errors import SlackError
from playground.standins.slack.faults import When
from playground.standins.slack.people import BOT, BOT_USER, TEAM
from playground.standins.slack.settings import Settings
from playground.standins.slack.standin import Standin
from playground.standins.slack.web_api.args import Args
from playground.standins.slack.web_api.dispatch import Busy, apply
from store.ports import Replies

ME = Identity(TEAM, BOT_USER, BOT)
ADDRESS = "http://slack.invalid"

Json = dict[str, Any]


class StandinSlack:
    """One workspace. What happens in it is told as the stand-in's process tells it."""

    def __init__(self, settings: Mapping[str, Any], happenings: Happenings, baton: Baton) -> None:
        self.standin = Standin(Settings().changed(settings))
        self.standin.url = ADDRESS
        self.standin.journal.told = self._tell
        self._happenings, self.baton = happenings, baton

    def seat(self, process: Process, gate: Gate = open_gate) -> Replies:
        """A run's posts as one process makes them."""
        return replies(self.client(process, gate), ME, BatonClock(self.baton, process))

    def client(self, process: Process, gate: Gate = open_gate) -> WebClient:
        """Slack as one process reaches it; `gate` is passed by each call, named after its method."""
        return _Client(self, process, gate)

    def content(self, file: str) -> bytes:
        return self.standin.world.files.by_id[file].content or b""

    def _tell(self, happening: Happening) -> None:
        about = {name: value for name, value in happening.data.items() if name != "kind"}
        self._happenings.tell(f"slack.{happening.kind}", **about)


class _Client(WebClient):
    """slack_sdk's client as it is, but for the wire."""

    def __init__(self, slack: StandinSlack, process: Process, gate: Gate) -> None:
        super().__init__(token=slack.standin.settings.bot_token, base_url=f"{ADDRESS}/api/", retry_handlers=[])
        self._slack, self._process, self._gate = slack, process, gate

    def _sync_send(self, api_url: str, req_args: Mapping[str, Any]) -> SlackResponse:
        method = api_url.rpartition("/")[2]
        given = [req_args.get(name) or {} for name in ("params", "data", "json")]
        values = {name: value for part in given for name, value in part.items()}
        self._process.check()
        self._gate(method, "before")
        status, body, headers = self._sent(method, json.loads(json.dumps(values)))
        self._gate(method, "after")
        answer = SlackResponse(
            client=self,
            http_verb="POST",
            api_url=api_url,
            req_args=dict(req_args),
            data=json.loads(json.dumps(body)),
            headers=headers,
            status_code=status,
        )
        return cast("SlackResponse", answer.validate())  # type: ignore[no-untyped-call]

    def _upload_file(self, *, url: str, data: bytes, **_how: Any) -> FileUploadV2Result:
        file = self._slack.standin.world.files.uploading(url.rpartition("/")[2])
        if file is not None:
            file.content = data
        return FileUploadV2Result(status=200 if file else 404, body=f"OK - {len(data)}")

    def _sent(self, method: str, values: Json) -> tuple[int, Json, dict[str, str]]:
        """Status, body and headers of the answer; what the wire does is an `OSError`."""
        slack = self._slack.standin
        call = slack.calls.begin(method, values, None)
        try:
            status, body = self._performed(call, values)
        except SlackError as error:
            status, body = 200, error.answer()
        except Busy as busy:
            slack.calls.end(call, "ratelimited")
            return 429, {"ok": False, "error": "ratelimited"}, {"Retry-After": str(busy.retry_after)}
        except ConnectionError:
            slack.calls.end(call, "dropped")
            raise
        slack.calls.end(call, "ok" if body["ok"] else body["error"])
        return status, body, {}

    def _performed(self, call: Call, values: Json) -> tuple[int, Json]:
        """Held and spoiled as the stand-in's server does it."""
        slack, args = self._slack.standin, Args(values)
        args.call = call.n
        said = json.dumps(values, ensure_ascii=False)
        holds = slack.faults.held(call.method, said, call.n, None)
        faults = slack.faults.match(call.method, said)
        self._stand_still(holds, "before")
        for fault in faults:
            if fault.kind == "ratelimit":
                raise Busy(fault.retry_after)
            if fault.kind == "drop" and fault.when == "before":
                raise ConnectionResetError("the connection was dropped")
            if fault.kind == "slow":
                self._slack.baton.wait_until(lambda: False, fault.seconds)
            if fault.kind == "error":
                return fault.status, SlackError(fault.error).answer()
        body = apply(slack, slack.settings.bot_token, call, args)
        self._stand_still(holds, "after")
        if any(fault.kind == "drop" for fault in faults):
            raise ConnectionResetError("the connection was dropped")
        return 200, body

    def _stand_still(self, holds: Any, when: When) -> None:
        """Who is killed here never gets its bytes through, or never hears of its answer."""
        for hold in (hold for hold in holds if hold.when == when):
            self._slack.standin.journal.add("hold.reached", **hold.dump() | {"pid": self._process.name})
            self._slack.baton.wait_until(hold.released.is_set, None)
