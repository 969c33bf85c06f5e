"""What the repertoire asks people, and what it says to their answers."""

from __future__ import annotations

import re

from playground.standins.claude.transcript import Json

_NUMBERS = {"a": 1, "an": 1, "one": 1, "some": 2, "two": 2, "three": 3, "four": 4, "five": 5}
_COUNT = re.compile(r"\bask (?:me |us )?(?:(\d|a|one|some|two|three|four|five) )?(?:[a-z]+ )?questions?\b", re.I)
_FOR = re.compile(r"\bask (?:me|us) for\s+(.{1,200}?)[\s.?!]*$", re.I)
_WITHIN = re.compile(r"\bwithin (?:(\d{1,3}|an|a|one|two|three|four|five) )?(second|minute|hour)s?\b", re.I)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_ANSWERED = re.compile(r"^<@\w+> answered:\s*$", re.M)
_PAIR = re.compile(r"^(.+)\n→ (.+)$", re.M)

_TITLE = "Releasing v413"
_POOL: list[Json] = [
    {
        "question": "How shall I release v413?",
        "choices": [
            {"label": "To everyone", "description": "live within minutes"},
            {"label": "Canary first", "description": "one customer in twenty for an hour, then the rest"},
            {"label": "Not today", "description": "nothing happens"},
        ],
        "free_text": True,
        "default": "Not today",
    },
    {
        "question": "Which services does it concern?",
        "choices": [
            {"label": "checkout", "description": "the cart and the payment"},
            {"label": "search", "description": "the index and the suggestions"},
            {"label": "mail", "description": "receipts and newsletters"},
        ],
        "several": True,
        "default": "checkout",
    },
    {
        "question": "When shall I begin?",
        "choices": [
            {"label": "Now", "description": "as soon as you have answered"},
            {"label": "Tonight", "description": "at 22:00, when the shop is quiet"},
        ],
        "default": "Tonight",
    },
    {"question": "What shall the release note say?", "free_text": True},
    {
        "question": "Who shall hear of it?",
        "choices": [
            {"label": "The team", "description": "in this channel"},
            {"label": "Everybody", "description": "by mail"},
        ],
        "several": True,
        "free_text": True,
    },
]


def questions(prompt: str) -> Json:
    """The arguments of a tool that asks people: as many questions as the prompt wants, and until when."""
    if (wanted := _FOR.search(prompt)) is not None:
        return {"title": "One thing I need", "questions": [{"question": f"What is {wanted[1]}?", "free_text": True}]}
    found = _COUNT.search(prompt)
    word = (found[1] or "one").lower() if found else "one"
    count = max(1, min(len(_POOL), int(word) if word.isdecimal() else _NUMBERS[word]))
    asked: Json = {"title": _TITLE, "questions": [dict(question) for question in _POOL[:count]]}
    if (within := _WITHIN.search(prompt)) is not None:
        times = within[1] or "1"
        number = int(times) if times.isdecimal() else _NUMBERS[times.lower()]
        asked["minutes"] = number * _SECONDS[within[2].lower()] / 60
    return asked


def heard(said: str) -> str:
    """What is said to a tool's report of what people answered; "" where it is none."""
    if "set the question aside" in said:
        return "Then I leave that open, and go on to what came after it."
    pairs = _PAIR.findall(said)
    if not pairs:
        return "Nobody answered in time, so I leave it at that." if said.startswith("Nobody answered") else ""
    whose = "Thank you." if _ANSWERED.search(said) else "Nobody answered in time, so I take what was said to count."
    rows = "\n".join(f"| {_cell(question)} | {_cell(answer)} |" for question, answer in pairs)
    return f"{whose} I go on with this:\n\n| I asked | The answer |\n|---|---|\n{rows}"


def _cell(text: str) -> str:
    return " ".join(text.split())[:300].replace("|", "\\|")
