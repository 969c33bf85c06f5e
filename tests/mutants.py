"""One broken line per clause; a test that names the clause has to notice each.

    python -m tests.mutants             every mutant of tests/mutants.toml
    python -m tests.mutants STEP-3 …    those of these clauses

Each mutant is tried in a copy of the tree, never in place, with only the tests that carry its clause's marker. Before
that those tests have to pass on the unbroken copy, so that a mutant dies of its own line.
"""

from __future__ import annotations

import compileall
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Any

from tests.rules.tree import marked

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("bot", "worker", "store", "everthread", "playground", "bench", "tests", "docs")
AT_ONCE = 2
SECONDS = 60
"""A mutant whose tests take longer counts as killed: it hangs."""
FAST = ("tests/unit", "tests/conformance", "tests/crash", "tests/bot")
FAILED, NOTHING_RAN = 1, 5


@dataclass(frozen=True, slots=True)
class Mutant:
    """One line of one file, and what it becomes; `where` holds the tests that may notice."""

    clause: str
    file: str
    old: str
    new: str
    where: tuple[str, ...] = FAST

    def tests(self) -> list[str]:
        """The files with a test of this clause, the smallest first: most mutants die there."""
        files = {test.partition("::")[0] for test in marked().get(self.clause, ())}
        chosen = [name for name in files if name.startswith(self.where)]
        return sorted(chosen, key=lambda name: (ROOT / name).stat().st_size) or ["tests/rules/tree.py"]

    def breaks(self, tree: Path) -> str:
        """Break the line in this tree; the file's text as it was. ValueError unless the line is there exactly once."""
        path = tree / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1 or "\n" in self.old + self.new:
            raise ValueError(f"{self.clause}: not exactly one {self.old!r} in {self.file}, or more than one line")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
        return text


def mutants(clauses: Sequence[str] = ()) -> list[Mutant]:
    """The listed mutants, or those of the given clauses."""
    rows = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]
    found = [Mutant(**row | {"where": tuple(row.get("where", FAST))}) for row in rows]
    return [mutant for mutant in found if not clauses or mutant.clause in clauses]


class Bench:
    """Copies of the tree in which mutants are tried, one at a time in each."""

    def __init__(self, folder: Path) -> None:
        self._trees: Queue[Path] = Queue()
        first = folder / "0"
        for name in COPIED:
            shutil.copytree(ROOT / name, first / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy(path, first)
        compileall.compile_dir(first, quiet=2)
        self._trees.put(first)
        for n in range(1, AT_ONCE):
            self._trees.put(Path(shutil.copytree(first, folder / str(n))))

    def survives(self, mutant: Mutant) -> str:
        """Why this mutant lives, or '' when a test of its clause killed it."""
        with self._tree() as tree:
            try:
                whole = mutant.breaks(tree)
            except ValueError as gone:
                return str(gone)
            try:
                code = _test(tree, mutant.tests(), "--clause", mutant.clause)
            finally:
                (tree / mutant.file).write_text(whole, encoding="utf-8")
        if code in (FAILED, None):
            return ""
        return "no test of this clause ran" if code == NOTHING_RAN else f"every test passed (pytest: {code})"

    def passes(self, tests: Sequence[str], *options: str) -> bool:
        """Whether these tests pass while nothing is broken."""
        with self._tree() as tree:
            return _test(tree, tests, *options, patience=10 * SECONDS) == 0

    @contextmanager
    def _tree(self) -> Iterator[Path]:
        tree = self._trees.get()
        try:
            yield tree
        finally:
            self._trees.put(tree)


def _test(tree: Path, tests: Sequence[str], *options: str, patience: float = SECONDS) -> int | None:
    """pytest's exit code over some test files of a tree; None when they had to be ended."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *options]
    with subprocess.Popen(
        [*command, *tests],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:
        try:
            return running.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # with the servers that its tests started
            return None


def _needed(chosen: Sequence[Mutant]) -> Iterator[tuple[Any, ...]]:
    """What has to pass unbroken, in a few runs: the fast files whole, of the others only the clause's own tests."""
    fast = sorted({name for mutant in chosen if mutant.where == FAST for name in mutant.tests()})
    yield from ((fast[n::AT_ONCE],) for n in range(AT_ONCE) if fast[n::AT_ONCE])
    yield from ((mutant.tests(), "--clause", mutant.clause) for mutant in chosen if mutant.where != FAST)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(clauses: Sequence[str]) -> int:
    """Try them all; 1 when one survives or the tests do not even pass unbroken."""
    chosen = mutants(clauses)
    killed = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(AT_ONCE) as crew:
        bench = Bench(Path(folder))
        needed = list(_needed(chosen))
        for need, fine in zip(needed, crew.map(lambda need: bench.passes(*need), needed), strict=True):
            if not fine:
                say(f"these fail without any mutant, mend them first: {' '.join(need[0])}")
                return 1
        for mutant, why in zip(chosen, crew.map(bench.survives, chosen), strict=True):
            say(f"{'SURVIVED' if why else 'killed':<9} {mutant.clause:<9} {mutant.file}: {mutant.new.strip()}")
            if why:
                say(f"          {why}")
            killed += not why
    say(f"{len(chosen)} mutants, {killed} killed")
    return 0 if killed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
