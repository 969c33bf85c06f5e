"""Every key Everthread writes, with its type, its owner and how long it lives.

All keys of a workspace share one hash tag, so they lie in one slot and one script may touch several of them.
`docs/keyspace.md` is written from `KEYS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from store.thread import ThreadId

PREFIX = "everthread"
TEAMS = f"{PREFIX}:teams"

DAY = 86_400
ADMISSION_TTL = 26 * 3600
"""Seconds an admission key lives: Slack redelivers for up to 24 h (Delayed Events)."""
PERSON_TTL = DAY
SPENT_TTL = 40 * DAY


@dataclass(frozen=True, slots=True)
class Key:
    """One kind of key: how it is spelled, who writes it, when it goes."""

    pattern: str
    type: Literal["hash", "list", "zset", "set", "string"]
    owner: Literal["owner", "anyone", "sweep"]
    lives: str
    holds: str


THREAD_KEYS = (
    "head",
    "log",
    "order",
    "mail",
    "due",
    "rest",
    "stops",
    "askers",
    "said",
    "news",
    "letters",
    "waits",
    "votes",
)

_T = PREFIX + ":{<team>}:t:<channel>:<root>:"
_W = PREFIX + ":{<team>}:"
_WITH_THREAD = "with its thread: 30 days after the last activity, never while anything is owed"

KEYS: tuple[Key, ...] = (
    Key(_T + "head", "hash", "anyone", _WITH_THREAD, "epoch, owner, lease, status, open run, counts"),
    Key(_T + "log", "list", "owner", _WITH_THREAD, "the append-only log: one JSON record an entry"),
    Key(_T + "order", "zset", "anyone", _WITH_THREAD, "inputs not yet taken, by Slack's ts in microseconds"),
    Key(_T + "mail", "hash", "anyone", _WITH_THREAD, "those inputs, by ts"),
    Key(_T + "due", "hash", "owner", _WITH_THREAD, "items a worker can work on: run:<id>, delivery:<id>"),
    Key(_T + "rest", "hash", "owner", _WITH_THREAD, "what waits: parked:<id>, unknown:<key>, wait:<id>, resume:<id>"),
    Key(
        _T + "steps:<run>",
        "hash",
        "owner",
        "while the run is open, and 1 hour",
        "step key → state: which commits are in",
    ),
    Key(_T + "stops", "hash", "anyone", _WITH_THREAD, "run → who asked to stop it, and when"),
    Key(_T + "signals<epoch>", "list", "anyone", "1 hour", "what the owner's heartbeat blocks on"),
    Key(_T + "askers", "zset", "anyone", _WITH_THREAD, "who started runs here, by the ts of their first message"),
    Key(_T + "said", "hash", "anyone", _WITH_THREAD, "messages taken in: ts → run, and the ts of the last edit"),
    Key(_T + "news", "hash", "anyone", _WITH_THREAD, "edits of what runs had taken, for the model of the next one"),
    Key(_T + "letters", "hash", "anyone", _WITH_THREAD, "to its owner: answer:<wait>, again:<wait>, order:<run>"),
    Key(_T + "waits", "hash", "anyone", _WITH_THREAD, "what runs here wait for, as it stands, and the answers"),
    Key(_T + "votes", "hash", "anyone", _WITH_THREAD, "who approved where more than one have to"),
    Key(
        _T + "muted",
        "zset",
        "anyone",
        "30 days after it last kept a message out",
        "on and off, by the ts they were said at",
    ),
    Key(
        _W + "adm:<channel>:<ts>",
        "string",
        "anyone",
        "26 hours",
        "fingerprint, run and thread of an admission",
    ),
    Key(_W + "run:<run>", "string", "owner", "30 days", "the outcome of a settled run"),
    Key(_W + "from:<run>", "string", "anyone", "30 days", "thread, author and time (ms) of the input a run is from"),
    Key(_W + "mine:<user>", "zset", "anyone", "30 days after the last one", "a person's latest 50 runs (ms)"),
    Key(_W + "owed", "zset", "anyone", "for ever", "threads with anything unfinished, by when to look (ms)"),
    Key(_W + "waiting", "hash", "owner", "while a wait is open", "open wait → its thread"),
    Key(
        _W + "unseen",
        "zset",
        "anyone",
        "while a wait is open",
        "open waits by when their card was last looked after (ms)",
    ),
    Key(
        _W + "open:<who>",
        "zset",
        "owner",
        "while a wait is open",
        "open waits that a person, a group or everybody in a channel may answer, by when they were asked (ms)",
    ),
    Key(_W + "held", "hash", "owner", "while held", "thread → owner of the lease on it"),
    Key(_W + "state:<name>", "list", "owner", "for ever", "tool state, such as the workspace's notes"),
    Key(_W + "spent:<day>", "string", "owner", "40 days", "micro-dollars spent on that UTC day"),
    Key(_W + "person:<user>", "string", "anyone", "1 day", "what Slack says about a person: member, guest, …"),
    Key(_W + "refused:<user>", "string", "anyone", "1 day", "that a refusal was said to this person"),
    Key(_W + "calls:<what>", "zset", "anyone", "1 minute", "calls to Slack of one kind in the last minute (ms)"),
    Key(_W + "line:<what>", "zset", "anyone", "a few minutes", "runs that wait for such a call, by deadline (ms)"),
    Key(_W + "back:<what>", "zset", "anyone", "a few minutes", "those runs, by when they ask again (ms)"),
    Key(_W + "lane:<what>", "string", "anyone", "a second or two", "who went last: the next one keeps its distance"),
    Key(
        _W + "paused:<what>", "string", "anyone", "as long as Slack said", "that Slack asked for a pause of such calls"
    ),
    Key(_W + "barred", "string", "anyone", "1 day", "that Slack refuses our token: calls are only tried"),
    Key(_W + "probe", "string", "anyone", "1 minute", "who tried last whether Slack takes our token again"),
    Key(_W + "recent", "zset", "anyone", "2 days", "threads by their last admission (ms)"),
    Key(_W + "caught_up", "string", "anyone", "for ever", "from when until when nothing said in Slack was missed"),
    Key(_W + "chosen", "hash", "anyone", "for ever", "settings that were changed while we run"),
    Key(_W + "workers", "zset", "sweep", "for ever", "worker processes by when they were last seen (ms)"),
    Key(TEAMS, "set", "anyone", "for ever", "the workspaces seen"),
)


def workspace(team: str, name: str) -> str:
    """The key `name` of a workspace."""
    return f"{PREFIX}:{{{team}}}:{name}"


@lru_cache(maxsize=1024)
def thread_prefix(thread: str) -> str:
    """What every key of a thread starts with."""
    at = ThreadId.parse(thread)
    return f"{PREFIX}:{{{at.team}}}:t:{at.channel}:{at.root}:"


def thread_keys(thread: str, *names: str) -> list[str]:
    """The named keys of a thread, in that order."""
    prefix = thread_prefix(thread)
    return [prefix + name for name in names]
