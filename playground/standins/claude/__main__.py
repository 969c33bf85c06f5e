"""`python -m playground.standins.claude`: prints `{"url": …}` once it listens, then serves until SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from playground.standins.claude.server import serve


async def run(port: int, script: Path | None, *, with_parent: bool) -> None:
    """Serve until SIGTERM or SIGINT or, if `with_parent`, until standard input is closed."""
    turns = json.loads(script.read_text()) if script is not None else None
    server = await serve(port, turns)
    print(json.dumps({"url": server.url}), flush=True)
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    if with_parent:
        loop.add_reader(sys.stdin.fileno(), _until_closed, ended)
    await ended.wait()
    await server.close()


def _until_closed(ended: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
        ended.set()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m playground.standins.claude", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--script", type=Path, help="a JSON list of turns")
    parser.add_argument("--with-parent", action="store_true", help="end when standard input is closed")
    given = parser.parse_args()
    asyncio.run(run(given.port, given.script, with_parent=given.with_parent))


if __name__ == "__main__":
    main()
