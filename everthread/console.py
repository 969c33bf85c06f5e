"""The command line: `everthread bot`, `everthread worker`, `everthread recovery`, `everthread doctor`, …

Exit codes are listed in `everthread.exits`. Nothing heavy is imported before it is known what is wanted.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from everthread.exits import FAULT, SETTINGS, CannotStart

if TYPE_CHECKING:
    from everthread.settings import Command, Settings

log = logging.getLogger(__name__)

HELP = {
    "bot": "connect to Slack: take what people say and click (needs the two Slack tokens and Redis)",
    "worker": "do the work: worker processes and their sweep (needs the bot token, the Claude key and Redis)",
    "recovery": "the sweep alone, for fleets: rings for what is owed (needs Redis)",
    "doctor": "look at settings, Redis and tokens, and say what is wrong",
    "scenario": "play scenario files on real processes (needs the extra `playground`)",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code."""
    parser = _parser()
    known, rest = parser.parse_known_args(arguments)
    if rest and known.command != "scenario":
        parser.error(f"{known.command} takes no {' '.join(rest)}")
    try:
        match known.command:
            case "scenario":
                return _scenario(rest)
            case "doctor":
                return _doctor()
            case command:
                return _process(command)
    except CannotStart as no:
        print(f"everthread {known.command}: {no}", file=sys.stderr)
        return no.code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="everthread",
        description="A Slack agent whose runs survive crashes. Settings are environment variables.",
        epilog="Exit codes: 0 ended as asked, 1 the same but something had to be killed (or: a scenario fails), "
        "2 settings, 3 no Redis, 4 Redis evicts, 5 a token is refused, 6 Slack is away, 70 a fault of ours.",
    )
    parser.add_argument("--version", action="version", version=f"everthread {version('everthread')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, says in HELP.items():
        commands.add_parser(name, help=says, description=says, add_help=name != "scenario")
    return parser


def _process(command: Command) -> int:
    """Be one of the long-running processes. A fault of ours is logged whole; the host starts us again."""
    settings = _settings(command)
    from everthread import processes

    run: dict[Command, Callable[[Settings], int]] = {
        "bot": processes.run_bot,
        "worker": processes.run_worker,
        "recovery": processes.run_recovery,
    }
    try:
        return run[command](settings)
    except Exception as error:
        if isinstance(error, CannotStart):
            raise
        log.exception("%s ends on a fault of ours", command)
        return FAULT


def _settings(*commands: Command) -> Settings:
    from everthread.logs import to_stderr
    from everthread.settings import SettingsError, load, unknown

    try:
        settings = load(*commands)
    except SettingsError as error:
        raise CannotStart(SETTINGS, "the settings cannot be used\n" + "\n".join(error.faults)) from error
    to_stderr(settings.log, settings.secrets)
    for line in unknown(os.environ):
        log.warning("%s", line)
    return settings


def _doctor() -> int:
    from everthread.logs import to_stderr
    from everthread.settings import SettingsError, load

    to_stderr("error")
    try:
        settings = load("bot", "worker")
    except SettingsError as error:
        for line in error.faults:
            print(f"fault    {line}")
        return SETTINGS
    print("ok       every setting can be used")
    from everthread.doctor import findings

    code = 0
    for kind, line, exit_code in findings(settings):
        print(f"{kind:<8} {line}")
        code = code or exit_code
    return code


def _scenario(arguments: Sequence[str]) -> int:
    if find_spec("playground") is None or find_spec("playground.scenarios") is None:
        raise CannotStart(SETTINGS, "the playground is not installed: pip install 'everthread[playground]'")
    from importlib import import_module

    return int(import_module("playground.scenarios").main(list(arguments)))
