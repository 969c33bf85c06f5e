"""`make docs`: writes the pages that are told by the code, so that they cannot say anything else.

docs/keyspace.md from `store.redis.keyspace.KEYS`; docs/settings.md from `everthread.settings.Settings` and the
descriptions in app.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic.fields import FieldInfo

from everthread.settings import NEEDS, Settings, variable
from store.redis.keyspace import KEYS

ROOT = Path(__file__).parents[1]
BY_THE_HOST = {
    "REDIS_URL": "Address of a Redis or Valkey with `maxmemory-policy noeviction`, best with an append-only file.",
    "PORT": "Port of the health check, and of Slack's posts when there is no SLACK_APP_TOKEN.",
}
"""Variables that the host sets by itself, so app.json does not ask for them."""
WRITTEN = "<!-- Written by `make docs`; change the code it names instead. -->"


def main() -> None:
    """Write every page."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))


def pages() -> Mapping[Path, str]:
    """Each generated page and what it has to say."""
    return {ROOT / "docs" / "keyspace.md": keyspace(), ROOT / "docs" / "settings.md": settings()}


def keyspace() -> str:
    rows = ((f"`{key.pattern}`", key.type, key.owner, key.lives, key.holds) for key in KEYS)
    return f"""# Keys in Redis

{WRITTEN}

Every key Everthread writes, from `store/redis/keyspace.py`. All keys of a workspace share one hash tag, so that one
script may touch several of them. *owner*: only who holds the thread's lease writes it, through the fence. *anyone*:
also the bot. *sweep*: the recovery sweep.

{_table(("key", "type", "written by", "lives", "holds"), rows)}
RQ keeps its own keys under `rq:`; they hold hints and nothing that could not be lost.
"""


def settings() -> str:
    rows = (_row(name, field) for name, field in Settings.model_fields.items())
    return f"""# Settings

{WRITTEN}

Every setting is an environment variable, from `everthread/settings.py`; what they mean is said once, in `app.json`.
An empty variable counts as unset. All faults are said at once when a process starts, and `everthread doctor` says
them without starting anything. Times are in seconds, money in US dollars; lists are separated by commas or spaces.

{_table(("variable", "default", "range", "meaning"), rows)}"""


def described() -> Mapping[str, str]:
    """What each variable means."""
    asked = json.loads((ROOT / "app.json").read_text(encoding="utf-8"))["env"]
    return BY_THE_HOST | {name: str(entry["description"]) for name, entry in asked.items()}


def _row(name: str, field: FieldInfo) -> tuple[str, ...]:
    needing = [command for command, needs in NEEDS.items() if name in needs]
    default = f"needed by {', '.join(needing)}" if needing else _default(field.default)
    return f"`{variable(name)}`", default, _range(field), described().get(variable(name), "")


def _default(value: Any) -> str:
    match value:
        case None | "":
            return "unset"
        case bool():
            return f"`{str(value).lower()}`"
        case float() if value.is_integer():
            return f"`{int(value)}`"
        case int() | float() | str():
            return f"`{value}`"
        case frozenset() if value:
            return f"`{', '.join(map(str, sorted(value)))}`"
        case _:
            return "empty"


def _range(field: FieldInfo) -> str:
    if words := [choice for choice in _choices(field.annotation) if isinstance(choice, str)]:
        return ", ".join(f"`{word}`" for word in words)
    if field.annotation is bool:
        return "`true`, `false`"
    bounds = {type(bound).__name__: bound for bound in field.metadata}
    if "Ge" in bounds and "Le" in bounds:
        least, most = bounds["Ge"].ge, bounds["Le"].le
        return f"{least:g} to {most:g}" if most < 1e6 else f"{least:g} to {most:.0f}"
    return ""


def _choices(annotation: Any) -> Iterable[Any]:
    """The words of a Literal, also behind `| None`."""
    for argument in get_args(annotation):
        yield from (argument,) if isinstance(argument, str) else _choices(argument)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *([_cell(cell) for cell in row] for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    """Text that neither ends its cell nor is taken for a tag."""
    return text if text.startswith("`") else text.replace("|", "∣").replace("<", "&lt;")


if __name__ == "__main__":
    main()
