"""How the operator's verbs put things: short, plain, masked, and never longer than a line may be."""

from __future__ import annotations

from store.desk import WaitRow
from store.redaction import masked_text
from store.wait import Answer, Wait, WaitKind

MOST = 200
"""Characters of a text of people, models or tools within a sentence."""
_COARSE = 20_000
KINDS: dict[WaitKind, str] = {
    "question": "an answer to",
    "plan": "a decision on the plan",
    "approval": "an approval of",
}


def line(text: str, most: int = MOST) -> str:
    """One masked line of `text`; a secret that the cut goes through is masked whole."""
    shown = " ".join(masked_text(text[:_COARSE]).split())
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def about(wait: Wait) -> str:
    """What is asked, in a few words."""
    return f"“{title_of(wait)}”"


def title_of(wait: Wait) -> str:
    """The call, or the title with the first line of the question where that says more."""
    if wait.kind == "approval":
        return line(wait.call, 120)
    first = next((one.text.strip().partition("\n")[0] for one in wait.questions), "")
    if first in ("", wait.title):
        return line(wait.title, 120)
    between = "" if not wait.title or wait.title[-1] in "?!.:" else ":"
    return line(f"{wait.title}{between} {first}", 120)


def waits_for(wait: Wait) -> str:
    return f"{KINDS[wait.kind]} {about(wait)}"


def row_of(wait: Wait) -> WaitRow:
    return WaitRow(
        id=wait.id,
        run=wait.run,
        thread=wait.thread,
        kind=wait.kind,
        title=title_of(wait),
        asker=wait.asker,
        asked=wait.asked,
        deadline=wait.deadline,
        who=() if "channel" in wait.answerers.by else _named(wait),
        barred=wait.asker if wait.answerers.not_asker and wait.kind != "question" else "",
    )


def who_may(wait: Wait) -> str:
    """Who may answer, as the beginning of a sentence."""
    by, quorum = wait.answerers.by, wait.answerers.quorum
    who = "Everybody in its channel" if "channel" in by else ", ".join(_named(wait)) or "Nobody"
    if wait.answerers.not_asker and wait.kind != "question":
        who += f" but {wait.asker}"
    votes = f", and {quorum} people have to approve" if quorum > 1 and wait.kind != "question" else ""
    return f"{who} may {'answer' if wait.kind == 'question' else 'decide'}{votes}"


def ended(answer: Answer | None) -> str:
    """How a wait ended, "" while it is open."""
    if answer is None:
        return ""
    by = f" by {answer.by}" if answer.by else ""
    match answer.how:
        case "deadline":
            return "nobody answered in time"
        case "aside":
            return f"set aside{by}"
        case "stopped":
            return f"stopped{by}"
        case _:
            return f"{_VERDICTS[answer.verdict]}{by}{f': {gist}' if (gist := _gist(answer)) else ''}"


_VERDICTS = {
    "": "answered",
    "approve": "approved",
    "change": "sent back for changes",
    "reject": "rejected",
    "deny": "denied",
}


def _gist(answer: Answer) -> str:
    given = [", ".join(filter(None, (*one.choices, one.words))) for one in answer.given]
    return line("; ".join(filter(None, (*given, answer.words))), 80)


def _named(wait: Wait) -> tuple[str, ...]:
    names = (wait.asker if name == "asker" else name for name in wait.answerers.by)
    return tuple(dict.fromkeys(names))


def holder(owner: str) -> str:
    """Whose process it is: an owner's name is `boot:pid:start:random`."""
    boot, _, rest = owner.partition(":")
    return f"process {rest.partition(':')[0]} on host {boot}" if rest else owner


def messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"
