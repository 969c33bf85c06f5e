"""Markdown tables: where one begins, and the two lines that a part of it needs to be read as a table."""

from __future__ import annotations

from dataclasses import dataclass

_DELIMITER = frozenset("|:- \t\r")
_HEADER = 1_000


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is open: its header and delimiter lines, as they are written."""

    header: str
    delimiter: str

    @property
    def opening(self) -> str:
        return f"{self.header}\n{self.delimiter}\n"


def table_at(line: str, following: str) -> Table | None:
    """The table that begins with `line`, if the line after it says that it is one."""
    if "|" not in line or "|" not in following or "-" not in following or not _DELIMITER.issuperset(following):
        return None
    return Table(line, following) if len(line) + len(following) <= _HEADER else None


def goes_on(line: str) -> bool:
    """Whether a table that is open has `line` as its next row."""
    return "|" in line
