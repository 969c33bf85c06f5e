"""How the runs of a play ended, as the store tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from playground.scenarios.happenings import Happening, Happenings
from playground.scenarios.in_slack import name_of
from playground.scenarios.quiet import withdrawn
from playground.scenarios.seen import Seen, SeenRun, SeenWait
from store.lifecycle import SETTLED
from store.protocol import Store
from store.record import Record, read_log
from store.stepkey import StepKey
from worker.unknown import AGAIN


def settled(store: Store, happenings: Happenings) -> Seen:
    """The runs in the order of their messages, their answers as they ended, and what nobody can vouch for."""
    admitted = [one for one in happenings.all("store.admit") if one["word"] == "NEW"]
    threads = sorted({str(one["thread"]) for one in admitted})
    logs = {thread: read_log(thread, store.log.read(thread)) for thread in threads}
    ends = {record.run: record for log in logs.values() for record in log if _ends(record)}
    runs = list(_runs(admitted, logs, withdrawn(happenings)))
    began = [run.run for run in runs]
    waits = [wait for log in logs.values() for wait in _waits(log)]
    heads = [store.inventory.head(thread) for thread in threads]
    return Seen(
        runs=runs,
        waits=sorted(waits, key=lambda wait: (began.index(wait.run), wait.asked)),
        answers=[str(ends[run].body["text"]) for run in _as_they_ended(happenings) if run in ends],
        unknown=sum(item.startswith("unknown:") for head in heads if head is not None for item in head.rest),
    )


def _as_they_ended(happenings: Happenings) -> list[str]:
    ended = [str(one["run"]) for one in happenings.all("store.commit") if one["head"].get("status") in SETTLED]
    return list(dict.fromkeys(ended))


def _waits(log: Sequence[Record]) -> Iterator[SeenWait]:
    mine = [record for record in log if record.kind == "wait"]
    for opened in (record.body["wait"] for record in mine if record.state == "pending"):
        done = [record.body["answer"] for record in mine if record.state == "done"]
        answers = [answer for answer in done if answer["wait"] == opened["id"]]
        ends = list(map(_in_words, answers))
        key = StepKey.parse(opened["key"])
        call = replace(key, call=key.call.partition("/")[0])
        again = any(AGAIN in given["choices"] for one in answers for given in one["given"])
        yield SeenWait(opened["id"], opened["run"], str(call), opened["asked"], ends, again)


def _in_words(answer: Mapping[str, Any]) -> str:
    """`approve by bob`, `button by ann`, `aside by bob`, `deadline`."""
    what = answer["verdict"] if answer["how"] == "button" and answer["verdict"] else answer["how"]
    return f"{what} by {name_of(answer['by'])}" if answer["by"] else str(what)


def _ends(record: Record) -> bool:
    return record.kind == "settled" and record.body["status"] in SETTLED


def _runs(admitted: Sequence[Happening], logs: Mapping[str, Sequence[Record]], gone: set[str]) -> Iterator[SeenRun]:
    """gone: runs that never began, because their messages were taken back."""
    for one in sorted(admitted, key=lambda one: str(one["ts"])):
        run = str(one["run"])
        mine = [record for record in logs[str(one["thread"])] if record.run == run]
        ends = [record for record in mine if record.kind == "settled"]
        last = ends[-1].body if ends else {}
        shown = [record.body["how"] for record in mine if record.kind == "delivered"]
        yield SeenRun(
            run=run,
            message=str(one["ts"]),
            status=last.get("status", "aborted" if run in gone else ""),
            text=last.get("text", ""),
            footer=last.get("footer", ""),
            settlements=sum(map(_ends, ends)) + (run in gone),
            deleted=run in gone or last.get("why") == "deleted",
            delivered=str(shown[-1]) if shown else "",
        )
