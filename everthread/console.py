"""The command line: `everthread bot`, `everthread worker`, `everthread runs`, `everthread why`, …

Exit codes are listed in `everthread.exits`. Nothing heavy is imported before it is known what is wanted.
"""

from __future__ import annotations

import argparse
import getpass
import logging
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from everthread.exits import FAULT, MEANINGS, NO_REDIS, NOT_THERE, SETTINGS, CannotStart
from everthread.verbs import VERBS, add_arguments

if TYPE_CHECKING:
    from everthread.settings import Command, Settings

log = logging.getLogger(__name__)

HELP = {
    "bot": "connect to Slack: take what people say and click (needs the two Slack tokens and Redis)",
    "worker": "do the work: worker processes and their sweep (needs the bot token, the Claude key and Redis)",
    "recovery": "the sweep alone, for fleets: rings for what is owed (needs Redis)",
    **VERBS,
    "doctor": "look at settings, Redis and tokens, and say what is wrong",
    "scenario": "play scenario files on real processes (needs the extra `playground`)",
}


EXIT_CODES = f"Exit codes: {', '.join(f'{code} {means}' for code, means in MEANINGS.items())}."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code."""
    reader = parser()
    known, rest = reader.parse_known_args(arguments)
    if rest and known.command != "scenario":
        reader.error(f"{known.command} takes no {' '.join(rest)}")
    try:
        match known.command:
            case "scenario":
                return _scenario(rest)
            case "doctor":
                return _doctor()
            case verb if verb in VERBS:
                return _operate(known)
            case command:
                return _process(command)
    except CannotStart as no:
        print(f"everthread {known.command}: {no}", file=sys.stderr)
        return no.code


def parser() -> argparse.ArgumentParser:
    """Every command with its arguments."""
    reader = argparse.ArgumentParser(
        prog="everthread",
        description="A Slack agent whose runs survive crashes. Settings are environment variables.",
        epilog=EXIT_CODES,
    )
    reader.add_argument("--version", action="version", version=f"everthread {version('everthread')}")
    commands = reader.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, says in HELP.items():
        command = commands.add_parser(name, help=says, description=says, epilog=EXIT_CODES, add_help=name != "scenario")
        if name in VERBS:
            add_arguments(command, name)
    return reader


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


def _operate(given: argparse.Namespace) -> int:
    """One of the operator's verbs; it needs Redis and nothing else, as the sweep does."""
    settings = _settings("recovery")
    from everthread.desk.outside import desk_of
    from everthread.verbs import operate
    from store.desk import UnknownTargetError
    from store.errors import StoreUnavailableError

    try:
        return operate(given, desk_of(settings, given.team), f"console:{getpass.getuser()}")
    except UnknownTargetError as error:
        raise CannotStart(NOT_THERE, str(error)) from error
    except StoreUnavailableError as error:
        raise CannotStart(NO_REDIS, str(error)) from error


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
