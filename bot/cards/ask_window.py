"""The windows in which people answer in words, and what they carry until they are sent. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bot.cards.ask_button import Target
from bot.cards.ask_form import listing, needs_list, pick, pick_block, picked_in, say, say_block, takes_words
from bot.cards.ask_shown import shown_wait
from bot.cards.card import Block, plain, section
from bot.cards.text import clip
from store.wait import Wait

ANSWER = "everthread_answer"
"""The callback id of every one of them."""

Purpose = Literal["words", "change", "deny"]
"""To answer a question, to ask for another plan, to say no to a call."""

_TITLE: Mapping[Purpose, str] = {"words": "Answer", "change": "Ask for changes", "deny": "Deny"}
_SUBMIT: Mapping[Purpose, str] = {"words": "Send", "change": "Send", "deny": "Deny"}
_LABEL, _LISTING = 1_900, 2_900
_BLOCKS, _BYTES, _URL = 95, 200_000, 2_000
"""A window takes 100 blocks and 250 KB (slack_sdk View; docs.slack.dev views), its metadata 3,000 characters."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a window is for; written `thread|run|wait|purpose|url`. url: redraws the card from which it was opened."""

    target: Target
    purpose: Purpose
    url: str = ""

    def __str__(self) -> str:
        return f"{self.target}|{self.purpose}|{self.url if len(self.url) <= _URL else ''}"

    @classmethod
    def parse(cls, value: str) -> Errand:
        """ValueError where it is not one of ours."""
        thread, run, wait, purpose, url = value.split("|", 4)
        for known in get_args(Purpose):
            if purpose == known:
                return cls(Target.parse(f"{thread}|{run}|{wait}"), known, url)
        raise ValueError(f"{purpose!r} is nothing that a window of ours is for")


def answer_window(wait: Wait, errand: Errand, values: Mapping[str, Any]) -> Block:
    """values: what is picked in the message already."""
    return {
        "type": "modal",
        "callback_id": ANSWER,
        "private_metadata": str(errand),
        "title": plain(_TITLE[errand.purpose]),
        "submit": plain(_SUBMIT[errand.purpose]),
        "close": plain("Cancel"),
        "blocks": _inside(shown_wait(wait), errand.purpose, values),
    }


def input_ids(view: Mapping[str, Any]) -> list[str]:
    """The ids of a window's inputs, in order; view: as a payload has it, so it may be anything."""
    found = view.get("blocks")
    blocks = [block for block in found if isinstance(block, Mapping)] if isinstance(found, list) else []
    return [str(block.get("block_id")) for block in blocks if block.get("type") == "input"]


def in_window(wait: Wait, view: Mapping[str, Any]) -> frozenset[int]:
    """The numbers of the questions that a window asks."""
    ids = set(input_ids(view))
    return frozenset(n for n in range(len(wait.questions)) if {pick_block(wait, n), say_block(wait, n)} & ids)


def _inside(wait: Wait, purpose: Purpose, values: Mapping[str, Any]) -> list[Block]:
    match purpose:
        case "words":
            return list(_within(wait, values))
        case "change":
            return [say(wait, 0, "What should change?")]
        case "deny":
            return [say(wait, 0, "Why?", optional=True)]


def _within(wait: Wait, values: Mapping[str, Any]) -> Iterator[Block]:
    """The inputs of as many questions as a window holds."""
    count = size = 0
    for number in range(len(wait.questions)):
        blocks = list(_inputs(wait, number, values))
        count, size = count + len(blocks), size + len(json.dumps(blocks))
        if number and (count > _BLOCKS or size > _BYTES):
            return
        yield from blocks


def _inputs(wait: Wait, number: int, values: Mapping[str, Any]) -> Iterator[Block]:
    """To one question of which each choice has a button, only words are left to be said here."""
    question = wait.questions[number]
    asked = clip(question.text.strip(), _LABEL) or "Your answer"
    if not question.choices or (len(wait.questions) == 1 and not question.several):
        yield say(wait, number, asked)
        return
    if needs_list(question):
        yield section(clip(listing(question), _LISTING))
    words = takes_words(question)
    yield pick(wait, number, asked, picked_in(wait, number, values), optional=words)
    if words:
        yield say(wait, number, "Or in your own words", optional=True)
