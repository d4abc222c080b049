"""A table before its meaning is known: named columns, rows, and the location of each row in the file.

Layouts (long, wide, ratings) are written once against :class:`Grid`; text files of moderate size, large files
in DuckDB and data frames each provide one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.grid.numerals import (
    Cells,
    Spelled,
    how_large,
    is_infinite,
    is_missing,
    is_percent,
    parse,
    parse_all,
    without_percent,
)

Codes = npt.NDArray[np.int32]


_THOUSANDS = re.compile(r"[+-]?\d{1,3}([,'’ \u00a0\u202f]\d{3})+(\.\d+)?|[+-]?\d{1,3}(\.\d{3})+,\d+")
_NESTED = (dict, list, tuple, np.ndarray)
_SIMPLE = ({str}, {int}, {str, type(None)})
"""Kinds of cells among which equal means equally written: not 1, 1.0 and True."""


class Labels(NamedTuple):
    """A column of names as integers: ``names[code]``, in order of first appearance; -1 is an empty cell."""

    codes: Codes
    names: tuple[str, ...]


class Grid(Protocol):
    """Columns that can be read as numbers or as labels."""

    @property
    def name(self) -> str:
        """The file, as the user named it, or the kind of object."""

    @property
    def header(self) -> tuple[str, ...]:
        """The distinct names of the columns."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def numbers(self, columns: Sequence[int]) -> FloatArray:
        """Return columns × rows; NaN is missing and infinity is not a number."""

    def labels(self, column: int) -> Labels:
        """Return a column of names."""

    def texts(self, column: int) -> list[str]:
        """Return a column of texts; an empty cell is an empty text."""

    def cell(self, row: int, column: int) -> str:
        """Return a cell as text, for messages."""

    def line(self, row: int) -> int | None:
        """Return the line of the file on which a row begins, counted from 1, if it has lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryGrid:
    """A grid of Python lists or NumPy arrays, one per column."""

    name: str
    header: tuple[str, ...]
    columns: Sequence[Cells] = field(repr=False)
    lines: Sequence[int] | None = field(default=None, repr=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def numbers(self, columns: Sequence[int]) -> FloatArray:
        """Return columns × rows; NaN is missing and infinity is not a number."""
        if not columns:
            return np.empty((0, self.n_rows))
        return np.stack([parse_all(self.columns[column]) for column in columns])

    def labels(self, column: int) -> Labels:
        """Return a column of names."""
        cells = self.columns[column]
        if any(issubclass(kind, _NESTED) for kind in set(map(type, cells))):
            nested = next(row for row, cell in enumerate(cells) if isinstance(cell, _NESTED))
            raise nested_label(self, nested, column)
        return encode(cells)

    def texts(self, column: int) -> list[str]:
        """Return a column of texts; an empty cell is an empty text."""
        return [_text(cell) for cell in self.columns[column]]

    def cell(self, row: int, column: int) -> str:
        """Return a cell as text, for messages."""
        return _text(self.columns[column][row])

    def line(self, row: int) -> int | None:
        """Return the line of the file on which a row begins."""
        return None if self.lines is None else self.lines[row]


def _text(cell: Any) -> str:  # noqa: ANN401  (whatever a JSON line or a data frame holds)
    if isinstance(cell, str):
        return cell
    if isinstance(cell, dict | list):
        try:
            return _json_text(cell)
        except RecursionError:  # as deep as the parser goes
            return _dumps(cell)
    return label(cell) or ""


def _json_text(value: Any) -> str:  # noqa: ANN401  (any JSON)
    """Return JSON without blanks, with canonical numbers."""
    if isinstance(value, dict):
        return "{" + ",".join([f"{_dumps(str(key))}:{_json_text(value[key])}" for key in value]) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join([_json_text(each) for each in value]) + "]"
    return value if isinstance(value, Spelled) else _dumps(value)


_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def encode(cells: Cells) -> Labels:
    """Number the distinct labels of a column in order of first appearance.

    Examples
    --------
    >>> encode(["b", "a", "", "b"])
    Labels(codes=array([ 0,  1, -1,  0], dtype=int32), names=('b', 'a'))
    """
    plain = cells.tolist() if isinstance(cells, np.ndarray) else cells
    index: dict[str, int] = {}
    if set(map(type, plain)) in _SIMPLE:
        # Equal cells have equal labels, so each distinct one is looked at once: ten times faster for a million rows.
        number = {
            cell: -1 if (name := label(cell)) is None else index.setdefault(name, len(index))
            for cell in dict.fromkeys(plain)
        }
        return Labels(
            np.fromiter(map(number.__getitem__, plain), dtype=np.int32, count=len(plain)), tuple(index)
        )
    codes = np.fromiter(
        (-1 if (name := label(cell)) is None else index.setdefault(name, len(index)) for cell in plain),
        dtype=np.int32,
        count=len(plain),
    )
    return Labels(codes, tuple(index))


def label(cell: Any) -> str | None:  # noqa: ANN401  (whatever a JSON line or a data frame holds)
    """Return a cell as a name, or None when it is empty."""
    if isinstance(cell, str):
        return None if is_missing(cell) else cell
    if cell is None or cell != cell or type(cell).__name__ in {"NAType", "NaTType"}:  # noqa: PLR0124
        return None
    return str(cell).lower() if isinstance(cell, bool) else str(cell)


def first_rows(codes: Codes, n_labels: int) -> npt.NDArray[np.int64]:
    """Return the first row in which each code occurs."""
    first = np.full(n_labels, codes.size, dtype=np.int64)
    rows = np.flatnonzero(codes >= 0)[::-1]
    # Assigned from the last row to the first, so that the first row wins.
    first[codes[rows]] = rows
    return first


def compact(labels: Labels) -> Labels:
    """Renumber by first appearance, leaving out names that no row uses."""
    first = first_rows(labels.codes, len(labels.names))
    order = np.argsort(first, kind="stable")[: int((first < labels.codes.size).sum())]
    renumber = np.full(len(labels.names) + 1, -1, dtype=np.int32)
    renumber[order] = np.arange(order.size, dtype=np.int32)
    return Labels(renumber[labels.codes], tuple(labels.names[i] for i in order))


def fault(grid: Grid, message: str, *, code: str, row: int | None = None) -> ReadError:
    """Build the error for a location in a grid: by line where there are lines, else by row."""
    line = None if row is None else grid.line(row)
    if row is None or line is not None:
        return ReadError(message, path=grid.name, line=line, code=code)
    placed = Message("Row {row}: {message}", severity="error", row=row + 1, message=message)
    return ReadError(placed, path=grid.name, row=row + 1, code=code)


def nested_label(grid: Grid, row: int, column: int) -> ReadError:
    """Build the error for an object or list where a name is needed."""
    return fault(
        grid,
        f"{quoted(grid.cell(row, column))} is not a name (column {quoted(grid.header[column])}). "
        f"Write a text or a number, not an object or a list.",
        row=row,
        code="BT025",
    )


def quoted(text: str, *, limit: int = 40) -> str:
    """Return a cell in quotes, shortened, with control characters made visible.

    Examples
    --------
    >>> quoted("n/a")
    '"n/a"'
    """
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown)
    return f'"{plain}"'


def has_numbers(values: FloatArray) -> BoolArray:
    """Return for each column whether any of its cells is a number."""
    return np.asarray(np.isfinite(values).any(axis=1))


def has_text(values: FloatArray) -> BoolArray:
    """Return for each column whether any of its cells is not a number."""
    return np.asarray(np.isinf(values).any(axis=1))


def check_numbers(grid: Grid, values: FloatArray, columns: Sequence[int]) -> None:
    """Raise at the first cell, in file order, that is not a number."""
    bad = np.isinf(values)
    if not bad.any():
        return
    row = int(np.flatnonzero(bad.any(axis=0))[0])
    column = columns[int(np.flatnonzero(bad[:, row])[0])]
    text, name = grid.cell(row, column), quoted(grid.header[column])
    if is_infinite(text):
        raise fault(
            grid,
            f"{quoted(text)} {how_large(text)} (column {name}). Leave the cell empty if the score is missing.",
            row=row,
            code="BT014",
        )
    raise fault(
        grid, f"{quoted(text)} is not a number (column {name}). {_number_cure(text)}", row=row, code="BT013"
    )


def _number_cure(text: str) -> str:
    if _THOUSANDS.fullmatch(text.strip()):
        return "Write numbers with a decimal point and without thousands separators."
    if is_decimal_comma(text):
        return "Write numbers with a decimal point."
    return "Leave the cell empty if the score is missing."


def is_decimal_comma(text: str) -> bool:
    """Whether a cell is a number as "1,5" writes it."""
    return text.count(",") == 1 and text.strip().lstrip("+-").replace(",", "").isdigit()


# Columns of scores as numbers, percent signs included.


_LIKE_A_NUMBER = re.compile(r"[+−-]?\s*[$€£]?\d[\d.,'’]*\s*([%‰*†±(/].*|[a-zµ]{1,3})?")


class ScoreNumbers(NamedTuple):
    """Numbers of some columns, and notes on percent signs."""

    values: FloatArray
    notes: tuple[str, ...]


def score_numbers(grid: Grid, columns: Sequence[int]) -> ScoreNumbers:
    """Return columns × rows of scores; NaN is missing and infinity is not a number.

    A column in which every number has a percent sign is a column of numbers: 50% is 50.

    Raises
    ------
    ReadError
        When only some cells of a column have percent signs, or other columns are shares of 1 (BT213).
    """
    values = grid.numbers(columns)
    percents = [
        i
        for i in np.flatnonzero(has_text(values)).tolist()
        if is_percent(grid.cell(int(np.flatnonzero(np.isinf(values[i]))[0]), columns[i]))
    ]
    for i in percents:
        values[i] = _percent_column(grid, columns[i], values[i])
    if not percents:
        return ScoreNumbers(values, ())
    _check_shares(grid, columns, values, percents)
    names = some_of([quoted(grid.header[columns[i]]) for i in percents])
    return ScoreNumbers(values, (f"Percent signs were removed, so that 50% is 50 (columns: {names}).",))


def _percent_column(grid: Grid, column: int, numbers: FloatArray) -> FloatArray:
    bare = np.flatnonzero(np.isfinite(numbers))
    signed = int(np.flatnonzero(np.isinf(numbers))[0])
    if bare.size:
        row, name = int(bare[0]), grid.header[column]
        raise fault(
            grid,
            Message(
                "{bare} has no percent sign, but {signed} in the same column ({column}) has one. Write all cells in "
                "the same way: half is 50%, half a percent is 0.5%. Or leave the column out: {ignore}.",
                bare=quoted(grid.cell(row, column)),
                signed=quoted(grid.cell(signed, column)),
                column=quoted(name),
                ignore=Option("ignore", [name]),
            ),
            row=row,
            code="BT213",
        )
    return np.array([parse(without_percent(cell)) for cell in grid.texts(column)])


def _check_shares(grid: Grid, columns: Sequence[int], values: FloatArray, percents: Sequence[int]) -> None:
    """Raise when 50% and 0.5 occur together: 0.5 may mean half or half a percent."""
    for i, column in enumerate(columns):
        known = values[i][np.isfinite(values[i])]
        if i in percents or not known.size or known.min() < 0 or known.max() > 1:
            continue
        first, name = grid.header[columns[percents[0]]], grid.header[column]
        raise fault(
            grid,
            Message(
                "Column {first} has percent signs and column {second} holds numbers from 0 to 1 without them, so 0.5 "
                "may mean half or half a percent. Write both in the same way: half is 50%. If one of them is not a "
                "system, leave it out: {ignore_first} or {ignore_second}.",
                first=quoted(first),
                second=quoted(name),
                ignore_first=Option("ignore", [first]),
                ignore_second=Option("ignore", [name]),
            ),
            code="BT213",
        )


def is_like_a_number(text: str) -> bool:
    """Whether a text looks like a number with extra characters: a unit, a thousands separator, an error.

    Examples
    --------
    >>> [is_like_a_number(text) for text in ("1,234.5", "0.53*", "12 ms", "0.5±0.1", "$1.20", "3/5")]
    [True, True, True, True, True, True]
    >>> [is_like_a_number(text) for text in ("s1", "2024-01-31", "a1b2", "7 apples")]
    [False, False, False, False]
    """
    return _LIKE_A_NUMBER.fullmatch(text.strip()) is not None
