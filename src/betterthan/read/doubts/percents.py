"""Columns of scores as numbers, percent signs included."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import some_of
from betterthan.messages import Message, Option
from betterthan.read.grid.grid import Grid, fault, has_text, quoted
from betterthan.read.grid.numerals import is_percent, parse, without_percent

_LIKE_A_NUMBER = re.compile(r"[+−-]?\s*[$€£]?\d[\d.,'’]*\s*([%‰*†±(/].*|[a-zµ]{1,3})?")


class ScoreNumbers(NamedTuple):
    """Numbers of some columns, and what to say about percent signs."""

    values: FloatArray
    notes: tuple[str, ...]


def score_numbers(grid: Grid, columns: Sequence[int]) -> ScoreNumbers:
    """Return columns × rows of scores; NaN is missing and infinity is not a number.

    A column in which every number has a percent sign is a column of numbers: 50% is 50.

    Raises
    ------
    ReadError
        When only some cells of a column, or some columns beside shares of 1, have percent signs (BT213).
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
    return ScoreNumbers(values, (f"Percent signs were left out, so that 50% is 50 (columns: {names}).",))


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
    """Refuse 50% beside 0.5: whether that is half or half a percent cannot be seen."""
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
    """Whether a text seems to be a number with something around it: a unit, a thousands separator, an error.

    Examples
    --------
    >>> [is_like_a_number(text) for text in ("1,234.5", "0.53*", "12 ms", "0.5±0.1", "$1.20", "3/5")]
    [True, True, True, True, True, True]
    >>> [is_like_a_number(text) for text in ("s1", "2024-01-31", "a1b2", "7 apples")]
    [False, False, False, False]
    """
    return _LIKE_A_NUMBER.fullmatch(text.strip()) is not None
