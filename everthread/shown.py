"""The operator's records as text for a terminal: aligned tables and plain sentences."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from store.desk import Inspection, RunPage, Setting, Spending, StepRow, Why
from worker.footer import duration, money

_GIVEN, _GOT = 40, 60


def runs(page: RunPage) -> str:
    rows = [
        (row.run, row.status, row.asker or "?", _age(row.asked, page.now), row.thread, row.waits_for)
        for row in page.rows
    ]
    owed = f"{page.total} thread{' is' if page.total == 1 else 's are'} owed." if page.total else "Nothing is owed."
    more = f" More: everthread runs --cursor {page.cursor}" if page.cursor else ""
    listed = table(("RUN", "STATUS", "ASKED BY", "AGE", "THREAD", "WAITS FOR"), rows) + "\n\n" if rows else ""
    return f"{listed}{owed}{more}"


def why(found: Why) -> str:
    means = "\n".join(f"  {line}" for line in columns((one.button, one.does) for one in found.means))
    says = "\n".join(f"  {sentence}" for sentence in found.says)
    return "\n\n".join(part for part in (f"{_head(found)}\n{says}", means) if part)


def inspection(found: Inspection) -> str:
    steps = list(map(_step, found.steps))
    waits = [(row.id, row.kind, row.title, ended or "open") for row, ended in found.waits]
    posts = [(row.part, row.state, row.ts) for row in found.posts]
    facts = [("asks", found.asks), ("model", found.model), ("tokens", f"{found.tokens:,}"), ("cost", money(found.cost))]
    facts += [("restarts", str(found.restarts)), ("footer", found.footer)]
    parts = [
        _head(found),
        "\n".join(f"  {line}" for line in columns(fact for fact in facts if fact[1])),
        table(("AT", "TOOK", "STEP", "STATE", "COST", "GIVEN", "GOT"), steps) if steps else "No step is recorded yet.",
        table(("WAIT", "KIND", "ASKS", "ENDED"), waits) if waits else "",
        table(("POST", "STATE", "TS"), posts) if posts else "",
    ]
    return "\n\n".join(part for part in parts if part)


def usage(found: Spending) -> str:
    days = [(day, money(micros)) for day, micros in found.days if micros or day == found.days[0][0]]
    total = money(sum(micros for _, micros in found.days))
    calls = [(kind, str(made), str(most)) for kind, made, most in found.calls]
    return (
        f"{table(('DAY (UTC)', 'SPENT'), days)}\n\n"
        f"This month: {total}. A day may cost {money(found.limit)}.\n\n"
        f"{table(('CALLS TO SLACK', 'LAST MINUTE', 'AT MOST'), calls)}"
    )


def settings(found: Sequence[Setting]) -> str:
    return table(("SETTING", "VALUE", "FROM"), [(one.name, one.value, one.source) for one in found])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(columns([head, *rows]))


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines whose cells begin below each other, two spaces apart."""
    cells = [list(row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)] if cells else []
    return [
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _step(row: StepRow) -> tuple[str, ...]:
    took, cost = "" if row.took is None else duration(row.took), money(row.cost) if row.cost else ""
    return duration(row.at), took, row.what, row.state, cost, _cut(row.given, _GIVEN), _cut(row.got, _GOT)


def _head(found: Why | Inspection) -> str:
    asked = f", asked by {found.asker} {_age(found.asked, found.now)} ago" if found.asker else ""
    return f"run {found.run} in {found.thread}{asked}: {found.status}"


def _age(asked: float, now: float) -> str:
    return duration(max(0.0, now - asked)) if asked else "?"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _width(text: str) -> int:
    """Columns of a terminal: East Asian wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text
    )
