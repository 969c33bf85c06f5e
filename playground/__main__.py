"""`python -m playground`: a local workspace in the browser, with real bot and worker processes behind it."""

from __future__ import annotations

import argparse
import asyncio
import errno
import fcntl
import os
import signal
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from playground.page.server import PageServer
from playground.server import ServerError
from playground.standins.slack.client import StandinError
from playground.workspace import CannotOpen, Workspace, this_environment

PORT = 8484


def main() -> None:
    options = _options()
    try:
        with _lock(options.var):
            asyncio.run(_run(options))
    except (CannotOpen, ServerError, StandinError) as no:
        print(f"playground: {no}", file=sys.stderr)
        sys.exit(1)


async def _run(options: argparse.Namespace) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    page = PageServer()
    address = await _open(page, options.port)
    print("The playground starts:", flush=True)
    began = loop.time()

    def tell(part: str, what: str) -> None:
        print(f"  {loop.time() - began:4.1f} s  {part:<7} {what}", flush=True)

    starting = asyncio.create_task(Workspace.start(options.var, address, this_environment(), tell))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
    try:
        if not starting.done():
            starting.cancel()
            with suppress(asyncio.CancelledError):
                await starting
            return
        workspace = starting.result()
        page.attach(workspace)
        print(f"Open {address} (Ctrl-C ends everything)", flush=True)
        if _has_browser() and not options.headless:
            webbrowser.open(address)
        await stopping
        print("\nEverything ends …", flush=True)
        await page.close()  # before what it shows is gone
        await workspace.stop()
    finally:
        stopping.cancel()
        await page.close()


async def _open(page: PageServer, port: int) -> str:
    try:
        return await page.open(port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise CannotOpen(f"port {port} is taken by another program; choose one: --port 0 takes any") from error


def _lock(var: Path) -> TextIO:
    """Held while we live: two playgrounds would end each other's server."""
    var.mkdir(parents=True, exist_ok=True)
    lock = (var / "playground.lock").open("w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise CannotOpen(f"another playground runs on {var}; end it, or choose another folder: --var") from error
    return lock


def _has_browser() -> bool:
    """Whether a window can be opened, and somebody sits there to see it."""
    return sys.stdout.isatty() and (
        sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m playground", description=__doc__)
    parser.add_argument("--port", type=_port, default=PORT, help="of the page; 0 takes any (default: %(default)s)")
    parser.add_argument("--headless", action="store_true", help="open no browser")
    parser.add_argument("--var", type=Path, default=Path("var"), help="where data and logs lie (default: var)")
    return parser.parse_args()


def _port(given: str) -> int:
    port = int(given)
    if not 0 <= port <= 65_535:
        raise argparse.ArgumentTypeError(f"{port} is no port")
    return port


if __name__ == "__main__":
    main()
