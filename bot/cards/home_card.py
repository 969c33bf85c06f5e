"""The app's home tab: what waits for its reader, their runs, and for admins the workspace's. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.cards.ask_words import NAME, somebody
from bot.cards.card import Block, context, plain
from bot.cards.desk_card import Link, dollars, marked, run_line
from bot.cards.moment import moment
from bot.cards.text import clip, one_line
from store.desk import RunPage, Spending, WaitRow, WaitRows
from store.thread import ThreadId

MOST_BLOCKS = 100
"""Of a home tab (slack_sdk View)."""


@dataclass(frozen=True, slots=True)
class Home:
    """owed and spent: for admins; None for everybody else."""

    waits: WaitRows
    runs: RunPage
    owed: RunPage | None = None
    spent: Spending | None = None


def home_card(home: Home, link: Link) -> Block:
    """The whole tab, as `views.publish` takes it."""
    blocks = [*_waits(home.waits, link), *_runs(home.runs, link)]
    if home.owed is not None:
        blocks += _workspace(home.owed, home.spent, link)
    blocks.append(context("This is as of when you opened it: open it again to see what changed."))
    return _view(blocks[:MOST_BLOCKS])


def closed_home(sentence: str) -> Block:
    """A tab that says why there is nothing on it."""
    return _view([{"type": "section", "text": plain(clip(sentence, 2_800))}])


def _waits(waits: WaitRows, link: Link) -> Iterator[Block]:
    yield _header("What waits for you")
    for row in waits.rows:
        yield marked(_wait_line(row, link))
    if not waits.rows:
        yield context("Nothing waits for you.")
    if waits.more > 0:
        yield context(f"… and up to {waits.more:,} more, asked earlier")


def _wait_line(row: WaitRow, link: Link) -> str:
    """The question as a link to its thread, then whose it is, where, and until when."""
    about = [NAME[row.kind].lower(), f"for {somebody(row.asker)}", _place(row.thread), f"asked {moment(row.asked)}"]
    if row.deadline:
        about.append(f"until {moment(row.deadline)}")
    title = one_line(row.title, 150) or "Something was asked"
    return f"*<{link(row.thread)}|{title}>*\n{' · '.join(about)}"


def _runs(page: RunPage, link: Link) -> Iterator[Block]:
    yield _header("Your runs")
    for row in page.rows:
        yield marked(run_line(row, page.now, link))
    if not page.rows:
        yield context("You asked for nothing in the last 30 days. Mention me in a channel, or write to me here.")


def _workspace(page: RunPage, spent: Spending | None, link: Link) -> Iterator[Block]:
    yield _header("The workspace")
    if spent is not None:
        yield context(f"Today: {dollars(spent.days[0][1])} of {dollars(spent.limit)}")
    for row in page.rows:
        yield marked(run_line(row, page.now, link))
    if not page.rows:
        yield context("Nothing is owed.")
    if page.cursor:
        yield context(f"{page.total:,} threads are owed in all: /everthread runs {page.cursor}")


def _place(thread: str) -> str:
    channel = ThreadId.parse(thread).channel
    return f"in <#{channel}>" if channel.startswith(("C", "G")) and channel.isalnum() else "in direct messages"


def _header(text: str) -> Block:
    return {"type": "header", "text": plain(text)}


def _view(blocks: list[Block]) -> Block:
    return {"type": "home", "blocks": blocks}
