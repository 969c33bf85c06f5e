"""What a verb is about, as people write it: a thread, a link to a message, a run id."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from store.desk import UnknownTargetError
from store.protocol import Store
from store.thread import ThreadId

MOST_LOOKED = 1_000
"""Owed threads that are looked through for a run whose origin is not noted any more."""
_PAGE = 100
_ARCHIVE = re.compile(r"/archives/([A-Z0-9]+)/p(\d{10,})(\d{6})/?")
_CLIENT = re.compile(r"/client/([A-Z0-9]+)/([A-Z0-9]+)/thread/[A-Z0-9]+-(\d+\.\d+)/?")
_TS = re.compile(r"\d+\.\d{6}")
_RUN = re.compile(r"[a-z0-9]{2,64}")

FORMS = "give a thread (T…/C…/1700000000.000100), a link to a message in it, or a run id"


def locate(store: Store, team: str, target: str) -> tuple[str, str]:
    """The thread and the run, "" where only a thread was given; `UnknownTargetError` where it is neither."""
    given = target.strip().strip("<>").partition("|")[0].replace("&amp;", "&")
    if (thread := _thread(team, given)) is not None:
        return thread, ""
    if _RUN.fullmatch(given):
        return _thread_of(store, team, given), given
    raise UnknownTargetError(f"{given[:80]!r} names nothing: {FORMS}" if given else f"nothing was named: {FORMS}")


def _thread(team: str, given: str) -> str | None:
    if given.startswith(("https://", "http://")):
        at = _linked(team, given)
    else:
        try:
            at = ThreadId.parse(given)
        except ValueError:
            return None
    if at is None or not _TS.fullmatch(at.root):
        raise UnknownTargetError(f"{given[:120]!r} is no link to a message and no thread: {FORMS}")
    if at.team != team:
        raise UnknownTargetError(f"{given[:120]!r} is of workspace {at.team}, and this is {team}")
    return str(at)


def _linked(team: str, link: str) -> ThreadId | None:
    """`https://….slack.com/archives/C1/p1700000000000100`, with `?thread_ts=` where the message is a reply."""
    address = urlsplit(link)
    if (found := _CLIENT.fullmatch(address.path)) is not None:
        return ThreadId(*found.groups())
    found = _ARCHIVE.fullmatch(address.path)
    if found is None:
        return None
    channel, seconds, micros = found.groups()
    root = parse_qs(address.query).get("thread_ts", [f"{seconds}.{micros}"])[0]
    return ThreadId(team, channel, root)


def _thread_of(store: Store, team: str, run: str) -> str:
    origin = store.admissions.origins(team, [run]).get(run)
    if origin is not None:
        return origin.thread
    if (outcome := store.admissions.outcome(team, run)) is not None:
        return str(outcome["thread"])
    cursor: str | None = None
    for _ in range(MOST_LOOKED // _PAGE):
        page = store.inventory.owed(team, cursor=cursor, limit=_PAGE)
        for glance in store.inventory.glances(page.threads):
            if glance is not None and run in {glance.run, *(item.partition(":")[2] for item in glance.rest)}:
                return glance.thread
        if (cursor := page.cursor) is None:
            break
    raise UnknownTargetError(f"nothing is known of a run {run!r}; finished ones are forgotten after a while")


def team_of(store: Store, wanted: str) -> str:
    """The workspace that is meant: the only one, or the one that is named; `UnknownTargetError` else."""
    teams = store.inventory.teams()
    if wanted:
        return wanted
    if len(teams) == 1:
        return teams[0]
    raise UnknownTargetError(
        f"there are several workspaces: say --team with one of {', '.join(teams)}" if teams else "nothing was asked yet"
    )
