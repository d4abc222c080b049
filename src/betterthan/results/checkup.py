"""Checkup: what is in a file, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.results.base import Result
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem: its code, a title, the place, a message that ends with the cure.

    `is_doubt` says that it is only something to know, not something to settle before the file can be used.
    """

    code: str
    title: str
    place: str
    message: str
    is_doubt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Checkup(Result):
    """What was recognised in a file, every row accounted for, and every problem found.

    Attributes
    ----------
    file : str
        As the user named it.
    format : str
        Name of the layout, or "unknown".
    because : str
        How it was recognised.
    contents : tuple of str
        One line a table: what it holds.
    rows_read, rows_kept : int
    dropped : dict of str to int
        Rows left out, by reason.
    preview_columns : tuple of str
        Canonical columns of the preview.
    preview : tuple of tuples of str
        The first rows, in canonical columns.
    problems : tuple of Finding
        Empty when all is well.
    """

    kind: ClassVar[str] = "checkup"

    file: str
    format: str
    because: str
    contents: tuple[str, ...]
    rows_read: int
    rows_kept: int
    dropped: dict[str, int]
    preview_columns: tuple[str, ...]
    preview: tuple[tuple[str, ...], ...]
    problems: tuple[Finding, ...]
    notes: tuple[str, ...]
    settings: Settings

    @property
    def exit_code(self) -> int:
        """1 when there is something to mend, else 0; doubts are no fault."""
        return int(any(not problem.is_doubt for problem in self.problems))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the problems, one row each."""
        names = ("code", "title", "place", "message")
        return {name: [getattr(problem, name) for problem in self.problems] for name in names}

    def __repr__(self) -> str:
        many = len(self.problems)
        return f"Checkup({self.file!r}, {self.format}, {many} problem{'' if many == 1 else 's'})"
