"""One description of a table, for all renderers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from betterthan.messages import METHOD_NOTE, Message, Spelling, spelled
from betterthan.present import numbers
from betterthan.results.pairwise import pvalue

TableCell = str | float | int | tuple[float, float] | None
ColumnKind = Literal["text", "code", "count", "integer", "number", "pvalue", "interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """Heading of a column and how its cells are written.

    Parameters
    ----------
    heading : str
    kind : {"text", "code", "count", "integer", "number", "pvalue", "interval"}
        An interval's cell is a pair (low, high); a count is text aligned as numbers are; code is text in which every
        character needs the same width.
    digits : int, default 2
        Decimals of numbers and intervals.
    spare : int, default 0
        Whether the column may be left out where a terminal is too narrow: 0 never, the highest number first.
    in_paper : bool, default True
        Whether the column is part of the narrow table for a paper.
    """

    heading: str
    kind: ColumnKind = "text"
    digits: int = 2
    spare: int = 0
    in_paper: bool = True

    def written(self, cell: TableCell) -> str:
        """Return the cell as text, before any escaping."""
        if cell is None:
            return "–"
        if isinstance(cell, tuple):
            return numbers.interval(*cell, self.digits)
        if isinstance(cell, str):
            return cell
        if self.kind == "pvalue":
            return pvalue(cell)
        return numbers.number(cell, 0 if self.kind == "integer" else self.digits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What to show of a result: a title, the verdict, columns and rows, and what a reader must know about them.

    Parameters
    ----------
    title : str
        One line above the table.
    columns : tuple of TableColumn
    rows : tuple of rows
        Raw cells, as many as there are columns.
    rules : frozenset of int
        Rows with a line below them, such as the last of a cluster.
    bold : frozenset of (int, int)
        Cells (row, column) to stress; never the only way something is said.
    verdict : tuple of str
        The answer in words, above the rows.
    unit : str
        Which unit the answer rests on, and how to choose another; the first line below the rows.
    words : tuple of str
        Further sentences of the answer, such as those of an explanation.
    legend : str
        What columns, marks and rules mean, in one line.
    notes : tuple of str
        What else a reader should know, most important first.
    signature : str
        How the numbers were made.
    short_signature : str
        The part of it that distinguishes two results at a glance.
    above : tuple of Table
        Tables between the verdict and the rows, such as a matrix of all pairs; of each only title, columns, rows and
        legend are shown.
    """

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    rules: frozenset[int] = frozenset()
    bold: frozenset[tuple[int, int]] = frozenset()
    verdict: tuple[str, ...] = ()
    unit: str = ""
    words: tuple[str, ...] = ()
    legend: str = ""
    notes: tuple[str, ...] = ()
    signature: str = ""
    short_signature: str = ""
    above: tuple[Table, ...] = ()

    @property
    def prose(self) -> tuple[str, ...]:
        """All sentences but the notes, for pages that show them together below the rows."""
        return tuple(line for line in (*self.verdict, self.unit, *self.words, self.legend) if line)

    def written(self) -> list[list[str]]:
        """Return all cells as text, before any escaping."""
        return [[c.written(cell) for c, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def spelled(self, spelling: Spelling) -> Table:
        """Return the table with options in its sentences as an interface writes them, important notes first."""
        verdict, words, notes = (
            tuple(spelled(line, spelling) for line in lines)
            for lines in (self.verdict, self.words, by_importance(self.notes))
        )
        unit, legend = spelled(self.unit, spelling), spelled(self.legend, spelling)
        above = tuple(table.spelled(spelling) for table in self.above)
        return replace(self, verdict=verdict, unit=unit, words=words, legend=legend, notes=notes, above=above)


_IMPORTANCE = {"error": 0, "warning": 1, "info": 3}


def is_method_note(note: str) -> bool:
    """Whether a note only says how data were read or how a number was made, and names no option to change it."""
    if not isinstance(note, Message):
        return False
    return note.code == METHOD_NOTE or (note.severity == "info" and not note.options)


def by_importance(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Return notes with the most important first: warnings, plain notes, how data were read, how numbers were made.

    Notes of the same importance keep their order.

    Examples
    --------
    >>> from betterthan.messages import method_note
    >>> by_importance((method_note("Signature: x."), Message("Read.", severity="info"), "Note.", Message("Few.")))
    ('Few.', 'Note.', 'Read.', 'Signature: x.')
    """
    return tuple(sorted(notes, key=_importance))


def _importance(note: str) -> int:
    if isinstance(note, Message) and note.code == METHOD_NOTE:
        return 4
    return _IMPORTANCE[note.severity] if isinstance(note, Message) else 2
