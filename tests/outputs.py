"""The operator's commands with their real output, for docs/operations.md: `python -m tests.outputs` writes it anew.

A block of the page begins with `<!-- output: why move -->`: the command, in which a word such as `move` stands for what
was asked in a thread of `tests.scene`. It is run over that scene, each time a fresh one, by the console's own code.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from bot.listeners.command import COMMAND, usage
from everthread.console import parser
from everthread.verbs import operate
from tests.scene import Scene

PAGE = Path(__file__).parents[1] / "docs" / "operations.md"
ORDERS = ("stop", "resume", "heal")
BLOCK = re.compile(r"(<!-- output: (?P<command>.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """The page with every block written anew."""
    commands = [found["command"] for found in BLOCK.finditer(text)]
    outputs = dict(zip(commands, shown(commands), strict=True))
    return BLOCK.sub(lambda found: f"{found[1]}\n{indented(outputs[found['command']])}\n\n{found[3]}", text)


def shown(commands: Sequence[str]) -> list[str]:
    """What a terminal shows for each: the line as it is typed, then what came of it.

    What only looks, looks at one scene; each order has a scene of its own.
    """
    looking = [command for command in commands if command.split()[0] not in ORDERS and command[0] != "/"]
    found = dict(zip(looking, _typed(looking), strict=True))
    for command in commands:
        if command.startswith(COMMAND):
            said = str(usage().blocks[0]["text"]["text"])
            found[command] = f"{command}\n\n{said.replace('&lt;', '<').replace('&gt;', '>')}"
        elif command not in found:
            [found[command]] = _typed([command])
    return [found[command] for command in commands]


def _typed(commands: Sequence[str]) -> list[str]:
    found: list[str] = []
    Scene().play(lambda scene: found.extend(_run(scene, command) for command in commands))
    return found


def _run(scene: Scene, command: str) -> str:
    line, _, head = command.partition(" | head -")
    words = [scene.threads.get(word, scene.runs.get(word.removesuffix("'s"), word)) for word in line.split()]
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        code = operate(parser().parse_args(words), scene.desk, "console:ann")
    lines = printed.getvalue().splitlines()[: int(head) if head else None]
    ended = [f"$ echo $?\n{code}"] if code else []
    return "\n".join([f"$ everthread {' '.join(words)}{f' | head -{head}' if head else ''}", *lines, *ended])


def indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(PAGE.name)  # noqa: T201 - a script says what it wrote


if __name__ == "__main__":
    main()
