"""What the operator's verbs answer, as messages that one person sees. Pure.

In Slack's markup, for it alone shows people by their names; what people, models and tools said is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from bot.cards.ask_words import somebody
from bot.cards.card import FALLBACK_BYTES, Block, Card, context
from bot.cards.text import clip, escaped, in_bytes, one_line
from bot.cards.words import age
from store.desk import Done, Inspection, RunPage, RunRow, Spending, Why

Link = Callable[[str], str]
"""The address of a thread."""

_WAITS_FOR, _LINE, _SECTION = 200, 400, 2_900
_STEPS, _BLOCKS, _ALL = 20, 48, 12_000
"""Steps that are shown; blocks and characters of a message (slackapi/bolt-js#2509: about 13,200 were refused)."""
_PEOPLE = re.compile(r"(?:[UW]|S)[A-Z0-9]+", re.ASCII)


def marked(text: str) -> Block:
    """A paragraph in Slack's markup; what is not ours in it is escaped already."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def told(text: str) -> Card:
    """One sentence of ours, or a few; it is shown without any markup."""
    return Card(clip(text, FALLBACK_BYTES, in_bytes), [{"type": "section", "text": _plain(clip(text, _SECTION))}])


def runs_card(page: RunPage, link: Link, *, mine: bool, more: str = "") -> Card:
    """mine: the reader's own runs. more: how to see the next ones."""
    if mine:
        title = f"{page.total} of your runs {'is' if page.total == 1 else 'are'} not over."
    else:
        title = f"{page.total} {'thread is' if page.total == 1 else 'threads are'} owed."
    rows = [marked(run_line(row, page.now, link)) for row in page.rows]
    after = [context(f"More: {more}")] if more and page.cursor else []
    return Card(title, [*_fitted([marked(f"*{title}*"), *rows]), *after])


def run_line(row: RunRow, now: float, link: Link) -> str:
    """One run in two lines: how it stands, whose it is, since when; what it waits for."""
    parts = [f"*{one_line(row.status, 20)}*", f"<{link(row.thread)}|{one_line(row.run, 40)}>"]
    parts += [somebody(row.asker)] if row.asker else []
    parts += [f"asked {age(now - row.asked)} ago"] if row.asked else []
    line = " · ".join(parts)
    return f"{line}\n{one_line(row.waits_for, _WAITS_FOR)}" if row.waits_for else line


def why_card(found: Why, link: Link) -> Card:
    """The sentences, then what each button would do."""
    says = [_named(one_line(sentence, _LINE), found.people) for sentence in found.says]
    blocks = [marked(_head(found, link)), *_paragraphs(says)]
    if found.means:
        means = [f"*{one_line(one.button, 80)}*: {one_line(one.does, _LINE)}" for one in found.means]
        blocks += _paragraphs(means)
    said = f"{found.status}: {' '.join(found.says)}"
    return Card(clip(said, FALLBACK_BYTES, in_bytes), _fitted(blocks))


def inspection_card(found: Inspection, link: Link) -> Card:
    """The last steps of a run, what it asked of people, what it cost."""
    steps = found.steps[-_STEPS:]
    before = len(found.steps) - len(steps)
    lines = [f"… {before:,} steps before"] if before else []
    for row in steps:
        came = " → ".join(one_line(part, 120) for part in (row.given, row.got) if part)
        lines.append(f"{age(row.at)} · *{one_line(row.what, 80)}* · {row.state}{f' · {came}' if came else ''}")
    lines += [
        f"{wait.kind} “{one_line(wait.title, 120)}”: {one_line(ended, 120) or 'open'}" for wait, ended in found.waits
    ]
    facts = f"{found.model[:60]} · {found.tokens:,} tokens · {dollars(found.cost)} · restarts: {found.restarts}"
    head = f"{_head(found, link)}\n{one_line(found.asks, _WAITS_FOR)}"
    blocks = _fitted([marked(head), *_paragraphs(lines)])
    return Card(one_line(f"run {found.run}: {found.status}", _LINE), [*blocks, context(escaped(facts))])


def usage_card(found: Spending) -> Card:
    """Today, this month, and how near Slack's limits are."""
    today = found.days[0][1]
    month = sum(micros for _, micros in found.days)
    spent = f"Today: {dollars(today)} of {dollars(found.limit)}. This month: {dollars(month)}."
    days = [f"{day}: {dollars(micros)}" for day, micros in found.days[:7] if micros]
    made = ", ".join(f"{kind} {count} of {most}" for kind, count, most in found.calls)
    return Card(
        spent, [marked(f"*{spent}*"), *_paragraphs(days), context(f"Calls to Slack in the last minute: {made}")]
    )


def done_card(done: Done, link: Link) -> Card:
    text = f"<{link(done.thread)}|{one_line(done.run, 40)}>: {one_line(done.says, _LINE)}"
    return Card(one_line(f"{done.run}: {done.says}", _LINE), [marked(text)])


def dollars(micros: int) -> str:
    amount = micros / 1_000_000
    return f"${amount:,.2f}" if micros == 0 or amount >= 0.1 else f"${amount:.4f}"


def _head(found: Why | Inspection, link: Link) -> str:
    row = RunRow(found.thread, found.run, found.status, found.asker, found.asked, "")
    return run_line(row, found.now, link)


def _named(text: str, people: Sequence[str]) -> str:
    """The ids that our own words name, shown as people and groups."""
    for who in people:
        if _PEOPLE.fullmatch(who):
            text = re.sub(rf"(?<![\w@^]){who}(?!\w)", somebody(who), text)
    return text


def _paragraphs(found: Iterable[str]) -> list[Block]:
    """Lines together, as many to a section as it takes; a blank one says nothing, and Slack takes no empty section."""
    sections: list[str] = []
    for line in filter(str.strip, found):
        if sections and len(sections[-1]) + len(line) < _SECTION:
            sections[-1] += f"\n{line}"
        else:
            sections.append(line)
    return [marked(text) for text in sections]


def _fitted(blocks: list[Block]) -> list[Block]:
    """As many of them as a message takes, and a word about the rest."""
    kept: list[Block] = []
    left = _ALL
    for block in blocks:
        left -= len(block["text"]["text"])
        if left < 0 or len(kept) == _BLOCKS:
            return [*kept, context("… more than a message holds; the command line shows all of it")]
        kept.append(block)
    return kept


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}
