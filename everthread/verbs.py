"""The operator's verbs on the command line: their arguments, and what they print.

Tables are for people and `--json` for programs: the records of `store.desk`, field by field.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from everthread.exits import NOT_NOW, NOT_THERE, SETTINGS

if TYPE_CHECKING:
    from store.desk import Desk, Done

VERBS = {
    "runs": "what is owed now: runs at work, waiting, parked, in line, and what each waits for",
    "why": "why a run stands where it stands, and what could be done",
    "inspect": "a run step by step, with secrets masked",
    "stop": "end a run for good; what it did stays done",
    "resume": "let a parked run go on (--force: try a suspended one at once)",
    "heal": "close a parked run without an answer",
    "usage": "what was spent this month, and Slack's calls of the last minute",
    "settings": "every setting in force, and where it comes from",
}
ABOUT_A_RUN = ("why", "inspect", "stop", "resume", "heal")
LIMIT, MOST = 20, 100


def add_arguments(parser: argparse.ArgumentParser, verb: str) -> None:
    """What this verb takes."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--team", default="", help="the workspace, where there are several")
    if verb in ABOUT_A_RUN:
        parser.add_argument("target", help="a thread (T…/C…/1700000000.000100), a link to a message in it, or a run id")
    if verb == "runs":
        parser.add_argument("--limit", type=_limit, default=LIMIT, help=f"threads to list, {LIMIT} unless given")
        parser.add_argument("--cursor", help="go on where a list before ended")
    if verb == "resume":
        parser.add_argument("--force", action="store_true", help="try a suspended run at once")


def operate(given: argparse.Namespace, desk: Desk, by: str) -> int:
    """Do what was asked and print it; the exit code. by: who is to be recorded for it."""
    from everthread import shown
    from store.desk import UnknownTargetError

    orders: dict[str, Callable[[], Done]] = {
        "stop": lambda: desk.stop(given.target, by),
        "resume": lambda: desk.resume(given.target, by, force=given.force),
        "heal": lambda: desk.heal(given.target, by),
    }
    views: dict[str, tuple[Callable[[], Any], Callable[[Any], str]]] = {
        "runs": (lambda: desk.runs(cursor=given.cursor, limit=given.limit), shown.runs),
        "why": (lambda: desk.why(given.target), shown.why),
        "inspect": (lambda: desk.inspect(given.target), shown.inspection),
        "usage": (desk.usage, shown.usage),
        "settings": (lambda: list(desk.settings()), shown.settings),
    }
    try:
        if given.command in orders:
            done = orders[given.command]()
            _print(given, done, f"run {done.run}: {done.says}")
            return 0 if done.did in ("done", "again") else NOT_NOW
        look, show = views[given.command]
        found = look()
        _print(given, found, show(found))
    except UnknownTargetError as error:
        print(f"everthread {given.command}: {error}", file=sys.stderr)
        return NOT_THERE
    except ValueError as error:
        print(f"everthread {given.command}: {error}", file=sys.stderr)
        return SETTINGS
    return 0


def _print(given: argparse.Namespace, found: Any, text: str) -> None:
    print(json.dumps(_plain(found), ensure_ascii=False, indent=2) if given.json else text)


def _plain(found: Any) -> Any:
    if isinstance(found, list):
        return [_plain(one) for one in found]
    return asdict(found) if is_dataclass(found) and not isinstance(found, type) else found


def _limit(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST:
        raise argparse.ArgumentTypeError(f"it is 1 to {MOST}")
    return number
