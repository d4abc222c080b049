"""Rows that summarise the others: an average, a total, a standard deviation below the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.read.doubts.column_meanings import meaning_of
from betterthan.read.grid.grid import Grid, Labels, fault, quoted

# Summaries stand at the end of a table; a segment may be called "mean" anywhere else.
LAST_ROWS = 5
_ENOUGH_ROWS = 5
_CHANCE = 1e-5


class SummaryRows(NamedTuple):
    """Which rows are summaries, and what to say about them."""

    rows: BoolArray
    note: str


def summary_rows(grid: Grid, labels: Sequence[str], values: FloatArray) -> SummaryRows | None:
    """Return the rows that are the mean or sum of the others.

    Parameters
    ----------
    grid : Grid
        For the places in messages.
    labels : sequence of str
        What the last rows are called; empty where a row has no name.
    values : array of float
        ``systems × rows``.

    Raises
    ------
    ReadError
        For a row that is named like a summary and is not one, or is one without being named so (BT216).
    """
    n = values.shape[1]
    if n < 3:
        return None
    start = n - len(labels)
    named = [start + k for k, label in enumerate(labels) if label and meaning_of(label) == "summary"]
    is_summary = np.zeros(n, dtype=np.bool_)
    is_summary[named] = True
    if named:
        plain = values[:, ~is_summary]
        if not any(_summary_of(values[:, row], plain) for row in named):
            row = named[0]
            raise fault(
                grid,
                f"The row is called {quoted(labels[row - start])}, but its scores are neither the means nor the sums "
                f"of the other rows. Remove it if it is a summary, or call it otherwise if it is a segment.",
                row=row,
                code="BT216",
            )
        shown = ", ".join(dict.fromkeys(quoted(labels[row - start]) for row in named))
        count = len(named)
        return SummaryRows(
            is_summary,
            f"{count} row{'' if count == 1 else 's'} that summarise{'s' if count == 1 else ''} the others "
            f"{'was' if count == 1 else 'were'} left out: {shown}.",
        )
    return _unnamed(grid, labels[-1] if labels else "", values)


def refuse_summary(grid: Grid, segments: Labels, rows: IntArray) -> None:
    """Raise when one of the last segments of a long table is named like a summary of the others (BT216)."""
    if len(segments.names) < 3:
        return
    for code in range(max(0, len(segments.names) - LAST_ROWS), len(segments.names)):
        if meaning_of(segments.names[code]) == "summary":
            first = int(np.flatnonzero(segments.codes == code)[0])
            raise fault(
                grid,
                f"Segment {quoted(segments.names[code])} seems to be a summary of the others and would count as a "
                f"segment. Remove its rows; if it is a segment, give it another name.",
                row=int(rows[first]),
                code="BT216",
            )


def _unnamed(grid: Grid, label: str, values: FloatArray) -> SummaryRows | None:
    last = values.shape[1] - 1
    if last < _ENOUGH_ROWS or values.shape[0] < 2:
        return None
    is_filled = np.isfinite(values)
    if not is_filled[:, last].all() or (is_filled[:, :last].sum(axis=1) < _ENOUGH_ROWS).any():
        return None  # too little to tell a sum from a score that comes again
    word = _summary_of(values[:, last], values[:, :last], chance=_CHANCE)
    if word is None:
        return None
    if label:
        raise fault(
            grid,
            f"The last row holds the {word} of all rows above it, in every column, so it may be a summary and not a "
            f"segment. Remove it.",
            row=last,
            code="BT216",
        )
    is_summary = np.zeros(last + 1, dtype=np.bool_)
    is_summary[last] = True
    return SummaryRows(is_summary, f"1 row was left out: the last one, which holds the {word} of the others.")


def _summary_of(row: FloatArray, others: FloatArray, *, chance: float | None = None) -> str | None:
    """Return "means" or "sums" if a row holds them, up to its own rounding."""
    known = np.isfinite(row)
    if not known.any() or others.shape[1] < 2:
        return None
    row, others = row[known], others[known]
    filled = np.isfinite(others)
    if not filled.any(axis=1).all():
        return None
    sums = np.where(filled, others, 0.0).sum(axis=1)
    means = sums / filled.sum(axis=1)
    size = float(np.abs(np.where(filled, others, 0.0)).max())
    decimals = next(
        (d for d in range(7) if np.allclose(np.round(row, d), row, rtol=0, atol=1e-12 * size)), None
    )
    slack = 1e-9 * max(size, float(np.abs(row).max())) + (
        0.0 if decimals is None else 0.5001 * 10.0**-decimals
    )
    for word, expected in (("means", means), ("sums", sums)):
        fits = bool((np.abs(row - expected) <= slack).all())
        if fits and (chance is None or _by_chance(row, others, slack) < chance):
            return word
    return None


def _by_chance(row: FloatArray, others: FloatArray, slack: float) -> float:
    """Return about how likely an ordinary row would agree as well."""
    low, high = np.nanmin(others, axis=1), np.nanmax(others, axis=1)
    fractions = others[np.isfinite(others)]
    is_fraction_of_whole = (fractions == np.round(fractions)).all() and (row != np.round(row)).any()
    # Within rounding of the others nothing lies outside: all of them may be 0.
    is_outside = (row < low - 2 * slack) | (row > high + 2 * slack)
    if (is_fraction_of_whole and (high > low).any()) or is_outside.all():
        return 0.0
    spread = np.where(high > low, high - low, slack)
    return float(np.prod(np.minimum(1.0, 2 * slack / spread)))
