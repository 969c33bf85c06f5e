"""The cards of what people are asked, as they stand in Slack: whose each is, whether it is open, and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from bot.cards.ask_button import APPROVE, CHANGE, CHOOSE, DENY, REJECT, SEND, WORDS
from playground.scenarios.happenings import Happenings
from playground.standins.slack.blocks import interactive

Json = Mapping[str, Any]
CardState = Literal["open", "over", "moved"]

_ANSWERS = (CHOOSE, SEND, WORDS, APPROVE, CHANGE, REJECT, DENY)
_MOVED = "Asked again further down"


def part_of(message: Json) -> str:
    """The part of a run's posts that a message of ours is, '' where it does not say so."""
    payloads = ((version["metadata"] or {}).get("event_payload") for version in message["versions"])
    return next((str(payload["part"]) for payload in payloads if payload), "")


def wait_of(part: str) -> str:
    """The wait of which a part is the card, '' for every other part."""
    kind, _, rest = part.partition(".")
    return rest.partition(".")[0] if kind in ("ask", "told") else ""


def card_state(blocks: Sequence[Json]) -> CardState:
    """open: it has buttons to answer with. moved: it was asked again further down."""
    if any(str(part.get("action_id")).startswith(_ANSWERS) for part in interactive([dict(one) for one in blocks])):
        return "open"
    return "moved" if _MOVED in text_of(blocks) else "over"


def standing_cards(happenings: Happenings) -> dict[str, tuple[str, CardState]]:
    """By ts, the wait and the state of each card that stands now."""
    found: dict[str, tuple[str, CardState]] = {}
    for one in happenings.all("slack.message.posted", "slack.message.edited", "slack.message.deleted"):
        if one.kind == "slack.message.deleted":
            found.pop(one["ts"], None)
        elif one["from_app"] and (wait := wait_of(part_of(one.data))):
            found[one["ts"]] = wait, card_state(one["blocks"])
    return found


def text_of(blocks: Any) -> str:
    """Every text in these blocks, in order: what people read there, labels included."""
    return "\n".join(_texts(blocks))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inside in value.items():
            if name == "text" and isinstance(inside, str):
                yield inside
            else:
                yield from _texts(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from _texts(inside)
