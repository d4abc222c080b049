"""One description of a table, for all renderers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from betterthan.messages import Spelling, spelled
from betterthan.present import numbers

TableCell = str | float | int | tuple[float, float] | None
ColumnKind = Literal["text", "count", "integer", "number", "pvalue", "interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """Heading of a column and how its cells are written.

    Parameters
    ----------
    heading : str
    kind : {"text", "count", "integer", "number", "pvalue", "interval"}
        An interval's cell is a pair (low, high); a count is text aligned as numbers are.
    digits : int, default 2
        Decimals of numbers and intervals.
    """

    heading: str
    kind: ColumnKind = "text"
    digits: int = 2

    def written(self, cell: TableCell) -> str:
        """Return the cell as text, before any escaping."""
        if cell is None:
            return "–"
        if isinstance(cell, tuple):
            return numbers.interval(*cell, self.digits)
        if isinstance(cell, str):
            return cell
        if self.kind == "pvalue":
            return numbers.pvalue(cell)
        return numbers.number(cell, 0 if self.kind == "integer" else self.digits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What to show of a result: a title, columns, rows, and what must be said below them.

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
    words : tuple of str
        The verdict in words.
    notes : tuple of str
        Caveats, counts of what was dropped.
    signature : str
        How the numbers were made.
    """

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    rules: frozenset[int] = frozenset()
    bold: frozenset[tuple[int, int]] = frozenset()
    words: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signature: str = ""

    def written(self) -> list[list[str]]:
        """Return all cells as text, before any escaping."""
        return [[c.written(cell) for c, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def spelled(self, spelling: Spelling) -> Table:
        """Return the table with options in its words and notes as an interface writes them."""
        words, notes = (
            tuple(spelled(line, spelling) for line in lines) for lines in (self.words, self.notes)
        )
        return replace(self, words=words, notes=notes)
