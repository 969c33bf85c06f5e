"""How the runs of a simulated play ended, as the store tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playground.scenarios.seen import Seen, SeenRun
from store.lifecycle import SETTLED
from store.protocol import Store
from store.record import Record, read_log


def settled(store: Store, runs: Mapping[str, str], threads: Sequence[str]) -> Seen:
    """The runs, their answers in the order in which they ended, and what nobody can vouch for.

    runs: by id, the ts of the message that began each.
    """
    logs = [read_log(thread, store.log.read(thread)) for thread in threads]
    ends = sorted((record for log in logs for record in log if record.kind == "settled"), key=lambda end: end.at)
    heads = [store.inventory.head(thread) for thread in threads]
    return Seen(
        runs=[_run(run, ts, [end for end in ends if end.run == run]) for run, ts in runs.items()],
        unknown=sum(item.startswith("unknown:") for head in heads if head is not None for item in head.rest),
        notes={"answers": [end.body["text"] for end in ends if _settles(end)]},
    )


def _settles(record: Record) -> bool:
    return record.body["status"] in SETTLED


def _run(run: str, ts: str, ends: Sequence[Record]) -> SeenRun:
    last: Mapping[str, Any] = ends[-1].body if ends else {}
    status, text, footer = (str(last.get(name, "")) for name in ("status", "text", "footer"))
    return SeenRun(run, ts, status, text, footer, sum(map(_settles, ends)))
