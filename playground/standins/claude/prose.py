"""The words of the repertoire, in Markdown as a model writes it."""

from __future__ import annotations

import re

PONDERING = "Let me think about what would help most here. A clear, short answer is best."

BEFORE = {
    "time": "Let me look at the clock.",
    "note": "I'll write that down.",
    "notes": "Let me look at my notes.",
    "thread": "I'll read back through this thread.",
    "post": "I'll do that once, and tell you what came back.",
    "charge": "I'll charge that once, and tell you what came back.",
    "fetch": "Let me read that page.",
    "ask": "There is something I need to know first.",
    "plan": "Here is how I would go about it.",
    "batch": "I'll run three of my tools at once.",
}

HELP = """\
Hello! I am a stand-in for Claude: I run on this machine, need no API key, and know a few tricks. \
Try:

| Say | What it shows |
|---|---|
| *what time is it?* | a tool call and its result |
| *note that we ship on Friday* | a tool that changes something |
| *read this thread* | a tool that looks back at what was said |
| *run three tools* | a batch, each call settling on its own |
| *ask me something*, *ask me three questions* | a card with buttons; nothing runs while I wait |
| *make a plan to find the slow release* | a plan to approve, and a card that follows it |
| *charge 40* | an unsafe tool that a rule wants approved first |
| *post to https://example.com/hook* | an unsafe tool: never run twice on its own |
| *tell me a long story* | a long answer, streamed |

The interesting part is what happens when things break. Ask for the long story, then press **kill \
the worker** while I speak: another one takes over, in the same message. Do it again while a tool \
runs, and nothing is done twice.
"""

TABLE = """\
A small one:

| What is killed | What goes on |
|---|---|
| a worker, while I speak | the same message; the model is asked again |
| a worker, between two tools | finished calls keep their results |
| everything | the run is still owed, and taken up when a worker is back |
"""

CODE = """\
Gladly. This counts words, most frequent first:

```python
from collections import Counter
from pathlib import Path


def words(path: Path) -> list[tuple[str, int]]:
    return Counter(path.read_text().lower().split()).most_common()
```

It reads the whole file at once, which is fine up to some hundred megabytes.
"""

STORY = """\
## The lighthouse that never went dark

On a rock far out in the bay stood a lighthouse, and its keeper had one rule: *write it in the book \
before you do the next thing.* Lamp trimmed, seven o'clock. Fog, a quarter past eight. Horn sounded, \
twenty past. The book lay open on the table by the stairs, and its pages were thick with ink.

"Why do you write so much?" asked the boy who brought the bread.

"Because I may not be here in an hour," said the keeper, who was a cheerful person and meant it \
kindly.

That winter a storm came in from the north, the kind that takes roofs. A ship was out there, low in \
the water, feeling its way along the shoals by the light alone. The keeper wound the clockwork, \
wrote it down, climbed the stairs, and was halfway to the top when a wave broke the lower window, \
and the water took her off her feet.

She woke up in the boathouse with a broken arm. The light was still turning.

It was the boy. He had come over with the bread before the storm and could not get back. When he \
found the tower empty he did not run up to the lamp, though he wanted to. He went to the table and \
read the last page.

*Clockwork wound, ten past nine.* Good: then it must not be wound again, or the spring would break. \
*Oil filled, nine o'clock.* Then there was oil until midnight. *Horn*, it said, and then nothing: a \
word begun and not finished.

He thought about that for a while. Had she sounded it, or only meant to? A second signal would send \
the ship to the wrong side of the rock. So he did not guess. He lit the small lantern in the window, \
which asks a question, and waited; and from the dark came three short flashes, which meant: *we \
heard you once.*

He wrote that down, too.

In the morning the ship lay in the harbour, with everybody on board. The captain came up to shake \
the keeper's good hand. "You never missed a beat," he said. "I would have sworn that it was the same \
person all night."

The keeper looked at the boy, and at the book.

| Hour | Entry | In whose hand |
|---|---|---|
| 9:00 | oil filled | the keeper |
| 9:10 | clockwork wound | the keeper |
| 9:20 | horn … | the keeper |
| 9:50 | asked; heard once | the boy |
| 12:00 | oil filled | the boy |

"It was the same light," she said. "That is all that matters to a ship."
"""


def no_tool(asked: str, names: list[str]) -> str:
    """Says that there is no tool for this."""
    have = ", ".join(f"`{name}`" for name in names) or "none at all"
    return f"I would need a tool for that ({asked}), and there is none here. The tools I was given: {have}."


def echo(prompt: str, names: list[str]) -> str:
    """An answer to something nobody foresaw."""
    have = ", ".join(f"`{name}`" for name in names) or "no tools"
    return (
        f"You said:\n\n> {_quoted(prompt)}\n\nI am a stand-in for Claude and only know a few tricks, but I "
        f"heard you. I have {have}. Say **help** to see what I can show, or **tell me a long story** and kill "
        "the worker while I speak."
    )


def report(results: list[tuple[str, str, bool]]) -> str:
    """What the tools said: (name, output, failed) each."""
    if len(results) == 1:
        name, said, failed = results[0]
        if failed and said.startswith("Not run"):
            why = re.sub(r"<@\w+>", "somebody", said.removeprefix("Not run: "))
            return f"I did not do it: {why}"
        lead = f"`{name}` did not work out. It says:" if failed else f"Done. `{name}` says:"
        return f"{lead}\n\n> {_quoted(said)}\n\nAnything else?"
    return f"{rows(results)}\n\nAnything else?"


def rows(results: list[tuple[str, str, bool]]) -> str:
    """What several tools said, as a table."""
    lines = "\n".join(
        f"| `{name}` | {'failed' if failed else 'done'} | {_cell(said)} |" for name, said, failed in results
    )
    lead = "It is back" if len(results) == 1 else f"All {len(results)} are back"
    return f"{lead}:\n\n| Tool | Outcome | It says |\n|---|---|---|\n{lines}"


def _quoted(text: str) -> str:
    return "\n> ".join(text.strip()[:600].splitlines()) or "(nothing)"


def _cell(text: str) -> str:
    return " ".join(text.split())[:80].replace("|", "\\|") or "(nothing)"
