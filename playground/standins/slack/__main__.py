"""`python -m playground.standins.slack`: one JSON line with the URL when ready, then until SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal

from playground.standins.slack.server import serve
from playground.standins.slack.settings import Settings


async def run(port: int, settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    server = await serve(port, settings)
    print(json.dumps({"url": server.url}), flush=True)
    await stop.wait()
    await server.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m playground.standins.slack", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--settings", type=json.loads, default={}, help="a JSON object of settings")
    options = parser.parse_args()
    asyncio.run(run(options.port, Settings().changed(options.settings)))


if __name__ == "__main__":
    main()
