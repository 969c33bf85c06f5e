"""`python -m playground.standins.claude [--port 0] [--script FILE]`: prints `{"url": …}` once it listens."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
from pathlib import Path

from playground.standins.claude.server import serve


async def run(port: int, script: Path | None) -> None:
    turns = json.loads(script.read_text()) if script is not None else None
    server = await serve(port, turns)
    print(json.dumps({"url": server.url}), flush=True)
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await ended.wait()
    await server.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m playground.standins.claude", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--script", type=Path, help="a JSON list of turns")
    given = parser.parse_args()
    asyncio.run(run(given.port, given.script))


if __name__ == "__main__":
    main()
