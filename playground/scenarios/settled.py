"""How the runs of a play ended, as the store tells it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from playground.scenarios.happenings import Happening, Happenings
from playground.scenarios.quiet import withdrawn
from playground.scenarios.seen import Seen, SeenRun
from store.lifecycle import SETTLED
from store.protocol import Store
from store.record import Record, read_log


def settled(store: Store, happenings: Happenings) -> Seen:
    """The runs in the order of their messages, their answers as they ended, and what nobody can vouch for."""
    admitted = [one for one in happenings.all("store.admit") if one["word"] == "NEW"]
    threads = sorted({str(one["thread"]) for one in admitted})
    logs = {thread: read_log(thread, store.log.read(thread)) for thread in threads}
    ends = {record.run: record for log in logs.values() for record in log if _ends(record)}
    heads = [store.inventory.head(thread) for thread in threads]
    return Seen(
        runs=list(_runs(admitted, logs, withdrawn(happenings))),
        answers=[str(ends[run].body["text"]) for run in _as_they_ended(happenings) if run in ends],
        unknown=sum(item.startswith("unknown:") for head in heads if head is not None for item in head.rest),
    )


def _as_they_ended(happenings: Happenings) -> list[str]:
    ended = [str(one["run"]) for one in happenings.all("store.commit") if one["head"].get("status") in SETTLED]
    return list(dict.fromkeys(ended))


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
