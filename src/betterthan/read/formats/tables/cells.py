"""From rows of (segment, system, score) to systems × segments, with a rule for duplicates."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import ReadError, TableError
from betterthan.messages import COLUMN, VALUE, Message, Option
from betterthan.read.grid.grid import Codes, Grid, Labels, compact, fault, first_rows, quoted
from betterthan.read.grid.numerals import missing_name
from betterthan.read.grid.selection import (
    are_distinct,
    distinguishing_column,
    distinguishing_hint,
    run_column,
)

Duplicates = Literal["raise", "first", "last", "mean"]
MOST_CELLS = 400_000_000


class FilledCells(NamedTuple):
    """Scores as systems × segments, and the number of rows merged into another row."""

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
) -> FilledCells:
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
        For two rows of the same segment and system (BT101), or a table that is too large (BT107).
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
    return FilledCells(_placed(cell, scores, seen, duplicates).reshape(shape), merged)


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
        # Assigned backwards, so that the first row wins.
        values[cell[::-1]] = scores[::-1]
    else:
        values[cell] = scores
    return values


def second_rows(cell: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Return the first pair of positions that share a cell, by the position of the second."""
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(cell[order][1:] == cell[order][:-1]) + 1
    second = order[again].min()
    first = int(np.flatnonzero(cell == cell[second])[0])
    return first, int(second)


def duplicate_cure(
    grid: Grid,
    rows: npt.NDArray[np.int64],
    cell: npt.NDArray[np.int64],
    places: tuple[int, int],
    *,
    are_scores: bool = True,
) -> str:
    """Return the hint for scores that share a cell, such as the two at `places` in `rows`.

    For scores, and not for ratings of judges, a column that makes rows unique may name tasks.
    """
    first, second = (int(rows[place]) for place in places)
    found = distinguishing_column(grid, first, second)
    if found is not None:
        return distinguishing_hint(found, are_tasks=are_scores and are_distinct(cell, found.codes[rows]))
    times = np.unique(cell, return_counts=True)[1]
    if (times == times[0]).all() and times.size > 1:
        column = run_column(grid, rows, cell, int(times[0]))
        return Message(
            "Every segment of a system has {n} scores: repeated runs, or several tables in one file. {which} "
            "with {run}, or average them with {mean}; keep one table with {where}.",
            n=times[0],
            which="Name the column that numbers the runs"
            if column is None
            else f"If column {quoted(column)} numbers runs, name it",
            run=Option("run", column or COLUMN),
            mean=Option("duplicates", "mean"),
            where=Option("where", {column or COLUMN: VALUE}),
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
    hint = duplicate_cure(grid, rows, cell, (first, second))
    return fault(
        grid,
        Message(
            "Segment {segment} of system {system} was already given in {before}. {hint}",
            segment=segment,
            system=system,
            before=before,
            hint=hint,
        ),
        row=int(rows[second]),
        code="BT101",
    )


def subset(labels: Labels, keep: BoolArray | None) -> Labels:
    """Return the labels of some rows, not yet renumbered."""
    codes: Codes = labels.codes if keep is None else labels.codes[keep]
    return Labels(codes, labels.names)


def one_score_each(grid: Grid) -> ReadError:
    """Build the error for a table of system-level scores."""
    return fault(
        grid,
        "There is only one score for each system, and paired tests need the score of every segment. Use the file of "
        "segment scores.",
        code="BT103",
    )


def nameless_row(grid: Grid, row: int, column: int | None, what: str) -> str:
    """Build the error for a row without a name; see :func:`~betterthan.read.grid.numerals.missing_name`."""
    cell = "" if column is None else grid.cell(row, column)
    # A null of JSON or a data frame would be shown as "None", which is not in the user's file.
    return missing_name("" if cell == str(None) else cell, what)


def usable_groups(labels: dict[str, Labels], *, is_named: bool) -> tuple[dict[str, Labels], tuple[str, ...]]:
    """Resolve documents and segments, with notes.

    A column of documents with missing values is left out unless it was requested; segments whose numbering restarts in
    every document become document:segment.
    """
    groups = labels.get("group")
    if groups is None:
        return labels, ()
    if (groups.codes < 0).any():
        if is_named:
            raise TableError(f"{int((groups.codes < 0).sum())} rows have no group. Fill these cells in.")
        rest = {role: names for role, names in labels.items() if role != "group"}
        return rest, ("Documents were left out, because some rows have none.",)
    return _with_documents(labels, groups)


def _with_documents(labels: dict[str, Labels], groups: Labels) -> tuple[dict[str, Labels], tuple[str, ...]]:
    """Make (document, segment) the segment when numbering restarts in every document."""
    items = labels["item"]
    document = groups.codes[first_rows(items.codes, len(items.names))]
    if (document[items.codes] == groups.codes).all():
        return labels, ()
    pair = items.codes.astype(np.int64) * len(groups.names) + groups.codes
    distinct, inverse = np.unique(pair, return_inverse=True)
    names = tuple(
        f"{groups.names[p % len(groups.names)]}:{items.names[p // len(groups.names)]}"
        for p in distinct.tolist()
    )
    both = compact(Labels(inverse.astype(np.int32), names))
    note = "The same segment ids occur in several documents, so a segment is named document:segment."
    return {**labels, "item": both}, (note,)
