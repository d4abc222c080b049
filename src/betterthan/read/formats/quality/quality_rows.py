"""Rows of the quality estimation tasks: separated by tabs, with or without a header, quotation marks as text.

Submissions begin with two or three lines that are no rows: bytes on disk, number of parameters and, since 2023, number
of models. Published gold labels were partly written by a CSV writer, so a cell may be quoted although others are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from betterthan.errors import ReadError
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import is_infinite, parse
from betterthan.read.protocol import Guess
from betterthan.read.source.source import Source

Cells = Sequence[str]
GOLD = "gold"
"""The name of the truth where a column names systems."""
_MOST_FACTS = 3
_PAIR = re.compile(r"[A-Za-z]{2,3}(?:_[A-Za-z]+)?-[A-Za-z]{2,3}(?:_[A-Za-z]+)?")
_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Columns of a file: their names from the third on, and what a row must look like without a header."""

    columns: tuple[str, ...]
    looks_like: Callable[[Cells], bool]

    @property
    def width(self) -> int:
        """Number of cells of a row: language pair and system stand before the others."""
        return len(self.columns) + 2

    def is_header(self, cells: Cells) -> bool:
        """Whether a row names the columns; the second is called "name", or "gold" in the files of 2023."""
        names = tuple(cell.strip().casefold() for cell in cells)
        return len(names) == self.width and names[0] == "lp" and names[2:] == self.columns

    def is_row(self, cells: Cells) -> bool:
        """Whether a row looks like one of this layout."""
        if len(cells) != self.width or not is_pair(cells[0]):
            return False
        return self.looks_like([unquoted(cell) for cell in cells])


@dataclass(slots=True)
class Account:
    """How many rows there were, how many were left out and why, and how many cells were quoted."""

    n_rows: int = 0
    n_quoted: int = 0
    n_facts: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, why: str) -> None:
        """Count a row that is left out."""
        self.dropped[why] = self.dropped.get(why, 0) + 1

    def notes(self, path: str) -> tuple[str, ...]:
        """Say what was passed over or read differently."""
        found = []
        if self.n_facts:
            found.append(
                f"{path}: the first {self.n_facts} lines describe the submission and are no rows "
                f"(bytes, parameters, models)."
            )
        if self.n_quoted:
            found.append(f"{path}: quoted cells, read as CSV has them: {self.n_quoted:,}.")
        return tuple(found)


def fits(source: Source, layout: Layout) -> Literal["header", "rows"] | None:
    """Say by what the first lines show a layout, if they do.

    Lines that do not fit may be fewer than the others: the reading says where they are and what is wrong with them.
    """
    if source.is_parquet or source.is_folder:
        return None
    rows = [line.rstrip("\r\n").split("\t") for line in first_lines(source) if line.strip()]
    while rows and len(rows[0]) == 1:
        rows = rows[1:]
    if rows and layout.is_header(rows[0]):
        return "header"
    if rows and not is_pair(rows[0][0]):
        return None  # a header, but of another table
    good = sum(layout.is_row(row) for row in rows)
    return "rows" if rows and good > _SHARE * len(rows) else None


def guess(source: Source, layout: Layout, confidence: float) -> Guess | None:
    """Say how sure a reader of a layout is, and by what."""
    fit = fits(source, layout)
    if fit is None:
        return None
    columns = ", ".join(("lp", "name", *layout.columns))
    because = f"the columns are called {columns}" if fit == "header" else f"every row is {columns}"
    return Guess(confidence=confidence, because=because)


def rows_of(source: Source, layout: Layout, account: Account) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row; header, empty lines and facts of a submission are passed over.

    Raises
    ------
    ReadError
        When a row has another number of cells (BT012).
    """
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        cells = text.split("\t")
        if not account.n_rows:
            if len(cells) == 1 and line <= _MOST_FACTS:
                account.n_facts += 1
                continue
            if layout.is_header(cells):
                continue
        # A tab too many at the end hides nothing.
        while len(cells) > layout.width and not cells[-1].strip():
            cells.pop()
        if len(cells) != layout.width:
            raise _wrong_width(len(cells), layout, source, line)
        account.n_rows += 1
        plain = [unquoted(cell) for cell in cells]
        account.n_quoted += sum(map(str.__ne__, cells, plain))
        yield line, plain


def unquoted(cell: str) -> str:
    r"""Return a cell without the quotes of a CSV writer, which are there only where quotes inside are doubled.

    A sentence in quotes is left alone: a CSV writer would have made three marks of each.

    Examples
    --------
    >>> print(unquoted('"He said ""no""."'), unquoted('"No," he said "no"'), unquoted('"No."'))
    He said "no". "No," he said "no" "No."
    """
    inner = cell[1:-1]
    if cell[:1] == cell[-1:] == '"' and '""' in inner and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


def is_pair(cell: str) -> bool:
    """Whether a cell is a language pair such as en-de."""
    return _PAIR.fullmatch(cell.strip()) is not None


def is_count(cell: str) -> bool:
    """Whether a cell is a whole number from 0 on, as segments and words are numbered."""
    text = cell.strip()
    return text.isascii() and text.isdigit() and len(text) < 10


def number(cell: str, source: Source, line: int) -> float:
    """Return the number in a cell, NaN if it is missing.

    Raises
    ------
    ReadError
        When it is no finite number (BT013).
    """
    value = parse(cell)
    if abs(value) != float("inf"):
        return value
    shown = cell if len(cell) <= 40 else cell[:40] + "…"
    what = "is too large" if is_infinite(cell) else "is not a number"
    raise ReadError(
        f'"{shown}" {what}. Leave the cell empty if the score is missing.',
        path=source.name,
        line=line,
        code="BT013",
    )


def named(cells: Cells, source: Source, line: int) -> tuple[str, str, str]:
    """Return the language pair, system and segment of a row.

    Raises
    ------
    ReadError
        When one of them is missing (BT105).
    """
    pair, name, segment = (cell.strip() for cell in cells[:3])
    check_names({"language pair": pair, "system": name, "segment": segment}, path=source.name, line=line)
    return pair.lower(), name, segment


def _wrong_width(found: int, layout: Layout, source: Source, line: int) -> ReadError:
    columns = " ".join(("lp", "name", *layout.columns))
    return ReadError(
        f"The row has {found} cells, but {layout.width} are needed: {columns}. Separate them by tabs.",
        path=source.name,
        line=line,
        code="BT012",
    )
