"""`python -m playground.standins.slack`: one JSON line with the URL when ready, then until SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys

from playground.standins.slack.server import serve
from playground.standins.slack.settings import Settings


async def run(port: int, settings: Settings, *, with_parent: bool = False) -> None:
    """Serve until SIGTERM or SIGINT, or, if `with_parent`, until standard input is closed."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if with_parent:
        loop.add_reader(sys.stdin.fileno(), _read_until_closed, stop)
    server = await serve(port, settings)
    print(json.dumps({"url": server.url}), flush=True)
    await stop.wait()
    await server.stop()


def _read_until_closed(stop: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        stop.set()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m playground.standins.slack", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--settings", type=json.loads, default={}, help="a JSON object of settings")
    parser.add_argument("--with-parent", action="store_true", help="end when standard input is closed")
    options = parser.parse_args()
    asyncio.run(run(options.port, Settings().changed(options.settings), with_parent=options.with_parent))


if __name__ == "__main__":
    main()
