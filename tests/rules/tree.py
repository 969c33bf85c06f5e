"""What the rules look at: the files of this tree, and the clauses their tests name."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = ("bot", "worker", "store", "everthread", "playground", "bench")
TEXT = {".py", ".lua", ".md", ".toml", ".json", ".yaml", ".yml", ".txt", ".html", ".js", ".css", ".in", ""}
LISTED = re.compile(r"^- \*\*([A-Z]+-\d+)\*\* ", re.MULTILINE)


def python(*folders: str) -> list[Path]:
    """Every Python file of these folders, in order."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def lua() -> list[Path]:
    return sorted((ROOT / "store" / "redis" / "lua").glob("*.lua"))


def tracked() -> list[Path]:
    """The text files under version control; where there is none (an unpacked copy), those of the known folders."""
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [path for folder in (*SHIPPED, "tests", "docs") for path in (ROOT / folder).rglob("*")]
    return [path for path in paths if path.suffix in TEXT and path.is_file()]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def listed() -> list[str]:
    """The clauses of the contract, in its order."""
    return LISTED.findall((ROOT / "docs" / "contract.md").read_text(encoding="utf-8"))


@cache
def marked() -> dict[str, list[str]]:
    """Each clause that a test names, with those tests: `file::test`."""
    found: dict[str, list[str]] = {}
    for path in python("tests"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                for clause in _clauses(node):
                    found.setdefault(clause, []).append(f"{name_of(path)}::{node.name}")
    return found


def _clauses(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.clause":
            yield from (str(ast.literal_eval(argument)) for argument in decorator.args)
