"""Known bugs put back, one at a time; storms have to find each within 500 seeds.

python -m tests.bugs             every bug of tests/bugs.toml
python -m tests.bugs fence …     those whose names hold one of these words
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("bot", "worker", "store", "everthread", "playground")
SEEDS = 500
SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Bug:
    """One line of one file, and what it was or becomes in systems that have the bug."""

    name: str
    file: str
    old: str
    new: str

    def put_back(self, tree: Path) -> None:
        """Break the line in this tree; ValueError unless it is there exactly once."""
        path = tree / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: not exactly one {self.old!r} in {self.file}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")


def bugs(words: Sequence[str] = ()) -> list[Bug]:
    """The listed bugs, or those whose names hold one of the words."""
    found = [Bug(**row) for row in tomllib.loads(LIST.read_text(encoding="utf-8"))["bug"]]
    return [bug for bug in found if not words or any(word in bug.name for word in words)]


def found_by(bug: Bug) -> str:
    """The storm that finds it, with what did not hold; "" where none of them does."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        tree = Path(folder)
        for name in COPIED:
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        bug.put_back(tree)
        command = [sys.executable, "-m", "playground.chaos", str(SEEDS), "--stop"]
        done = subprocess.run(
            command, cwd=tree, capture_output=True, text=True, timeout=SECONDS, check=False, env=_environment(tree)
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("seed ")]
        return lines[0] if lines else ""


def _environment(tree: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin"}


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    missed = 0
    chosen = bugs(sys.argv[1:])
    for bug in chosen:
        storm = found_by(bug)
        missed += not storm
        _say(f"{'found ' if storm else 'MISSED'}  {bug.name}: {storm[:160]}")
    _say(f"{len(chosen)} bugs, {len(chosen) - missed} found within {SEEDS} seeds")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
