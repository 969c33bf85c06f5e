"""The sentences about a wait: who may answer, until when, and how it ended. Pure.

They are in Slack's markup, for it alone shows people and dates by their names; what the model said in them is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.cards.moment import moment
from bot.cards.text import one_line
from store.redaction import masked_text
from store.thread import ThreadId
from store.wait import Answer, Given, Verdict, Wait, WaitKind

_PERSON = re.compile(r"[UW][A-Z0-9]+", re.ASCII)
_CHANNEL = re.compile(r"[CG][A-Z0-9]+", re.ASCII)
_GROUP = re.compile(r"S[A-Z0-9]+", re.ASCII)
_GIST, _NAMED, _ID, _DEFAULT, _DEFAULTS = 300, 10, 20, 60, 3

NAME: Mapping[WaitKind, str] = {"question": "A question", "plan": "A plan to approve", "approval": "An approval"}
_LEFT: Mapping[WaitKind, str] = {"question": "", "plan": ": it counts as rejected", "approval": ": it counts as denied"}
_DECIDED: Mapping[Verdict, str] = {
    "": "Answered by",
    "approve": "Approved by",
    "change": "Changes were asked for by",
    "reject": "Rejected by",
    "deny": "Denied by",
}
_DONE: Mapping[Verdict, str] = {
    "": "",
    "approve": "approved",
    "change": "asked for changes",
    "reject": "rejected",
    "deny": "denied",
}


def somebody(who: str) -> str:
    """A person or a group as Slack shows them; whoever is neither has their id."""
    if _PERSON.fullmatch(who):
        return f"<@{who}>"
    return f"<!subteam^{who}>" if _GROUP.fullmatch(who) else one_line(who, _ID) or "somebody"


def named(wait: Wait) -> str:
    """Those who may answer, where that is not everybody in the channel: `<@U1>, <@U2>`; else ""."""
    if "channel" in wait.answerers.by:
        return ""
    names = dict.fromkeys(wait.asker if one == "asker" else one for one in wait.answerers.by)
    shown = [somebody(name) for name in list(names)[:_NAMED]]
    return ", ".join([*shown, *(["others"] if len(names) > _NAMED else [])])


def who_may(wait: Wait) -> str:
    """Who may answer, or "" where everybody here may."""
    verb = "answer" if wait.kind == "question" else "decide"
    parts = [f"{names} may {verb}"] if (names := named(wait)) else []
    if wait.kind != "question" and wait.answerers.not_asker:
        parts.append(f"not {somebody(wait.asker)}, for whom it is done")
    if wait.kind != "question" and wait.answerers.quorum > 1:
        parts.append(f"{wait.answerers.quorum} people have to approve")
    return ", ".join(parts)


def until(wait: Wait) -> str:
    """Until when, and what counts after that; "" where there is no deadline."""
    if wait.deadline <= 0:
        return ""
    after = defaults(wait) if wait.kind == "question" else "it is not approved"
    return f"Until {moment(wait.deadline)}; after that {after or 'it goes on without an answer'}"


def defaults(wait: Wait) -> str:
    """What counts where nobody answers in time, or ""."""
    texts = [masked_text(question.default) for question in wait.questions if question.default.strip()]
    found = [one_line(text, _DEFAULT) for text in texts]
    if not found:
        return ""
    return f"“{found[0]}” counts" if len(wait.questions) == 1 else f"the defaults count: {'; '.join(found[:_DEFAULTS])}"


def essence(wait: Wait) -> str:
    """What is asked, as the model said it: the question where it is one, else the title."""
    texts = [question.text for question in wait.questions]
    first = [*texts, wait.title] if len(texts) == 1 else [wait.title, *texts]
    return next((text.strip() for text in first if text.strip()), "")


def place(wait: Wait) -> str:
    """Where it was asked, for a card that stands elsewhere."""
    channel = ThreadId.parse(wait.thread).channel
    where = f"<#{channel}>" if _CHANNEL.fullmatch(channel) else "a thread"
    return f"Asked in {where}, where I cannot post any more."


def ending(wait: Wait, answer: Answer | None) -> str:
    """How it ended, in one line."""
    if answer is None:
        return "This is over."
    by = somebody(answer.by) if answer.by else ""
    match answer.how:
        case "deadline" if wait.kind == "question":
            left = defaults(wait)
            return f"Nobody answered in time{f': {left}' if left else ''}."
        case "deadline":
            return "Nobody decided in time: it is not approved."
        case "aside":
            return f"Set aside by {by or 'somebody'}{_LEFT[wait.kind]}."
        case "stopped":
            return f"The run was stopped{f' by {by}' if by else ''}."
        case "button" | "words":
            return f"{_DECIDED[answer.verdict]} {by or 'somebody'}."


def gist(answer: Answer) -> str:
    """What was answered, in one short line, escaped."""
    said = "; ".join(filter(None, map(given, answer.given)))
    parts = (_DONE[answer.verdict], said, answer.words)
    return one_line(masked_text(": ".join(part for part in parts if part.strip())), _GIST)


def given(one: Given) -> str:
    """What was given for one question, as it was said."""
    return "; ".join(part for part in (", ".join(one.choices), one.words.strip()) if part)
