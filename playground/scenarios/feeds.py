"""What the stand-ins tell of themselves, brought into the happenings of a play."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from playground.scenarios.happenings import Happenings


class Feed:
    """Listens to one stand-in's stream of events on a thread; each is told as `<name>.<kind>`,
    with the stand-in's own time (seconds since 1970) as `wall`."""

    def __init__(self, name: str, url: str, happenings: Happenings) -> None:
        self._name, self._happenings = name, happenings
        place = urlsplit(url)
        self._connection = HTTPConnection(place.hostname or "", place.port, timeout=60)
        self._connection.request("GET", "/control/events?since=0")
        self._stream = self._connection.getresponse()
        self._closed = False
        self.seen = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)  # noqa: TID251 - the runner's own
        self._thread.start()

    def close(self) -> None:
        self._closed = True
        sock = self._connection.sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(5.0)

    def _listen(self) -> None:
        try:
            while line := self._stream.readline():
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    self.seen = event["seq"]
                    about = {name: value for name, value in event.items() if name not in ("kind", "at")}
                    self._happenings.tell(f"{self._name}.{event['kind']}", wall=event["at"], **about)
        except (OSError, HTTPException, ValueError):
            pass
        finally:
            self._stream.close()
            self._connection.close()
        if not self._closed:
            self._happenings.fail(f"the {self._name} stand-in ended")
