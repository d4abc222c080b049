"""From rows of (segment, system, score) to systems × segments, with a rule for duplicates."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray
from betterthan.messages import COLUMN, VALUE, Message, Option
from betterthan.read.grid.grid import Codes, Grid, Labels, fault, quoted
from betterthan.read.grid.where import telling_column

Duplicates = Literal["raise", "first", "last", "mean"]
MOST_CELLS = 400_000_000


class Cells(NamedTuple):
    """Scores as systems × segments, and how many rows were merged into another row."""

    values: FloatArray
    merged: int


def fill(
    grid: Grid,
    rows: npt.NDArray[np.int64],
    *,
    segments: Labels,
    systems: Labels,
    scores: FloatArray,
    duplicates: Duplicates,
) -> Cells:
    """Put each score into its cell.

    Parameters
    ----------
    grid : Grid
        For the lines named in errors.
    rows : array of int
        The row of `grid` that each score comes from.
    segments, systems : Labels
    scores : array of float
    duplicates : {"raise", "first", "last", "mean"}

    Raises
    ------
    ReadError
        For two rows of the same segment and system (BT101), or a table too large to hold (BT107).
    """
    shape = (len(systems.names), len(segments.names))
    if shape[0] * shape[1] > MOST_CELLS:
        raise fault(
            grid,
            f"{shape[0]} systems × {shape[1]} segments are too many cells for {scores.size} rows. "
            f"Check which columns hold the segment and the system.",
            code="BT107",
        )
    cell = systems.codes.astype(np.int64) * shape[1] + segments.codes
    seen = np.zeros(shape[0] * shape[1], dtype=np.bool_)
    seen[cell] = True
    merged = int(cell.size - np.count_nonzero(seen))
    if merged and duplicates == "raise":
        raise _duplicate(grid, rows, cell, segments, systems)
    return Cells(_placed(cell, scores, seen, duplicates).reshape(shape), merged)


def _placed(
    cell: npt.NDArray[np.int64], scores: FloatArray, seen: BoolArray, duplicates: Duplicates
) -> FloatArray:
    values = np.full(seen.size, np.nan)
    if duplicates == "mean":
        known = ~np.isnan(scores)
        total = np.bincount(cell[known], weights=scores[known], minlength=seen.size)
        count = np.bincount(cell[known], minlength=seen.size)
        np.divide(total, count, out=values, where=count > 0)
    elif duplicates == "first":
        # Assigned backwards, so that the first row has the last word.
        values[cell[::-1]] = scores[::-1]
    else:
        values[cell] = scores
    return values


def second_rows(cell: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Return the first pair of positions that share a cell, by where the second of them stands."""
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(cell[order][1:] == cell[order][:-1]) + 1
    second = order[again].min()
    first = int(np.flatnonzero(cell == cell[second])[0])
    return first, int(second)


def duplicate_cure(grid: Grid, cell: npt.NDArray[np.int64], first: int, second: int) -> str:
    """Return what to do about scores that share a cell, of which the rows `first` and `second` of the grid are two."""
    told = telling_column(grid, first, second)
    if told is not None:
        return told
    times = np.unique(cell, return_counts=True)[1]
    if (times == times[0]).all() and times.size > 1:
        return Message(
            "Every segment of a system has {n} scores: repeated runs, or several tables in one file. "
            "Average runs with {mean}; keep one table with {where}.",
            n=times[0],
            mean=Option("duplicates", "mean"),
            where=Option("where", {COLUMN: VALUE}),
        )
    return Message(
        "Remove one, or use {last} or {mean}.",
        last=Option("duplicates", "last"),
        mean=Option("duplicates", "mean"),
    )


def _duplicate(
    grid: Grid, rows: npt.NDArray[np.int64], cell: npt.NDArray[np.int64], segments: Labels, systems: Labels
) -> Exception:
    first, second = second_rows(cell)
    segment = quoted(segments.names[segments.codes[second]])
    system = quoted(systems.names[systems.codes[second]])
    line = grid.line(int(rows[first]))
    before = f"line {line}" if line is not None else f"row {int(rows[first]) + 1}"
    cure = duplicate_cure(grid, cell, int(rows[first]), int(rows[second]))
    return fault(
        grid,
        Message(
            "Segment {segment} of system {system} was already given in {before}. {cure}",
            segment=segment,
            system=system,
            before=before,
            cure=cure,
        ),
        row=int(rows[second]),
        code="BT101",
    )


def subset(labels: Labels, keep: BoolArray | None) -> Labels:
    """Return the labels of some rows, not yet renumbered."""
    codes: Codes = labels.codes if keep is None else labels.codes[keep]
    return Labels(codes, labels.names)
