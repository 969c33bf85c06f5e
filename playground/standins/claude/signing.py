"""Signatures of thinking: bound to their content, to what stood before, and to the thinking before them.

A signature is `link.seal`: the link names the previous thinking block, so that one missing in the middle shows
while a leading run may be dropped, as with the real service.
"""

from __future__ import annotations

from collections.abc import Iterator

from playground.standins.claude.transcript import (
    THINKING,
    Json,
    Transcript,
    digest,
    step,
)

_FIRST = "0" * 16


def sign(transcript: Transcript, blocks: list[Json]) -> list[Json]:
    """The blocks of the next answer, thinking signed."""
    signed: list[Json] = []
    previous = next((block for *_, block in reversed(list(_thinking(transcript)))), None)
    before = transcript.bound[-1]
    for block in blocks:
        if block["type"] in THINKING:
            block = _with_signature(block, f"{_link(previous)}.{_seal(before, block, _link(previous))}")
            previous = block
        before = step(before, "assistant", [block])
        signed.append(block)
    return signed


def broken(transcript: Transcript) -> str | None:
    """What is wrong with the thinking that came back, if anything is."""
    previous: Json | None = None
    for where, before, block in _thinking(transcript):
        link, _, seal = _signature(block).rpartition(".")
        if previous is not None and link != _link(previous):
            return f"{where}: a thinking block between this one and the one before it is missing"
        if seal != _seal(before, block, link):
            return f"{where}: Invalid `signature` in `thinking` block. The block is bound to a different conversation"
        previous = block
    return None


def _thinking(transcript: Transcript) -> Iterator[tuple[str, str, Json]]:
    """Where each thinking block is, what stands before it, and the block."""
    for at, message in enumerate(transcript.messages):
        before = transcript.bound[at]
        for index, block in enumerate(message["content"]):
            if block.get("type") in THINKING:
                yield f"messages.{at}.content.{index}", before, block
            before = step(before, message["role"], [block])


def _link(previous: Json | None) -> str:
    return _FIRST if previous is None else digest(_signature(previous))[:16]


def _seal(before: str, block: Json, link: str) -> str:
    content = {key: value for key, value in block.items() if key not in ("signature", "data")}
    return digest(before, content, link)[:48]


def _signature(block: Json) -> str:
    return str(block.get("signature" if block["type"] == "thinking" else "data", ""))


def _with_signature(block: Json, signature: str) -> Json:
    return {**block, "signature" if block["type"] == "thinking" else "data": signature}
